package io.shardload.driver.postgresql.schema;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.dataset.DataSet;
import io.shardload.driver.Makings;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.postgresql.PostgresqlDriver;
import io.shardload.driver.postgresql.ShortRun;
import io.shardload.verify.Verification;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every variant of the schema on a real server, proven by its catalog.
 *
 * <p>Mutations that turned it red: SET STORAGE or the compression left out of the file; {@code
 * :index} taken as hash; the index that is there told as hash.
 */
class PostgresqlSchemaTest {
  private static final Session SESSION = new Session("test", 2, Duration.ofSeconds(5));
  private static final String DOCUMENT_COLUMN =
      "SELECT attstorage, attcompression FROM pg_attribute"
          + " WHERE attrelid = 'data_table'::regclass AND attname = 'document'";
  private static final String INDEXES =
      "SELECT relname, amname FROM pg_index JOIN pg_class c ON c.oid = indexrelid"
          + " JOIN pg_am ON pg_am.oid = c.relam WHERE indrelid = 'data_table'::regclass"
          + " AND relname IN ('data_table_filter1', 'data_table_filter4', 'data_table_filter5')"
          + " ORDER BY relname";

  private static final String NOT_THERE = "SELECT to_regclass('data_table') IS NULL";

  private static final String TOAST_BYTES =
      "SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE relname = 'data_table'";

  private final Database database = TestDatabases.fresh();

