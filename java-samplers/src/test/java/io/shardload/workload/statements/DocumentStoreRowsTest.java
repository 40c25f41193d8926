package io.shardload.workload.statements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardload.data.Bits;
import io.shardload.workload.statements.parameters.Entity;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rows of document-store as pure functions. The literals were worked out by a separate program in
 * another language from the formulas alone; a data set of yesterday must be the data set of
 * tomorrow.
 */
class DocumentStoreRowsTest {
  private static final String SMALL =
      "{'documents': 1000, 'tenants': 10, 'document-size': '40B', 'rows-per-find': 10}";
  private static final int SHARDS = 12;
  private static final int FILTER2 = 2;
  private static final int FILTER5 = 5;
  private static final int DOCUMENT = 6;

  private static StatementsModel model(long seed, String data) {
    return DocumentStoreFolder.model("postgresql", seed, data);
  }

  private static Entity entity(long seed, String data) {
    return DocumentStoreFolder.entity(model(seed, data));
  }

  private static List<Object> row(Entity entity, long number, int edition) {
    return IntStream.range(0, entity.table().columns().size())
        .mapToObj(column -> entity.value(column, number, edition))
        .toList();
  }

  /** Mutation: leave the edition out of the draw of filter4. */
  @Test
  void contentIsWhatTheFormulasSay() {
    Entity entity = entity(42, SMALL);
    assertThat(entity.table().columns())
        .containsExactly(
            "id", "filter1", "filter2", "filter3", "filter4", "filter5", "document", "edition");
    assertThat(row(entity, 0, 0))
        .containsExactly(
            UUID.fromString("8a126a34-4796-455f-acec-b6d5a7ad97ab"),
            "6b9af54417d0bf75",
            "b443b82c3f005130",
            850768190814L,
            "e88f3813d838508d",
            "55e0663dafe3d246",
            "dinyphewjbw dbnmemle okJR1JTjr kzhcnxhbb",
            0);
    assertThat(row(entity, 17, 3))
        .containsExactly(
            UUID.fromString("5d6987fe-d2a3-496d-952d-d804d0924583"),
            "3b0a12b2d21c0ded",
            "61d31526eb939573",
            1090117593461L,
            "b4926dae1ac2d43f",
            "f686f437a15a649e",
            "fpznxxmbwtp tujfowkkar czfpsn Q01GYxSe9 ",
            3);
  }

  /** Mutation: forget the seed in the permutation. */
  @Test
  void filter1NamesItsOrdinalAndNothingElseDoes() {
    Entity entity = entity(42, SMALL);
    for (long ordinal : new long[] {0, 1, 999, 1L << 40}) {
      assertThat(entity.rowOf(entity.value(entity.key(), ordinal, 0))).isEqualTo(ordinal);
    }
    assertThat(entity.rowOf("31ba568db28721a4")).isEqualTo(999);
    assertThat(entity.rowOf("stranger")).isNegative();
    assertThat(entity.rowOf("31BA568DB28721A4")).isNegative();
    assertThat(entity.rowOf(null)).isNegative();
    assertThat(entity(43, SMALL).rowOf("31ba568db28721a4")).isNotEqualTo(999);
  }

  /** An update changes filter2 to filter5 and the edition, nothing else. */
  @Test
  void editionsShareWhatAnUpdateLeaves() {
    Entity entity = entity(42, SMALL);
    List<Object> before = row(entity, 17, 0);
    List<Object> after = row(entity, 17, 3);
    for (int column : new int[] {0, 1, DOCUMENT}) {
      assertThat(after.get(column)).isEqualTo(before.get(column));
    }
    assertThat(after.subList(FILTER2, DOCUMENT))
        .doesNotContainAnyElementsOf(before.subList(FILTER2, DOCUMENT));
  }

  /**
   * A filter that finds ask for two values of has 2 n / (10 t) values per tenant, so that such a
   * find returns about ten rows. Mutation: use the cardinality of single-value filters for all.
   */
  @Test
  void cardinalitiesFollowFromRowsPerFind() {
    Entity entity = entity(1, "{'documents': 20000, 'tenants': 10, 'document-size': '8B'}");
    // 10 tenants x 400 values of 5 documents, and 10 x 200 values of 10; a few stay empty by
    // chance.
    assertThat(values(entity, FILTER2)).isBetween(3900L, 4000L);
    assertThat(values(entity, FILTER5)).isBetween(1990L, 2000L);
  }

