package io.shardload.dataset;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.shardload.config.ConfigException;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.generator.RunConfig;
import io.shardload.verify.GoldenData;
import io.shardload.verify.Verifier;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.StatementAdmin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Only what shardload really created is dropped, whatever has its name; and what replaces it is
 * noticed.
 */
class OwnObjectsTest {
  private static final Replacement FOREIGN = new Replacement(true, Set.of(), true);
  private static final String ORDERS = "CREATE TABLE orders (id bigint PRIMARY KEY);\n";
  private static final String PRECIOUS =
      "INSERT INTO orders SELECT generate_series(1001, 1077) AS id";
  private static final String CONFIG =
      """
      {"run": {"id": "r"},
       "target": {"driver": "postgresql", "url": "%s", "user": "u"},
       "workload": {"name": "shop", "seed": 1, "folder": "%s",
         "data": {"tables": {"orders": {"rows": 3, "columns": {"id": {"type": "sequential"}}}}},
         "transactions": {"find-order": {"rows": "any"}}},
       "mix": {"find-order": 100},
       "load": {"model": "closed", "workers": 1, "generators": 1, "generator": 0, "segments": [
         {"name": "hold", "kind": "hold", "seconds": 1, "from_workers": 1, "to_workers": 1}]}}
      """;

  private final TestDatabases.Database database = TestDatabases.fresh();
  @AutoClose private Target target;
  @TempDir private Path folder;

  @BeforeEach
  void open() {
    target = database.open("{}");
  }

  private void file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private Model<?> shop(String schema) throws IOException {
    file("workload.yml", "# stresses nothing\n");
    file("schema/postgresql.sql", schema);
    file("transactions/find-order/postgresql.sql", "SELECT id FROM orders LIMIT 1;\n");
    String config = CONFIG.formatted(database.url(), folder);
    return RunConfig.read(JsonParser.parseString(config).getAsJsonObject()).model();
  }

  private DataSet load(Model<?> model, Replacement replacement) throws CallFailure {
    DataSet dataSet = DataSet.open(target, "shop", model, replacement, Progress.UNHEARD);
    dataSet.load(done -> {});
    return dataSet;
  }

  private ConfigException refusal(Model<?> model, Replacement replacement) {
    return refusalOf(() -> load(model, replacement));
  }

  private Header header() throws CallFailure {
    return target.dataSets().header().orElseThrow();
  }

  /** As after pg_restore --clean, a rename, or another schema that comes first. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "DROP TABLE orders; CREATE TABLE orders (id bigint PRIMARY KEY)",
        "ALTER TABLE orders RENAME TO kept; CREATE TABLE orders (id bigint)",
        "CREATE SCHEMA aside; ALTER TABLE orders SET SCHEMA aside; CREATE TABLE orders (id bigint)",
        "CREATE SCHEMA first; CREATE TABLE first.orders (id bigint); DO $$BEGIN EXECUTE format("
            + "'ALTER DATABASE %I SET search_path = first, public', current_database()); END$$;"
            + " SET search_path = first, public",
      })
  void aTableThatTookThePlaceOfShardloadsOwnIsNoticedAndKept(String swap) throws Exception {
    Model<?> model = shop(ORDERS);
    load(model, Replacement.NONE);
    target.close();
    database.execute(swap + "; " + PRECIOUS);
    target = database.open("{}");

    String message = ".orders is not recorded as shardload's: restored or foreign";
    for (Replacement replacement : new Replacement[] {Replacement.SETTLED, Replacement.NONE}) {
      ConfigException refusal = refusal(model, replacement);
      assertThat(refusal).hasMessageContaining(message);
      assertThat(refusal.advice().toString()).contains("load --recreate --replace-foreign");
    }
    assertThat(DataState.look(target, "shop", model).detail()).contains(message);
    assertThatThrownBy(() -> new Verifier(target, "shop", model).dataSet())
        .hasMessageContaining(message);
    assertThat(rows()).isEqualTo(77);

    load(model, FOREIGN);
    assertThat(rows()).isEqualTo(3);
    load(model, Replacement.SETTLED);
  }

  private long rows() throws CallFailure {
    return target.port(StatementAdmin.class).count("orders");
  }

  @Test
  void aTableThatIsSwappedAfterTheCheckIsNoticedBeforeTheRunWrites() throws Exception {
    DataSet dataSet = load(shop(ORDERS), Replacement.NONE);
    database.execute("DROP TABLE orders; " + ORDERS + PRECIOUS);
    assertThatThrownBy(() -> dataSet.begin("run-1")).hasMessageContaining("restored or foreign");
    assertThat(header().clean()).isTrue();
  }

  @Test
  void aTableThatIsGoneIsNotMadeAgainUnnoticed() throws Exception {
    Model<?> model = shop(ORDERS);
    load(model, Replacement.NONE);
    database.execute("DROP TABLE orders");
    assertThat(refusal(model, Replacement.NONE)).hasMessage("table orders of the data set is gone");
    load(model, Replacement.SETTLED);
    assertThat(rows()).isEqualTo(3);
  }

  /** In a fresh server the restored tables may even have the same oids. */
  @Test
  void aRestoredHeaderOwnsNothing() throws Exception {
    Model<?> model = shop(ORDERS);
    load(model, Replacement.NONE);
    database.execute(
        "ALTER TABLE shardload_header RENAME TO dump; CREATE TABLE shardload_header"
            + " (LIKE dump INCLUDING ALL); INSERT INTO shardload_header SELECT * FROM dump");
    for (Replacement replacement : new Replacement[] {Replacement.SETTLED, Replacement.NONE}) {
      assertThat(refusal(model, replacement)).hasMessageContaining("restored or foreign");
    }
    load(model, FOREIGN);
    load(model, Replacement.SETTLED);
  }

