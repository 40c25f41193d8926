package io.shardload.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.keys.Journal;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.States;
import io.shardload.topology.Division;
import io.shardload.topology.ShardShare;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What falls to each shard, from tenants or from counts that servers told. */
class ShardSharesTest {
  /** A server whose tenant 0 lies on shard a, 1 and 2 on b, and that has an empty shard c. */
  private static class Told implements ShardShares.Shards {
    Optional<Division> division = Optional.empty();
    boolean byTenant = true;

    @Override
    public Map<String, BitSet> of(List<UUID> ids) {
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
  }

  private final Told server = new Told();

  private List<ShardShare> read(long documents, int tenants, KeyDistribution ranks, int generators)
      throws CallFailure {
    return new ShardShares(documents, tenants, tenant -> new UUID(0, tenant), ranks, generators)
        .read(server);
  }

  private List<ShardShare> read(KeyDistribution ranks) throws CallFailure {
    return read(100_000, 1000, ranks, 1);
  }

  private static ShardShare share(String shard, double documents, double operations) {
    return new ShardShare(shard, documents, OptionalDouble.of(operations));
  }

  /** 8 documents are dealt to 3 tenants in turn: 3, 3 and 2. */
  @Test
  void documentsOfItsTenantsFallToAShard() throws CallFailure {
    assertThat(read(8, 3, KeyDistribution.uniform(), 1))
        .containsExactly(share("a", 0.375, 0.375), share("b", 0.625, 0.625), share("c", 0, 0));
  }

  /**
   * With exponent 1 the ranks 1 to 6 weigh 60, 30, 20, 15, 12 and 10 of 147. The step over 6
   * positions is 5, so their tenants are 0, 2, 1, 0, 2 and 1.
   */
  @Test
  void likelyDocumentsMakeAShardHot() throws CallFailure {
    List<ShardShare> shares = read(6, 3, KeyDistribution.zipfian(1), 1);
    assertThat(shares)
        .extracting(ShardShare::documentsShare)
        .containsExactly(1 / 3.0, 2 / 3.0, 0.0);
    assertThat(shares.get(0).operationsShare().getAsDouble()).isCloseTo(75 / 147.0, within(1e-9));
    assertThat(shares.get(1).operationsShare().getAsDouble()).isCloseTo(72 / 147.0, within(1e-9));
  }

  /** What generators draw, counted. */
  @Test
  void theShareOfOperationsIsThatOfTheDraws() throws CallFailure {
    KeyDistribution ranks = KeyDistribution.zipfian(1.3);
    int onA = 0;
    for (int generator = 0; generator < 2; generator++) {
      Ownership ownership = new Ownership(generator, 2, 5000);
      Keys keys =
          new Keys(
              ownership,
              States.loaded(ownership.ownedLoaded()),
              ranks,
              new LocalRanges(5000, 16),
              Journal.NONE);
      for (int i = 0; i < 50_000; i++) {
        onA += keys.pickLive(new Draws().at(generator, i)) % 3 == 0 ? 1 : 0;
      }
    }
    assertThat(read(5000, 3, ranks, 2).get(0).operationsShare().getAsDouble())
        .isCloseTo(onA / 100_000.0, within(0.01));
  }

  @Test
  void countsOfTheServerStandInForTenants() throws CallFailure {
    server.byTenant = false;
    server.division = Optional.of(new Division(Map.of("a", 30L, "b", 10L), true));
    assertThat(read(KeyDistribution.uniform()))
        .containsExactly(share("a", 0.75, 0.75), share("b", 0.25, 0.25));
    ShardShare unknown = new ShardShare("a", 0.75, OptionalDouble.empty());
    assertThat(read(KeyDistribution.zipfian(0.99))).contains(unknown);
    server.division = Optional.of(new Division(Map.of("a", 30L, "b", 10L), false));
    assertThat(read(KeyDistribution.uniform())).contains(unknown);
  }

  @Test
  void oneShardOrNoCountIsNothingToShare() throws CallFailure {
    server.byTenant = false;
    assertThat(read(KeyDistribution.uniform())).isEmpty();
    server.division = Optional.of(new Division(Map.of("a", 30L), true));
    assertThat(read(KeyDistribution.uniform())).isEmpty();
    server.division = Optional.of(new Division(Map.of("a", 0L, "b", 0L), true));
    assertThat(read(KeyDistribution.uniform())).isEmpty();
  }

  /** So many are not asked for one by one. */
  @Test
  void veryManyTenantsAreCountedByTheServer() throws CallFailure {
    server.division = Optional.of(new Division(Map.of("a", 1L, "b", 1L), true));
    assertThat(read(200_001, 200_001, KeyDistribution.uniform(), 1))
        .containsExactly(share("a", 0.5, 0.5), share("b", 0.5, 0.5));
  }
}
