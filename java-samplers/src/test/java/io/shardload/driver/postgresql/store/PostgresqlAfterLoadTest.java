package io.shardload.driver.postgresql.store;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.driver.Makings;
import io.shardload.driver.OnCitus;
import io.shardload.driver.Scratch;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.jdbc.store.ScratchPlace;
import io.shardload.driver.postgresql.CitusIntegrationTest;
import io.shardload.driver.postgresql.PostgresqlDriver;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.RowVisitor;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.StatementAdmin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/**
 * What follows the load, and who may do it.
 *
 * <p>Mutations that turned it red: no ANALYZE; the right to CHECKPOINT not asked for.
 */
class PostgresqlAfterLoadTest {
  private static final Session SESSION = new Session("test", 2, Duration.ofSeconds(5));
  private static final String CHECKPOINT = "{'checkpoint-after-load': true}";

  private static final Map<String, ?> SMALL = Map.of("document_size", 200);

  private final Database database = TestDatabases.fresh();
  private final StatementsModel model = DocumentStoreData.CALLS.folder("postgresql");

  private static final int TIMEOUT_MILLIS = 100;

  /** As an index over many shards, or a table of many files. */
  private static final String SLOW =
      """
      CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_sleep(0.2); END';
      CREATE EVENT TRIGGER slow ON ddl_command_start
        WHEN TAG IN ('CREATE INDEX', 'DROP TABLE', 'DROP SCHEMA') EXECUTE FUNCTION slow();
      """;

  private static final String INDEXES =
      "SELECT count(*) FROM pg_indexes WHERE tablename = 'data_table' AND schemaname = '%s'";

  private static final String SCHEMAS =
      "SELECT count(*) FROM pg_namespace WHERE nspname = 'shardload_scratch'";

  /** More than one piece for each connection of a load. */
  private static final int DOCUMENTS = 26_000;

  private static final int PIECE = 5_000;
  private static final int MOST_CONNECTIONS = 4;

