package io.shardload.driver.postgresql.statements;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.postgresql.statements.SqlPlans.captures;
import static io.shardload.driver.postgresql.statements.SqlPlans.plan;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementBaseline;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.StatementSystem;
import io.shardload.workload.statements.port.Step;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that end well, on a real server, in each statement mode. */
class StatementValuesTest {
  private static final UUID ID = UUID.fromString("00000000-0000-4000-8000-00000000000a");
  private static final Instant TIME = Instant.parse("2024-02-29T23:59:59.123Z");

  private final Database database = TestDatabases.fresh();
  private final SqlPlans.Log log = new SqlPlans.Log();
  @AutoClose private Target target;

  private static final String VALUES =
      """
      INSERT INTO kinds (i2, i4, i8, n, f4, f8, t, u, tz, ts, d, b, j)
      VALUES (:i, :i, :i, :n, :n, :n, :t, :u, :z, :z, :z, :b, :j) RETURNING *
      """;

  private StatementStore open(String options) {
    target = database.open(options);
    return target.port(StatementStore.class);
  }

  private void accounts() {
    database.execute(
        "CREATE TABLE account (id int PRIMARY KEY, balance numeric(10,2), name varchar(10));"
            + " INSERT INTO account VALUES (1, 10.50, 'a'), (2, 20, 'b'), (3, NULL, 'c')");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'statements': 'simple'}",
        "{'fetch-size': '1'}",
        "{'connections': 'per-transaction'}"
      })
  void readsRowsWhole(String options) throws Exception {
    accounts();
    Plan plan =
        SqlPlans.plan(
            Isolation.NONE,
            "SELECT * FROM account WHERE id >= :from ORDER BY id",
            SqlPlans.wants("name", "balance"));
    StatementStore store = open(options);
    for (int call = 0; call < 2; call++) {
      log.all.clear();
      store.run(plan, new Object[] {2L, null}, log, log);
      assertThat(log.all)
          .containsExactly(
              "begin", "connected", "found", "0 row [20.00, b]", "0 row [null, c]", "0 ended 2");
    }
  }

  @ParameterizedTest
  @CsvSource({"int2, 7", "int4, 7", "int8, 7", "numeric, 7", "float4, 7.0", "float8, 7.0"})
  void integersFitWhereTheServerTakesNumbers(String type, String value) throws Exception {
    database.execute("CREATE TABLE t (c " + type + ")");
    Plan plan =
        SqlPlans.plan(Isolation.NONE, "INSERT INTO t VALUES (:v) RETURNING c", SqlPlans.wants("c"));
    StatementStore store = open("{}");
    store.run(plan, new Object[] {7L, null}, log, log);
    store.run(plan, new Object[] {null, null}, log, log);
    assertThat(log.values.get(0).toString()).isEqualTo(value);
    assertThat(log.values.get(1)).isNull();
  }

  private static final String TYPES =
      "CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN price AS numeric CHECK (VALUE >= 0);"
          + " CREATE TABLE t (i2 int2, i4 int4, i8 int8, n numeric, f4 float4, f8 float8, t text, v"
          + " varchar(9), c char(3), u uuid, tz timestamptz, ts timestamp, d date, b bool, j json,"
          + " jb jsonb, by bytea, a int[], e mood, dom price, ip inet, iv interval)";

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}"})
  void everyTypeGoesThereAndComesBack(String options) throws Exception {
    database.execute(TYPES);
    Object[] row = {
      -7L,
      -70_000L,
      1L << 40,
      new BigDecimal("1.50"),
      new BigDecimal("0.5"),
      3L,
      "it's \\ \"q\" ?",
      "ä€😀",
      "ab",
      ID,
      TIME,
      TIME,
      TIME,
      true,
      JsonParser.parseString("{\"k\":[1,null]}"),
      JsonParser.parseString("{\"k\": 1.50}"),
      "\\x00ff",
      "{1,NULL,3}",
      "glad",
      new BigDecimal("9.90"),
      "10.0.0.1",
      "01:02:03"
    };
    String names = "i2, i4, i8, n, f4, f8, t, v, c, u, tz, ts, d, b, j, jb, by, a, e, dom, ip, iv";
    String places = ":" + names.replace(", ", ", :");
    Plan insert =
        SqlPlans.plan(Isolation.NONE, "INSERT INTO t (%s) VALUES (%s)".formatted(names, places));
    Plan read = SqlPlans.plan(Isolation.NONE, "SELECT * FROM t", SqlPlans.wants(names.split(", ")));
    StatementStore store = open(options);
    store.run(insert, row, log, log);
    assertThat(log.all).containsExactly("begin", "connected", "0 ended 1", "acknowledged");
    assertThat(database.ask("SELECT i8, n, t, v, ts, d, jb, by, a, e, dom FROM t"))
        .containsExactly(
            "1099511627776 1.50 it's \\ \"q\" ? ä€😀 2024-02-29 23:59:59.123 2024-02-29"
                + " {\"k\": 1.50} \\x00ff {1,NULL,3} glad 9.90");

    store.run(read, new Object[] {null}, log, log);
    List<String> sorted = List.of(names.split(", ")).stream().sorted().toList();
    List<String> inserted = List.of(names.split(", "));
    for (String name : List.of("i8 i2 n f4 t v c u tz ts b jb by a e dom ip iv".split(" "))) {
      assertThat(log.values.get(sorted.indexOf(name))).isEqualTo(row[inserted.indexOf(name)]);
    }
    assertThat(log.values.get(sorted.indexOf("d")))
        .isEqualTo(Instant.parse("2024-02-29T00:00:00Z"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}"})
  void questionMarksCastsAndLiteralsStayWhatTheyAre(String options) throws Exception {
    Plan plan =
        SqlPlans.plan(
            Isolation.NONE,
            "SELECT '{\"a\": 1}'::jsonb ? :key AS has, 'a?:b' AS literal, (ARRAY[4,5,6])[2:3] AS"
                + " cut",
            SqlPlans.wants("has", "literal", "cut"));
    open(options).run(plan, new Object[] {"a", null}, log, log);
    assertThat(log.values).containsExactly("{5,6}", true, "a?:b");
  }

  @Test
  void anIntegerBeyondTheColumnIsTheServersToJudge() throws Exception {
    accounts();
    StatementStore store = open("{}");
    Plan insert = SqlPlans.plan(Isolation.NONE, "INSERT INTO account (id) VALUES (:id)");
    CallFailure refused = failureOf(() -> store.run(insert, new Object[] {1L << 40}, log, log));
    assertThat(refused.kind()).isEqualTo("sqlstate-22003");
    assertThat(refused.effectExcluded()).isTrue();

    log.all.clear();
    Plan find = SqlPlans.plan(Isolation.NONE, "SELECT id FROM account WHERE id = :id");
    store.run(find, new Object[] {1L << 40}, log, log);
    assertThat(log.all).endsWith("0 ended 0");
  }

  @ParameterizedTest
  @CsvSource({
    "NONE, read committed",
    "DEFAULT, read committed",
    "READ_COMMITTED, read committed",
    "REPEATABLE_READ, repeatable read",
    "SERIALIZABLE, serializable"
  })
  void aTransactionHasItsIsolation(Isolation isolation, String level) throws Exception {
    for (String options : List.of("{}", "{'statements': 'simple'}", "{'fetch-size': '2'}")) {
      SqlPlans.Log one = new SqlPlans.Log();
      Plan plan =
          SqlPlans.plan(
              isolation,
              "SELECT current_setting('transaction_isolation') AS level, :n::int AS n FROM"
                  + " generate_series(1, 3); SELECT current_setting('transaction_isolation') AS l",
              SqlPlans.wants("level"),
              SqlPlans.wants("l"));
      try (Target opened = database.open(options)) {
        target = opened;
        StatementStore store = opened.port(StatementStore.class);
        store.run(plan, new Object[] {5L, null}, one, one);
        store.run(plan, new Object[] {5L, null}, one, one);
      }
      assertThat(one.values).hasSize(8).containsOnly(level);
    }
  }

  /** Mutation: the pool does not reset it. The pool has fewer connections than there are calls. */
  @Test
  void anIsolationDoesNotStayWithTheConnection() throws Exception {
    StatementStore store = open("{}");
    for (Isolation isolation : List.of(Isolation.SERIALIZABLE, Isolation.DEFAULT)) {
      Plan plan =
          SqlPlans.plan(
              isolation,
              "SELECT current_setting('transaction_isolation') AS level",
              SqlPlans.wants("level"));
      for (int call = 0; call < 4; call++) {
        store.run(plan, new Object[] {}, log, log);
      }
    }
    assertThat(log.values.subList(0, 4)).containsOnly("serializable");
    assertThat(log.values.subList(4, 8)).containsOnly("read committed");
  }

  @Test
  void capturedValuesGoToLaterStatements() throws Exception {
    accounts();
    Plan plan =
        SqlPlans.plan(
            Isolation.READ_COMMITTED,
            "SELECT balance, name FROM account WHERE id = :id FOR UPDATE;\n"
                + "UPDATE account SET balance = :balance + :more, name = :name WHERE id = :id + 1",
            new Step(-1, Long.MAX_VALUE, Map.of(), Map.of("balance", "balance", "name", "name")),
            Step.ANY);
    assertThat(plan.arguments()).containsExactly("id", "more");
    open("{}").run(plan, new Object[] {1L, new BigDecimal("0.25")}, log, log);
    assertThat(log.all)
        .containsExactly(
            "begin", "connected", "found", "0 row [10.50, a]", "0 ended 1", "1 ended 1");
    assertThat(database.ask("SELECT * FROM account WHERE id = 2")).containsExactly("2 10.75 a");
  }

  @Test
  void theSearchEndsWithTheFirstOfTheLastRows() throws Exception {
    accounts();
    Plan mixed =
        SqlPlans.plan(Isolation.DEFAULT, "SELECT 1; UPDATE account SET name = 'x'; SELECT 2");
    open("{}").run(mixed, new Object[] {}, log, log);
    assertThat(String.join(", ", log.all))
        .isEqualTo("begin, connected, 0 row [], 0 ended 1, 1 ended 3, found, 2 row [], 2 ended 1");
  }

  /** Where the server cannot tell a type, or takes the place for text, values have their own. */
  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}"})
  void parametersWithoutATypeHaveThatOfTheirValues(String options) throws Exception {
    Plan plan =
        SqlPlans.plan(
            Isolation.NONE,
            "SELECT :a + :b AS sum, :a AS alone, :t || 'x' AS text, :t AS word",
            SqlPlans.wants("sum", "alone", "text", "word"));
    open(options).run(plan, new Object[] {2L, new BigDecimal("0.5"), "w", null}, log, log);
    assertThat(log.values).containsExactly(2L, new BigDecimal("2.5"), "wx", "w");
  }

  /** To open them would stand among the latencies of the first calls. */
  @Test
  void aGeneratorOpensItsConnectionsBeforeTheFirstCall() {
    open("{}");
    assertThat(connections()).containsExactly("2");
  }

  /** It asks for the port as well, to know the system. */
  @Test
  void aControllerOpensNone() {
    Session session = new Session("test", 2, Duration.ofSeconds(5)).asController();
    target = database.open("{}", session);
    assertThat(target.port(StatementStore.class).system()).isEqualTo("postgresql");
    assertThat(connections()).containsExactly("0");
  }

  private List<String> connections() {
    return database.ask(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            + " AND application_name LIKE 'shardload%'");
  }

  @Test
  void theServerIsNamed() {
    assertThat(open("{}").system()).isEqualTo("postgresql");
    assertThat(TestDatabases.driver("postgresql").systems())
        .extracting(StatementSystem::name)
        .containsExactly("citus", "postgresql");
  }

  private StatementBaseline openBaseline(String options) {
    target = database.open(options);
    return target.port(StatementBaseline.class);
  }

  // The plain loop does to a real PostgreSQL what the harness does.

  @Test
  void everyTypeGoesAndComesBackAsInTheHarness() throws CallFailure {
    database.execute(
        "CREATE TABLE kinds (i2 int2, i4 int4, i8 int8, n numeric, f4 float4, f8 float8, t text,"
            + " u uuid, tz timestamptz, ts timestamp, d date, b boolean, j jsonb)");
    JsonObject json = new JsonObject();
    json.addProperty("a", 1);
    Object[] values = {
      7L,
      new BigDecimal("2.5"),
      "text",
      new UUID(1, 2),
      Instant.ofEpochMilli(1_700_000_000_000L),
      true,
      json
    };
    StatementBaseline plain = openBaseline("{}");
    Plan plan = plan(Isolation.NONE, VALUES);
    assertThat(plain.lacks(plan)).isEmpty();
    target.port(StatementStore.class).run(plan, values, Answers.IGNORED, Phases.NONE);
    plain.prepare(plan, values).run();
    assertThat(database.ask("SELECT count(*) FROM kinds GROUP BY kinds.*")).containsExactly("2");
    plain.prepare(plan, new Object[7]).run();
    assertThat(database.ask("SELECT count(*) FROM kinds WHERE kinds IS NULL")).containsExactly("1");
  }

  @Test
  void aTransactionIsOneAndCapturesTravel() throws CallFailure {
    database.execute(
        "CREATE TABLE account (aid int PRIMARY KEY, abalance int);"
            + " CREATE TABLE history (aid int, abalance int, xid bigint, level text);"
            + " INSERT INTO account VALUES (1, 5), (2, 6)");
    Plan plan =
        plan(
            Isolation.REPEATABLE_READ,
            """
            UPDATE account SET abalance = abalance + 10 WHERE aid = :aid;
            SELECT abalance FROM account WHERE aid = :aid;
            INSERT INTO history
            VALUES (:aid, :seen, txid_current(), current_setting('transaction_isolation'))
            """,
            Step.ANY,
            captures("seen", "abalance"),
            Step.ANY);
    StatementBaseline.Call call = openBaseline("{}").prepare(plan, new Object[] {2L});
    call.run();
    call.run();
    assertThat(database.ask("SELECT abalance || ' ' || level FROM history ORDER BY abalance"))
        .containsExactly("16 repeatable read", "26 repeatable read");
    assertThat(database.ask("SELECT count(DISTINCT xid) FROM history")).containsExactly("2");
  }

  @Test
  void aWrongNumberOfRowsEndsTheLoopAndAFailureLeavesNothing() throws CallFailure {
    database.execute("CREATE TABLE account (aid int PRIMARY KEY); INSERT INTO account VALUES (1)");
    StatementBaseline plain = openBaseline("{'fetch-size': 50}");
    Plan one =
        plan(
            Isolation.NONE,
            "SELECT aid FROM account WHERE aid = :aid",
            new Step(1, 1, Map.of(), Map.of()));
    plain.prepare(one, new Object[] {1L}).run();
    StatementBaseline.Call missing = plain.prepare(one, new Object[] {2L});
    assertThat(failureOf(missing::run).kind()).isEqualTo(Answers.WRONG_ROW);
    Plan twice =
        plan(Isolation.DEFAULT, "INSERT INTO account VALUES (:a); INSERT INTO account VALUES (:a)");
    StatementBaseline.Call failing = plain.prepare(twice, new Object[] {3L});
    assertThat(failureOf(failing::run).kind()).isEqualTo("duplicate-key");
    assertThat(database.ask("SELECT aid FROM account")).isEqualTo(List.of("1"));
  }
}