  @Test
  void aTableThatShardloadOnlyFilledIsNotDropped() throws Exception {
    database.execute(ORDERS);
    Model<?> model = shop(ORDERS);
    load(model, Replacement.NONE);
    load(model, Replacement.NONE);
    assertThat(refusal(model, Replacement.SETTLED))
        .hasMessageContaining("table public.orders existed before shardload filled it");
    load(model, FOREIGN);
    load(model, Replacement.SETTLED);
  }

  @Test
  void whatSomebodyAttachedToATableIsNotDroppedWithIt() throws Exception {
    Model<?> model =
        shop(
            """
            CREATE TABLE orders (id bigint, n serial) PARTITION BY RANGE (id);
            CREATE TABLE orders_1 PARTITION OF orders FOR VALUES FROM (0) TO (1000);
            """);
    load(model, Replacement.NONE);
    load(model, Replacement.SETTLED);
    database.execute("CREATE SEQUENCE mine OWNED BY orders.id");
    assertThat(refusal(model, Replacement.SETTLED))
        .hasMessageContaining("sequence public.mine would be dropped with a table of shardload");
    database.execute("ALTER SEQUENCE mine OWNED BY NONE");
    database.execute(
        "CREATE TABLE old_orders (id bigint, n int NOT NULL); INSERT INTO old_orders VALUES (2000,"
            + " 1); ALTER TABLE orders ATTACH PARTITION old_orders FOR VALUES FROM (1000) TO"
            + " (3000)");
    assertThat(refusal(model, Replacement.SETTLED))
        .hasMessageContaining("table public.old_orders would be dropped with a table of shardload");
    assertThat(database.ask("SELECT id FROM old_orders")).containsExactly("2000");
  }

  @Test
  void whatASchemaFileOnlyMentionsIsNotDropped() throws Exception {
    database.execute(
        "CREATE SEQUENCE invoice_no START 4711; SELECT nextval('invoice_no');"
            + " CREATE FUNCTION tax() RETURNS int LANGUAGE sql AS 'SELECT 7';"
            + " CREATE VIEW seven AS SELECT 7 AS n");
    Model<?> model =
        shop(
            """
            CREATE SEQUENCE IF NOT EXISTS invoice_no;
            CREATE OR REPLACE FUNCTION tax() RETURNS int LANGUAGE sql AS 'SELECT 19';
            CREATE OR REPLACE VIEW seven AS SELECT 7 AS n, 8 AS more;
            CREATE TYPE mood AS ENUM ('good');
            CREATE SEQUENCE numbers;
            CREATE FUNCTION worse(mood) RETURNS mood LANGUAGE sql IMMUTABLE AS 'SELECT $1';
            CREATE TABLE orders (id bigint PRIMARY KEY, n int DEFAULT nextval('numbers'), m mood);
            CREATE VIEW happy AS SELECT id FROM orders WHERE m = 'good';
            """);
    String theirs =
        "SELECT 'invoice_no'::regclass::oid, 'tax'::regproc::oid, 'seven'::regclass::oid";
    var before = database.ask(theirs);
    String own = "SELECT 'numbers'::regclass::oid, 'worse'::regproc::oid, 'happy'::regclass::oid";
    for (int round = 0; round < 2; round++) {
      load(model, Replacement.SETTLED);
    }
    assertThat(database.ask(theirs)).isEqualTo(before);
    assertThat(database.ask("SELECT nextval('invoice_no')")).containsExactly("4712");
    var made = database.ask(own);
    load(model, Replacement.SETTLED);
    assertThat(database.ask(own)).as("what the file makes is made again").isNotEqualTo(made);

    DataSet.open(
        target, "document-store", GoldenData.model(), Replacement.SETTLED, Progress.UNHEARD);
    assertThat(
            database.ask("SELECT to_regclass('orders'), to_regclass('happy'), to_regtype('mood')"))
        .as("another workload leaves nothing of it")
        .containsExactly("null null null");
    assertThat(database.ask(theirs)).isEqualTo(before);
  }

  /** Red when the record was dropped first: the next command called its own data foreign. */
  @Test
  void aReplacementThatFailsKeepsTheRecord() throws Exception {
    Model<?> model = shop(ORDERS);
    load(model, Replacement.NONE);
    Header before = header();
    target.dataSets().writeChunk(0, 7, new byte[] {1});
    database.execute("CREATE VIEW report AS SELECT count(*) FROM orders");
    assertThat(failureOf(() -> load(model, Replacement.SETTLED)))
        .hasMessageContaining("other objects depend on it");
    assertThat(header()).isEqualTo(before);
    assertThat(target.dataSets().readChunk(0, 7)).isPresent();
    assertThat(rows()).isEqualTo(3);
    assertThat(load(model, Replacement.NONE).loaded()).isTrue();

    database.execute("DROP VIEW report");
    load(model, Replacement.SETTLED);
    assertThat(header().identity()).isNotEqualTo(before.identity());
  }

  /** Its own tables go; one that took the name of such a table stays. */
  @Test
  void anotherWorkloadLeavesASwappedTable() throws Exception {
    load(shop(ORDERS), Replacement.NONE);
    database.execute("DROP TABLE orders; " + ORDERS + PRECIOUS);
    DataSet.open(
        target, "document-store", GoldenData.model(), Replacement.SETTLED, Progress.UNHEARD);
    assertThat(rows()).isEqualTo(77);
  }
}