  /** As Citus reports what a shard's COPY meets, whatever that is. */
  private static final String INTERNAL_ERROR_IN_COPY =
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_query() LIKE 'COPY data_table %' AND EXISTS (
          SELECT FROM data_table WHERE id = NEW.id AND filter1 = NEW.filter1)
        THEN
          RAISE EXCEPTION 'duplicate key in data_table_pkey_102285' USING ERRCODE = 'XX000';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON data_table FOR EACH ROW EXECUTE FUNCTION refuse()
      """;

  private Target open() {
    return new PostgresqlDriver().open(database.config("{}", CHECKPOINT), SESSION);
  }

  /** As a user of this name, who is no superuser. */
  private Target openAsPlain(String schema) {
    Secrets.provide("SHARDLOAD_TEST_PLAIN", "any");
    return new PostgresqlDriver()
        .open(
            Database.config(database.url(), "plain", "SHARDLOAD_TEST_PLAIN", "{}", schema),
            SESSION);
  }

  @Test
  void whoMayNotCheckpointIsToldBeforeAnythingIsLoaded() throws Exception {
    database.execute("CREATE ROLE plain LOGIN PASSWORD 'any'");
    database.execute("ALTER DATABASE " + database.name() + " OWNER TO plain");
    try (Target target = openAsPlain(CHECKPOINT)) {
      for (boolean recreate : List.of(false, true)) {
        ConfigException e = refusalOf(() -> model.checkSchema(target, recreate));
        assertThat(e.key()).isEqualTo("schema.checkpoint-after-load");
        assertThat(e).hasMessageStartingWith("the user may not CHECKPOINT: GRANT pg_checkpoint");
      }
      assertThat(database.ask("SELECT to_regclass('data_table') IS NULL")).containsExactly("t");
    }
    try (Target target = openAsPlain("{}")) {
      model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
    }
    try (Target target = openAsPlain(CHECKPOINT)) {
      assertThat(refusalOf(() -> model.checkSchema(target, false)))
          .hasMessageContaining("superuser");
      model.load(target, 0, 1, done -> {});
      // What another user has loaded.
      model.checkSchema(target, false);
      database.execute("GRANT pg_checkpoint TO plain");
      model.checkSchema(target, true);
      model.finishLoad(target, Progress.UNHEARD);
    }
    try (Target target = open()) {
      model.checkSchema(target, true);
    }
  }

  @Test
  void theLoadEndsWithStatisticsAndACheckpointWhenAsked() throws Exception {
    String count = "SELECT pg_stat_get_analyze_count('data_table'::regclass)";
    try (Target target = open()) {
      model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
      String before = database.ask("SELECT checkpoint_lsn FROM pg_control_checkpoint()").get(0);
      model.finishLoad(target, Progress.UNHEARD);
      assertThat(database.ask(count)).containsExactly("1");
      assertThat(database.ask("SELECT checkpoint_lsn FROM pg_control_checkpoint()").get(0))
          .isNotEqualTo(before);
    }
  }

  private Target openSlow() {
    database.execute(SLOW);
    Session session = new Session("test", 1, Duration.ofMillis(TIMEOUT_MILLIS));
    return database.open("{}", session);
  }

  // Tables and indexes take as long as they take: the statement timeout is that of transactions.

  @Test
  void makingAndDroppingTheTableMayTakeLongerThanATransaction() throws Exception {
    try (Target target = openSlow()) {
      assertThat(model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD)).isTrue();
      String indexes = database.ask(INDEXES.formatted("public")).get(0);
      assertThat(Integer.parseInt(indexes)).isGreaterThan(1);

      assertThat(model.createSchema(target, Makings.again(target, "data_table"), Progress.UNHEARD))
          .isTrue();
      assertThat(database.ask(INDEXES.formatted("public"))).containsExactly(indexes);
    }
  }

  @Test
  void soMayTablesOfItsOwn() throws Exception {
    try (Target target = openSlow();
        Scratch scratch = scratch(target)) {
      model.createSchema(scratch, Making.UNRECORDED, Progress.UNHEARD);
      assertThat(database.ask(INDEXES.formatted("shardload_scratch"))).doesNotContain("0");
      scratch.port(StatementAdmin.class).empty("data_table");
    }
    assertThat(database.ask(INDEXES.formatted("shardload_scratch"))).containsExactly("0");
  }

  private Target open(String run) {
    return database.open("{}", Session.controller(run, 1, Duration.ofSeconds(5)));
  }

  private static Scratch scratch(Target target) throws CallFailure {
    return target.scratch(List.of("data_table"));
  }

  private static int tables(Scratch scratch) throws CallFailure {
    return scratch.port(StatementAdmin.class).present(List.of("data_table")).size();
  }

  // The scratch schema is dropped only if it is ours and nobody uses it. Mutations that turned it
  // red: the lock not compared; nothing looked for that is not ours.

  @Test
  void anApplicationsSchemaStays() {
    database.execute("CREATE SCHEMA shardload_scratch");
    database.execute("CREATE TABLE shardload_scratch.data_table AS SELECT 1 AS precious");
    try (Target target = open("one")) {
      assertThat(refusalOf(() -> scratch(target)))
          .hasMessage(
              "schema shardload_scratch exists, and its comment does not name shardload"
                  + " as its creator; drop it by hand, or use another database");
      assertThat(database.ask("SELECT precious FROM shardload_scratch.data_table"))
          .containsExactly("1");
    }
  }

  @Test
  void anApplicationsTableInOurSchemaStays() throws CallFailure {
    try (Target target = open("one")) {
      Scratch left = scratch(target);
      database.execute("CREATE TABLE shardload_scratch.orders AS SELECT 1 AS precious");
      try (Target other = open("two")) {
        assertThatThrownBy(() -> scratch(other)).isInstanceOf(ConfigException.class);
      }
      database.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
              + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
      try (Target other = open("two")) {
        assertThatThrownBy(() -> scratch(other))
            .hasMessageContaining(
                "schema shardload_scratch holds orders, which shardload did not create");
      }
      assertThat(database.ask("SELECT precious FROM shardload_scratch.orders"))
          .containsExactly("1");
      left.close();
    }
  }

  @Test
  void oneProcessAtATimeUsesIt() throws CallFailure {
    try (Target target = open("one");
        Target other = open("two")) {
      try (Scratch held = scratch(target)) {
        assertThat(refusalOf(() -> scratch(other)))
            .hasMessage("run one is using schema shardload_scratch right now; wait until it ends");
        assertThat(tables(held)).isZero();
      }
      scratch(other).close();
      assertThat(database.ask(SCHEMAS)).containsExactly("0");
    }
  }

  /** As after kill -9: the lock went with its connection, the tables of any workload stayed. */
  @Test
  void whatAKilledProcessLeftIsTakenOver() throws CallFailure {
    database.execute(
        PostgresqlScratch.SQL
            .create()
            .formatted(
                ScratchPlace.comment("shardload controller it''s dead", List.of("a", "posts"))));
    database.execute("CREATE TABLE shardload_scratch.posts (id int)");
    try (Target target = open("one");
        Scratch scratch = scratch(target)) {
      assertThat(tables(scratch)).isZero();
    }
    assertThat(database.ask(SCHEMAS)).containsExactly("0");
  }

  /** Its table is there; each process has a model of its own. */
  private static void assertResumes(Target target, String system, Map<String, ?> chosen)
      throws CallFailure {
    CancellationException interruption = new CancellationException();
    StatementsModel interrupted = DocumentStoreFolder.model(system, 1, DOCUMENTS, chosen);
    Throwable told =
        catchThrowable(
            () ->
                interrupted.load(
                    target,
                    0,
                    DOCUMENTS,
                    done -> {
                      throw interruption;
                    }));
    assertThat(told).isSameAs(interruption);
    assertThat(interrupted.count(target)).isBetween((long) PIECE, (long) MOST_CONNECTIONS * PIECE);

    StatementsModel model = DocumentStoreFolder.model(system, 1, DOCUMENTS, chosen);
    model.load(target, 0, DOCUMENTS, done -> {});

    assertThat(model.count(target)).isEqualTo(DOCUMENTS);
    List<String> wrong = new ArrayList<>();
    model.walk(
        target,
        new RowVisitor() {
          @Override
          public void row(long ordinal, long edition, String defect) {
            if (defect != null || edition != 0) {
              wrong.add(ordinal + " at edition " + edition + ": " + defect);
            }
          }

          @Override
          public void foreign(String what) {
            wrong.add(what);
          }
        });
    assertThat(wrong).isEmpty();
  }

  // A load that was interrupted after its first batch is taken up again.

  @Test
  void aPlainServerTellsOfTheKey() throws CallFailure {
    try (Target target = database.open("{}")) {
      model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
      assertResumes(target, "postgresql", SMALL);
    }
  }

  @Test
  void aServerThatCallsItAnInternalError() throws CallFailure {
    try (Target target = database.open("{}")) {
      model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
      database.execute(INTERNAL_ERROR_IN_COPY);
      assertResumes(target, "postgresql", SMALL);
    }
  }

  @Test
  void anInternalErrorThatStaysIsTold() throws CallFailure {
    try (Target target = database.open("{}")) {
      model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
      database.execute(
          """
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN RAISE EXCEPTION 'shard is gone' USING ERRCODE = 'XX000'; END $$;
          CREATE TRIGGER refuse BEFORE INSERT ON data_table FOR EACH ROW EXECUTE FUNCTION refuse()
          """);
      CallFailure e = failureOf(() -> model.load(target, 0, 40, done -> {}));
      assertThat(e.kind()).isEqualTo("sqlstate-XX000");
      assertThat(e).hasMessageContaining("shard is gone");
    }
  }

  @Test
  @OnCitus
  void aRealCitus() throws CallFailure {
    Map<String, ?> chosen = Map.of("distribution", "id", "shard_count", 4, "document_size", 200);
    try (Target target = CitusIntegrationTest.open("{'distribution': 'id', 'shard-count': 4}")) {
      CitusIntegrationTest.make(target, chosen);
      assertResumes(target, "citus", chosen);
    }
  }
}
