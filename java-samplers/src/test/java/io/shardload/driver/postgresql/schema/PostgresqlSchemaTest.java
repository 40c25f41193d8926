package io.shardload.driver.postgresql.schema;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Makings;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.postgresql.CountingProxy;
import io.shardload.driver.postgresql.PostgresqlDriver;
import io.shardload.driver.postgresql.ShortRun;
import io.shardload.verify.Verification;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every variant of the schema on a real server, proven by its catalog.
 *
 * <p>Mutations that turned it red: SET STORAGE or the compression left out of the file; {@code
 * :index} taken as hash; the index that is there told as hash; simple statements prepared, prepared
 * ones parsed each time; a page overhead of 8 bytes less; no check for lz4.
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

  /** Statements of the header, of the settings and of what else is not the load. */
  private static final int ADMINISTRATIVE_PARSES = 60;

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
    String options = "{'ssl': 'disable', 'statements': '" + variant.get(2) + "'}";
    Map<String, String> described = new TreeMap<>();
    try (CountingProxy proxy = new CountingProxy(database.server().port())) {
      ShortRun run = new ShortRun(proxy.config(database, options, schema), "4KiB", directory);

      Verification result = run.run(false, target -> described.putAll(schema(target)));

      assertThat(result.verdict()).as(result.reason()).isEqualTo("clean");
      run.assertEveryCallWasAnswered();
      assertStatementsWere(variant.get(2), proxy.counts, run.counted("started"));
    }
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

  /** What the wire had on it, the load and the verification included. */
  private static void assertStatementsWere(
      String mode, Map<Character, Integer> messages, long calls) {
    if (mode.equals("simple")) {
      assertThat(messages).doesNotContainKeys('P', 'B', 'E');
      assertThat(messages.get('Q')).isGreaterThan((int) calls);
    } else {
      // Each of the four connections parses each of the ten statements once at most.
      assertThat(messages.get('B')).isGreaterThan((int) calls);
      assertThat(messages.get('P')).isBetween(10, 40 + ADMINISTRATIVE_PARSES);
    }
  }

  private static Map<String, String> schema(Target target) {
    try {
      return target.schema();
    } catch (CallFailure e) {
      throw new IllegalStateException(e);
    }
  }

  private Target open(String schema) {
    return new PostgresqlDriver().open(database.config("{}", schema), SESSION);
  }

  @ParameterizedTest
  @CsvSource({
    "'{''index'': ''btree''}', schema.index, 'index: hash, not btree'",
    "'{''document-storage'': ''no-toast''}', schema.document-storage,"
        + " 'document-storage: toast-compressed, not no-toast'",
    "'{''compression'': ''pglz''}', schema.compression, 'compression: default, not pglz'"
  })
  void aTableWithOtherOptionsIsRefused(String schema, String key, String message) throws Exception {
    try (Target target = open("{}")) {
      assertThat(
              target
                  .port(DocumentStoreAdmin.class)
                  .createSchema(Making.UNRECORDED, Progress.UNHEARD))
          .isTrue();
    }
    try (Target target = open(schema)) {
      DocumentStoreAdmin admin = target.port(DocumentStoreAdmin.class);
      ConfigException e = refusalOf(() -> admin.createSchema(Making.UNRECORDED, Progress.UNHEARD));
      assertThat(e.key()).isEqualTo(key);
      assertThat(e).hasMessageContaining(message);
      assertThat(e.advice().toString()).endsWith(": load --recreate]");
      assertThat(admin.createSchema(Makings.again(target, "data_table"), Progress.UNHEARD))
          .isTrue();
      assertThat(admin.createSchema(Making.UNRECORDED, Progress.UNHEARD)).isFalse();
    }
  }

  /** Before the table is there, and beside one that would be refused or dropped. */
  @Test
  void theCheckOfTheSchemaMakesAndChangesNothing() throws Exception {
    String there = "SELECT to_regclass('data_table') IS NOT NULL";
    try (Target target = open("{}")) {
      DocumentStoreAdmin admin = target.port(DocumentStoreAdmin.class);
      admin.checkSchema(false, 4096);
      admin.checkSchema(true, 4096);
      assertThat(database.ask(there)).containsExactly("f");
      admin.createSchema(Making.UNRECORDED, Progress.UNHEARD);
      admin.load(List.of(document(16)).iterator(), done -> {});
      admin.checkSchema(false, 4096);
    }
    try (Target target = open("{'index': 'btree'}")) {
      DocumentStoreAdmin admin = target.port(DocumentStoreAdmin.class);
      ConfigException e = refusalOf(() -> admin.checkSchema(false, 4096));
      assertThat(e.key()).isEqualTo("schema.index");
      admin.checkSchema(true, 4096);
    }
    assertThat(database.ask("SELECT count(*) FROM data_table")).containsExactly("1");
    assertThat(database.ask(INDEXES)).contains("data_table_filter1 hash");
  }

  /** The bound is exact: one more byte, and the server itself refuses the row. */
  @Test
  void withoutToastADocumentHasToFitItsPage() throws Exception {
    try (Target target = open("{'document-storage': 'no-toast'}")) {
      DocumentStoreAdmin admin = target.port(DocumentStoreAdmin.class);
      admin.checkSchema(false, 8012);
      ConfigException e = refusalOf(() -> admin.checkSchema(true, 8192));
      assertThat(e.key()).isEqualTo("schema.document-storage");
      assertThat(e)
          .hasMessage(
              "documents of 8192 bytes do not fit without TOAST:"
                  + " a page of 8192 bytes has room for one of 8012");
      admin.createSchema(Making.UNRECORDED, Progress.UNHEARD);
      admin.load(List.of(document(8012)).iterator(), done -> {});
      assertThat(failureOf(() -> admin.load(List.of(document(8013)).iterator(), done -> {})))
          .hasMessageContaining("row is too big");
    }
  }

  /** The server of the tests is built without it; the test on a Citus compresses with it. */
  @Test
  void lz4IsRefusedWhereTheServerHasItNot() throws Exception {
    try (Target target = open("{'compression': 'lz4'}")) {
      ConfigException e =
          refusalOf(() -> target.port(DocumentStoreAdmin.class).checkSchema(false, 4096));
      assertThat(e.key()).isEqualTo("schema.compression");
      assertThat(e).hasMessage("this server is built without lz4");
    }
    assertThat(database.ask("SELECT to_regclass('data_table') IS NULL")).containsExactly("t");
  }

  private static Document document(int bytes) {
    String word = "0123456789abcdef";
    String key = String.format("%016d", bytes);
    return new Document(new UUID(0, 1), key, word, 1, word, word, "x".repeat(bytes), 0);
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
    try (Target target = open("{'distribution': 'id'}")) {
      ConfigException e =
          refusalOf(() -> target.port(DocumentStoreAdmin.class).checkSchema(true, 4096));
      assertThat(e.key()).isEqualTo("schema.distribution");
      assertThat(e).hasMessageContaining("CREATE EXTENSION citus");
    }
    assertThat(database.ask("SELECT to_regclass('data_table') IS NULL")).containsExactly("t");
  }

  // The table is the one of the study, or it is refused. Mutation that turned it red: the columns
  // compared by name only.

  @ParameterizedTest
  @CsvSource({
    "ALTER TABLE data_table ALTER filter3 TYPE int, has column filter3 as integer instead of"
        + " bigint",
    "ALTER TABLE data_table DROP edition, has no column edition",
    "ALTER TABLE data_table ADD mine int, has a column mine that shardload did not create",
    "ALTER TABLE data_table ALTER filter1 TYPE varchar(64),"
        + " has column filter1 as character varying(64) instead of character varying(128)"
  })
  void aTableWithOtherColumnsIsRefused(String alteration, String message) throws CallFailure {
    try (Target target = database.open("{}")) {
      DocumentStoreAdmin admin = target.port(DocumentStoreAdmin.class);
      assertThat(admin.createSchema(Making.UNRECORDED, Progress.UNHEARD)).isTrue();
      assertThat(admin.createSchema(Making.UNRECORDED, Progress.UNHEARD)).isFalse();
      database.execute(alteration);

      ConfigException e = refusalOf(() -> admin.createSchema(Making.UNRECORDED, Progress.UNHEARD));
      assertThat(e).hasMessageContaining(message);
      assertThat(admin.createSchema(Makings.again(target, "data_table"), Progress.UNHEARD))
          .isTrue();
      assertThat(admin.createSchema(Making.UNRECORDED, Progress.UNHEARD)).isFalse();
    }
  }

  @Test
  void theSchemaIsTheOneOfTheStudy() throws CallFailure {
    try (Target target = database.open("{}")) {
      target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
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
