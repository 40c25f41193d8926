package io.shardload.workload.documentstore;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.data.Bits;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Column;
import io.shardload.workload.documentstore.port.Document;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Documents as pure functions. The literals were worked out by a separate program in another
 * language from the formulas alone; a data set of yesterday must be the data set of tomorrow.
 */
class DocumentsTest {
  private static final String SMALL =
      "{'documents': 1000, 'tenants': 10, 'document-size': '40B', 'rows-per-find': 10}";

  private static Documents documents(long seed, String data) {
    return new Documents(
        Shape.read(
            seed, new Options("workload.data", JsonParser.parseString(data).getAsJsonObject())));
  }

  /** Mutation: leave the edition out of the hash of filter4. */
  @Test
  void contentIsWhatTheFormulasSay() {
    Documents documents = documents(42, SMALL);
    assertThat(documents.at(0, 0))
        .isEqualTo(
            new Document(
                UUID.fromString("8a126a34-4796-455f-acec-b6d5a7ad97ab"),
                "6b9af54417d0bf75",
                "b443b82c3f005130",
                850768190814L,
                "e88f3813d838508d",
                "55e0663dafe3d246",
                "dinyphewjbw dbnmemle okJR1JTjr kzhcnxhbb",
                0));
    assertThat(documents.at(17, 3))
        .isEqualTo(
            new Document(
                UUID.fromString("5d6987fe-d2a3-496d-952d-d804d0924583"),
                "3b0a12b2d21c0ded",
                "61d31526eb939573",
                1090117593461L,
                "b4926dae1ac2d43f",
                "f686f437a15a649e",
                "fpznxxmbwtp tujfowkkar czfpsn Q01GYxSe9 ",
                3));
  }

  /** Mutation: forget the seed in the permutation. */
  @Test
  void filter1NamesItsOrdinalAndNothingElseDoes() {
    Documents documents = documents(42, SMALL);
    for (long ordinal : new long[] {0, 1, 999, 1L << 40}) {
      assertThat(documents.ordinalOf(documents.filter1(ordinal))).isEqualTo(ordinal);
    }
    assertThat(documents.ordinalOf("31ba568db28721a4")).isEqualTo(999);
    assertThat(documents.ordinalOf("stranger")).isEqualTo(-1);
    assertThat(documents.ordinalOf("31BA568DB28721A4")).isEqualTo(-1);
    assertThat(documents.ordinalOf(null)).isEqualTo(-1);
    assertThat(documents(43, SMALL).ordinalOf("31ba568db28721a4")).isNotEqualTo(999);
  }

  /** An update changes filter2 to filter5 and the edition, nothing else. */
  @Test
  void editionsShareWhatAnUpdateLeaves() {
    Documents documents = documents(42, SMALL);
    Document before = documents.at(17, 0);
    Document after = documents.at(17, 3);
    assertThat(after.id()).isEqualTo(before.id());
    assertThat(after.filter1()).isEqualTo(before.filter1());
    assertThat(after.document()).isEqualTo(before.document());
    assertThat(after.filter3()).isNotEqualTo(before.filter3());
    assertThat(documents.change(17, 3))
        .isEqualTo(
            new Change(
                after.filter2(),
                after.filter3(),
                after.filter4(),
                after.filter5(),
                after.edition()));
  }

  /**
   * A filter that finds ask for two values of has 2 n / (10 t) values per tenant, so that such a
   * find returns about ten rows. Mutation: use the cardinality of single-value filters for all.
   */
  @Test
  void cardinalitiesFollowFromRowsPerFind() {
    Documents documents =
        documents(1, "{'documents': 20000, 'tenants': 10, 'document-size': '8B'}");
    Map<String, Integer> filter2 = new HashMap<>();
    Map<String, Integer> filter5 = new HashMap<>();
    for (long ordinal = 0; ordinal < 20_000; ordinal++) {
      filter2.merge(documents.text(Column.FILTER2, ordinal, 0), 1, Integer::sum);
      filter5.merge(documents.text(Column.FILTER5, ordinal, 0), 1, Integer::sum);
    }
    // 10 tenants x 400 values of 5 documents, and 10 x 200 values of 10; a few stay empty by
    // chance.
    assertThat(filter2.size()).isBetween(3900, 4000);
    assertThat(filter5.size()).isBetween(1990, 2000);
  }

  /** Mutation: draw the size once for the whole data set. */
  @Test
  void sizesAreAsAsked() {
    Documents fixed = documents(1, "{'document-size': '4KiB'}");
    Documents variable = documents(1, "{'document-size': 'variable'}");
    Map<Integer, Integer> sizes = new HashMap<>();
    for (long ordinal = 0; ordinal < 400; ordinal++) {
      assertThat(fixed.document(ordinal)).hasSize(4096);
      sizes.merge(variable.document(ordinal).length(), 1, Integer::sum);
    }
    assertThat(sizes.keySet()).containsExactlyInAnyOrder(2048, 4096, 8192, 16384);
    assertThat(sizes.values()).allMatch(n -> n > 60 && n < 140);
  }

  /** The default text compresses about 2:1. */
  @Test
  void measuredCompressionIsNearTheAskedOne() {
    Map<String, Object> description =
        new DocumentStoreWorkload().model(1, Options.none("workload.data")).describe();
    assertThat((Double) description.get("measured_compression_ratio")).isBetween(1.8, 2.2);
  }

  /** Mutation: any wrong constant in unmix. */
  @Test
  void mixIsABijection() {
    for (long i = 0; i < 100_000; i++) {
      long word = i * 0x123456789ABCDL;
      assertThat(Bits.unmix(Bits.mix(word))).isEqualTo(word);
    }
  }
}
