package io.shardload.workload.documentstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import io.shardload.keys.Journal;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.States;
import io.shardload.topology.ShardShare;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.Division;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreEvidence;
import io.shardload.workload.documentstore.port.QueryPlan;
import io.shardload.workload.documentstore.port.Storage;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What falls to each shard, from tenants or from counts that servers told. */
class ShardSharesTest {
  /** A server whose tenant 0 lies on shard a, 1 and 2 on b, and that has an empty shard c. */
  private static class Told implements DocumentStoreEvidence {
    Optional<Division> division = Optional.empty();
    boolean byTenant = true;

    @Override
    public Map<String, BitSet> shardsOf(List<UUID> ids) {
      Map<String, BitSet> shards = new TreeMap<>();
      if (byTenant) {
        shards.put("a", BitSet.valueOf(new long[] {1}));
        shards.put("b", BitSet.valueOf(new long[] {6}));
        shards.put("c", new BitSet());
      }
      return shards;
    }

    @Override
    public Optional<Division> division() {
      return division;
    }

    @Override
    public DocumentStore explainer(Consumer<QueryPlan> plans) {
      throw new AssertionError("not asked");
    }

    @Override
    public Storage storage() {
      throw new AssertionError("not asked");
    }
  }

  private final Told server = new Told();

  private List<ShardShare> read(String data, int generators) throws CallFailure {
    Shape shape =
        Shape.read(1, new Options("workload.data", JsonParser.parseString(data).getAsJsonObject()));
    return new ShardShares(shape, new Documents(shape), generators).read(server);
  }

  private static ShardShare share(String shard, double documents, double operations) {
    return new ShardShare(shard, documents, OptionalDouble.of(operations));
  }

  /** 8 documents are dealt to 3 tenants in turn: 3, 3 and 2. */
  @Test
  void documentsOfItsTenantsFallToAShard() throws CallFailure {
    assertThat(read("{'documents': 8, 'tenants': 3}", 1))
        .containsExactly(share("a", 0.375, 0.375), share("b", 0.625, 0.625), share("c", 0, 0));
  }

  /**
   * With exponent 1 the ranks 1 to 6 weigh 60, 30, 20, 15, 12 and 10 of 147. The step over 6
   * positions is 5, so their tenants are 0, 2, 1, 0, 2 and 1.
   */
  @Test
  void likelyDocumentsMakeAShardHot() throws CallFailure {
    List<ShardShare> shares =
        read(
            "{'documents': 6, 'tenants': 3, 'key-distribution': 'zipfian', 'zipf-exponent': 1}", 1);
    assertThat(shares)
        .extracting(ShardShare::documentsShare)
        .containsExactly(1 / 3.0, 2 / 3.0, 0.0);
    assertThat(shares.get(0).operationsShare().getAsDouble()).isCloseTo(75 / 147.0, within(1e-9));
    assertThat(shares.get(1).operationsShare().getAsDouble()).isCloseTo(72 / 147.0, within(1e-9));
  }

  /** What generators draw, counted. */
  @Test
  void theShareOfOperationsIsThatOfTheDraws() throws CallFailure {
    String data =
        "{'documents': 5000, 'tenants': 3, 'key-distribution': 'zipfian', 'zipf-exponent': 1.3}";
    Shape shape =
        Shape.read(1, new Options("workload.data", JsonParser.parseString(data).getAsJsonObject()));
    int onA = 0;
    for (int generator = 0; generator < 2; generator++) {
      Ownership ownership = new Ownership(generator, 2, 5000);
      Keys keys =
          new Keys(
              ownership,
              States.loaded(ownership.ownedLoaded()),
              shape.ranks(),
              new LocalRanges(5000, 16),
              Journal.NONE);
      for (int i = 0; i < 50_000; i++) {
        onA += keys.pickLive(new Draws().at(generator, i)) % 3 == 0 ? 1 : 0;
      }
    }
    assertThat(read(data, 2).get(0).operationsShare().getAsDouble())
        .isCloseTo(onA / 100_000.0, within(0.01));
  }

  @Test
  void countsOfTheServerStandInForTenants() throws CallFailure {
    server.byTenant = false;
    server.division = Optional.of(new Division(Map.of("a", 30L, "b", 10L), true));
    assertThat(read("{}", 1)).containsExactly(share("a", 0.75, 0.75), share("b", 0.25, 0.25));
    ShardShare unknown = new ShardShare("a", 0.75, OptionalDouble.empty());
    assertThat(read("{'key-distribution': 'zipfian'}", 1)).contains(unknown);
    server.division = Optional.of(new Division(Map.of("a", 30L, "b", 10L), false));
    assertThat(read("{}", 1)).contains(unknown);
  }

  @Test
  void oneShardOrNoCountIsNothingToShare() throws CallFailure {
    server.byTenant = false;
    assertThat(read("{}", 1)).isEmpty();
    server.division = Optional.of(new Division(Map.of("a", 30L), true));
    assertThat(read("{}", 1)).isEmpty();
    server.division = Optional.of(new Division(Map.of("a", 0L, "b", 0L), true));
    assertThat(read("{}", 1)).isEmpty();
  }

  /** So many are not asked for one by one. */
  @Test
  void veryManyTenantsAreCountedByTheServer() throws CallFailure {
    server.division = Optional.of(new Division(Map.of("a", 1L, "b", 1L), true));
    assertThat(read("{'documents': 200001, 'tenants': 200001}", 1))
        .containsExactly(share("a", 0.5, 0.5), share("b", 0.5, 0.5));
  }
}