  /** Each pair of values stands in one of them. */
  private static List<List<String>> variants() {
    List<List<String>> all = new ArrayList<>();
    for (String index : List.of("hash", "btree")) {
      for (String storage :
          List.of(
              "toast-compressed default",
              "toast-compressed pglz",
              "toast-uncompressed default",
              "no-toast default")) {
        boolean isEven = all.size() % 2 == 0;
        all.add(List.of(index, storage, isEven == index.equals("hash") ? "prepared" : "simple"));
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("variants")
  void everyVariantLoadsRunsAndVerifies(List<String> variant, @TempDir Path directory)
      throws Exception {
    String index = variant.get(0);
    String storage = variant.get(1).split(" ", -1)[0];
    String schema =
        "{'index': '%s', 'document-storage': '%s', 'compression': '%s'}"
            .formatted(index, storage, variant.get(1).split(" ", -1)[1]);
    String options = "{'statements': '" + variant.get(2) + "'}";
    Map<String, String> described = new TreeMap<>();
    ShortRun run = new ShortRun(database.config(options, schema), "4KiB", directory);

    Verification result = run.run(false, target -> described.putAll(schema(target)));

    assertThat(result.verdict()).as(result.reason()).isEqualTo("clean");
    run.assertEveryCallWasAnswered();
    assertThat(database.ask(INDEXES))
        .containsExactly(
            "data_table_filter1 " + index,
            "data_table_filter4 " + index,
            "data_table_filter5 " + index);
    long toast = Long.parseLong(database.ask(TOAST_BYTES).get(0));
    double ratio = Double.parseDouble(described.get("measured-compression-ratio"));
    switch (storage) {
      case "toast-uncompressed" -> {
        assertThat(database.ask(DOCUMENT_COLUMN)).containsExactly("e ");
        assertThat(toast).isGreaterThan(ShortRun.DOCUMENTS * 4096L);
        assertThat(ratio).isEqualTo(1.0);
      }
      case "no-toast" -> {
        assertThat(database.ask(DOCUMENT_COLUMN)).containsExactly("p ");
        assertThat(toast).isZero();
        // The length word of a value in its row counts.
        assertThat(ratio).isBetween(0.99, 1.0);
      }
      default -> {
        assertThat(database.ask(DOCUMENT_COLUMN))
            .containsExactly(variant.get(1).endsWith("pglz") ? "x p" : "x ");
        assertThat(ratio).isGreaterThan(1.2);
        assertThat(toast).isLessThan(ShortRun.DOCUMENTS * 4096L);
      }
    }
    assertThat(described).containsEntry("index", index).containsEntry("document-storage", storage);
  }

  private static Map<String, String> schema(Target target) {
    try {
      return target.schema();
    } catch (CallFailure e) {
      throw new IllegalStateException(e);
    }
  }

  private static StatementsModel model(Map<String, ?> chosen) {
    return DocumentStoreFolder.model("postgresql", 1, 40, chosen);
  }

  private static DataSet open(Target target, StatementsModel model, boolean recreate)
      throws CallFailure {
    return DataSet.open(target, "document-store", model, recreate);
  }

  private static ConfigException refused(Target target, Map<String, ?> chosen) {
    return refusalOf(() -> model(chosen).checkSchema(target, false));
  }

  @ParameterizedTest
  @CsvSource({
    "index, btree, schema.index, hash",
    "storage, no-toast, schema.document-storage, toast-compressed",
    "compression, pglz, schema.compression, default"
  })
  void aTableWithOtherOptionsIsRefused(String option, String value, String key, String there)
      throws Exception {
    StatementsModel other = model(Map.of(option, value));
    try (Target target = database.open("{}")) {
      assertThat(open(target, model(Map.of()), false).created()).isTrue();

      ConfigException e = refusalOf(() -> open(target, other, false));
      assertThat(e.getMessage()).contains(key + "=" + there);
      assertThat(e.advice().toString()).contains(": load --recreate]");
      assertThat(open(target, other, true).created()).isTrue();
      assertThat(open(target, other, false).created()).isFalse();
    }
  }

  /** Before the table is there, and beside one that would be dropped. */
  @Test
  void theCheckOfTheSchemaMakesAndChangesNothing() throws Exception {
    StatementsModel hash = model(Map.of());
    try (Target target = database.open("{}")) {
      hash.checkSchema(target, false);
      hash.checkSchema(target, true);
      assertThat(database.ask(NOT_THERE)).containsExactly("t");
      hash.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
      hash.load(target, 0, 1, done -> {});
      hash.checkSchema(target, false);
      model(Map.of("index", "btree")).checkSchema(target, true);
    }
    assertThat(database.ask("SELECT count(*) FROM data_table")).containsExactly("1");
    assertThat(database.ask(INDEXES)).contains("data_table_filter1 hash");
  }

  /** The server itself refuses the row of a call that the check makes. */
  @Test
  void withoutToastADocumentHasToFitItsPage() throws Exception {
    Map<String, ?> fits = Map.of("storage", "no-toast", "document_size", 8012);
    try (Target target = database.open("{}")) {
      model(fits).checkSchema(target, false);
      assertThat(refused(target, Map.of("storage", "no-toast", "document_size", 8013)))
          .hasMessageContaining("document-store/transactions/")
          .hasMessageContaining("row is too big");
      assertThat(database.ask(NOT_THERE)).containsExactly("t");
      model(fits).createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
      model(fits).load(target, 0, 40, done -> {});
    }
  }

  /** The server of the tests is built without it; the test on a Citus compresses with it. */
  @Test
  void lz4IsRefusedWhereTheServerHasItNot() throws Exception {
    try (Target target = database.open("{}")) {
      assertThat(refused(target, Map.of("compression", "lz4")))
          .hasMessageContaining("document-store/schema/postgresql.sql:")
          .hasMessageContaining("lz4");
    }
    assertThat(database.ask(NOT_THERE)).containsExactly("t");
  }

  @ParameterizedTest
  @CsvSource({
    "'{''distribution'': ''filter2''}', schema.distribution, is not in the primary key",
    "'{''distribution'': ''filter'' }', schema.distribution, filter1",
    "'{''shard-count'': 8}', schema.shard-count, needs 'distribution: id'",
    "'{''replication-factor'': 2}', schema.replication-factor, needs 'distribution: id'",
    "'{''distribution'': ''id'', ''shard-count'': 8, ''colocate-with'': ''t''}',"
        + " schema.shard-count, colocate-with",
    "'{''compression'': ''lz4'', ''document-storage'': ''no-toast''}', schema.compression,"
        + " document-storage: toast-compressed"
  })
  void whatDoesNotFitTogetherIsRefused(String schema, String key, String message) {
    JsonObject json = BundleFixture.parse(schema);
    ConfigException e = refusalOf(() -> SchemaOptions.read(new Options("schema", json)));
    assertThat(e.key()).isEqualTo(key);
    assertThat(e.getMessage() + e.nearest().orElse("")).contains(message);
  }

  @Test
  void aServerWithoutCitusCannotDistribute() {
    TargetConfig config = database.config("{}", "{'distribution': 'id'}");
    try (Target target = new PostgresqlDriver().open(config, SESSION)) {
      StatementsModel model =
          DocumentStoreFolder.model("citus", 1, 40, Map.of("distribution", "id"));
      ConfigException e = refusalOf(() -> model.checkSchema(target, true));
      assertThat(e.key()).isEqualTo("schema.distribution");
      assertThat(e).hasMessageContaining("CREATE EXTENSION citus");
    }
    assertThat(database.ask(NOT_THERE)).containsExactly("t");
  }

  // Mutation that turned it red: the columns compared by name only.

  @ParameterizedTest
  @CsvSource({
    "ALTER TABLE data_table ALTER filter3 TYPE int, 'column filter3 is integer, but the value of row 1 is 9'",
    "ALTER TABLE data_table ALTER filter3 TYPE text, 'column filter3 is integer, but on the server it is text'",
    "ALTER TABLE data_table DROP edition, 'unknown column \"edition\"'",
    "ALTER TABLE data_table ADD mine int NOT NULL, column mine is NOT NULL and gets no value",
    "ALTER TABLE data_table ALTER filter1 TYPE varchar(8), 'column filter1 is varchar(8), but the value of row 1'"
  })
  void aTableWithOtherColumnsIsRefused(String alteration, String message) throws CallFailure {
    StatementsModel model = model(Map.of());
    try (Target target = database.open("{}")) {
      assertThat(model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD)).isTrue();
      assertThat(model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD)).isFalse();
      database.execute(alteration);

      assertThat(refused(target, Map.of())).hasMessageContaining(message);
      assertThat(model.createSchema(target, Makings.again(target, "data_table"), Progress.UNHEARD))
          .isTrue();
      assertThat(model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD)).isFalse();
    }
  }

  @Test
  void theSchemaIsTheOneOfTheStudy() throws CallFailure {
    try (Target target = database.open("{}")) {
      model(Map.of()).createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
    }
    assertThat(
            database.ask(
                "SELECT replace(indexdef, 'public.', '') FROM pg_indexes"
                    + " WHERE tablename = 'data_table'"))
        .extracting(definition -> definition.replaceAll("^.* USING ", ""))
        .containsExactlyInAnyOrder(
            "btree (id, filter1)",
            "hash (filter1)",
            "hash (filter4)",
            "hash (filter5)",
            "btree (id, filter2)",
            "btree (id, filter3)");
  }
}