  private static long values(Entity entity, int column) {
    return LongStream.range(0, 20_000)
        .mapToObj(row -> entity.value(column, row, 0))
        .distinct()
        .count();
  }

  /** Mutation: draw the size once for the whole data set. */
  @Test
  void sizesAreAsAsked() {
    Entity fixed = entity(1, "{'document-size': '4KiB'}");
    Entity variable = entity(1, "{'document-size': 'variable'}");
    Map<Integer, Integer> sizes = new HashMap<>();
    for (long row = 0; row < 400; row++) {
      assertThat((String) fixed.value(DOCUMENT, row, 0)).hasSize(4096);
      sizes.merge(((String) variable.value(DOCUMENT, row, 0)).length(), 1, Integer::sum);
    }
    assertThat(sizes.keySet()).containsExactlyInAnyOrder(2048, 4096, 8192, 16384);
    assertThat(sizes.values()).allMatch(n -> n > 60 && n < 140);
  }

  /** Mutations: measure another column; leave the ratio out. */
  @Test
  void measuredCompressionIsNearTheAskedOne() {
    assertThat(ratio("{}")).isBetween(1.8, 2.2);
    assertThat(ratio("{'compressibility': 3.5}")).isBetween(2.7, 3.3);
    assertThat(model(1, "{'key-distribution': 'zipfian'}").describe().get("options"))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
        .containsEntry("key_distribution", "zipfian");
  }

  private static double ratio(String data) {
    return (double) model(1, data).describe().get("measured_compression_ratio");
  }

  /** Mutation: any wrong constant in unmix. */
  @Test
  void mixIsABijection() {
    for (long i = 0; i < 100_000; i++) {
      long word = i * 0x123456789ABCDL;
      assertThat(Bits.unmix(Bits.mix(word))).isEqualTo(word);
    }
  }

  // How many tenants there are by default, and how evenly that many fall on shards.

  private static long tenants(String data) {
    return (long) model(1, data).chosen().get("tenants");
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "500, 500",
    "2000, 1000",
    "100000, 1000",
    "100001, 1000",
    "1000000, 10000",
    "2147483648, 10000000"
  })
  void theNumberOfTenantsFollowsFromTheDocuments(long documents, int tenants) {
    assertThat(tenants("{'documents': %d}".formatted(documents))).isEqualTo(tenants);
  }

  @Test
  void aNumberOfTenantsThatIsGivenStands() {
    assertThat(tenants("{'documents': 100000, 'tenants': 100}")).isEqualTo(100);
    assertThat(model(1, "{}").shape()).containsEntry("option tenants", "1000");
    Entity entity = entity(1, "{'documents': 1000, 'tenants': 7, 'document-size': '8B'}");
    assertThat(LongStream.range(0, 1000).mapToObj(row -> entity.value(0, row, 0)).distinct())
        .hasSize(7);
  }

  /**
   * The hottest of twelve shards over the mean one, on average over 200 seeds; a tenant lies where
   * the hash of its id puts it. A separate program that throws tenants at random found 1.609, 1.176
   * and 1.056.
   */
  @Test
  void withTheDefaultTheHottestShardIsNearTheMean() {
    assertThat(hottest("{'documents': 100000, 'tenants': 100}", 100)).isCloseTo(1.60, within(0.03));
    assertThat(hottest("{'documents': 100000}", 1000)).isCloseTo(1.17, within(0.02));
    assertThat(hottest("{'documents': 1000000}", 10_000)).isCloseTo(1.05, within(0.01));
  }

  private static double hottest(String data, int tenants) {
    return LongStream.range(0, 200).mapToDouble(seed -> hottest(entity(seed, data), tenants)).sum()
        / 200;
  }

  private static double hottest(Entity entity, int tenants) {
    int[] onShard = new int[SHARDS];
    int most = 0;
    for (int tenant = 0; tenant < tenants; tenant++) {
      most = Math.max(most, ++onShard[shard((UUID) entity.value(0, tenant, 0))]);
    }
    return (double) most * SHARDS / tenants;
  }

  /** As MongoDB's hashed shard key does: 64 bits of an MD5, cut into ranges of equal length. */
  private static int shard(UUID id) {
    try {
      ByteBuffer bytes = ByteBuffer.allocate(16);
      bytes.putLong(id.getMostSignificantBits());
      bytes.putLong(id.getLeastSignificantBits());
      byte[] hash = MessageDigest.getInstance("MD5").digest(bytes.array());
      long place = ByteBuffer.wrap(hash).getLong();
      return (int) Math.multiplyHigh(place >>> 1, 2L * SHARDS);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
