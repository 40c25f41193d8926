package io.shardload.driver.postgresql.statements;

import static io.shardload.driver.Caught.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.driver.Makings;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Making, filling and asking tables of any shape, on a real server. */
class StatementTablesTest {
  private static final String SHOP =
      """
      CREATE TABLE customer (id int PRIMARY KEY, name text);
      CREATE TABLE "order" (id int PRIMARY KEY, customer int REFERENCES customer);
      CREATE INDEX ON "order" (customer)\
      """;

  private final Database database = TestDatabases.fresh();
  @AutoClose private Target target;

  private StatementAdmin open(String options) {
    target = database.open(options);
    return target.port(StatementAdmin.class);
  }

  @Test
  void tablesAreMadeDroppedAndMadeAgain() throws Exception {
    StatementAdmin admin = open("{}");
    List<String> tables = List.of("order", "customer", "public.customer", "missing");
    assertThat(admin.present(tables)).isEmpty();
    admin.createTables(SqlPlans.statements(SHOP), Making.UNRECORDED);
    assertThat(admin.present(tables)).containsExactly("order", "customer", "public.customer");

    database.execute("INSERT INTO customer VALUES (1, 'a'); INSERT INTO \"order\" VALUES (1, 1)");
    admin.createTables(SqlPlans.statements(SHOP), Makings.again(target, "order", "customer"));
    assertThat(admin.count("order")).isZero();
  }

  @Test
  void whatASchemaMakesBesideTablesGoesWithThem() throws Exception {
    String schema =
        """
        CREATE TYPE mood AS ENUM ('good', 'bad');
        CREATE DOMAIN price AS numeric CHECK (VALUE >= 0);
        CREATE TYPE "Pair" AS (a int, b mood);
        CREATE SEQUENCE numbers;
        CREATE FUNCTION worse(mood) RETURNS mood LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE TABLE customer (id serial PRIMARY KEY, of int DEFAULT nextval('numbers'),
          feels mood, pays price, pair "Pair", others mood[],
          worse mood GENERATED ALWAYS AS (worse(feels)) STORED);
        CREATE VIEW happy AS SELECT id FROM customer WHERE feels = 'good';
        CREATE MATERIALIZED VIEW kept AS SELECT id FROM happy\
        """;
    StatementAdmin admin = open("{}");
    database.execute("CREATE TYPE other AS ENUM ('a')");
    List<DataObject> made = new ArrayList<>();
    admin.createTables(SqlPlans.statements(schema), Makings.noting(List.of(), made));
    for (int again = 0; again < 2; again++) {
      database.execute("INSERT INTO customer (feels, pays) VALUES ('bad', 1)");
      List<DataObject> before = List.copyOf(made);
      made.clear();
      admin.createTables(SqlPlans.statements(schema), Makings.noting(before, made));
      assertThat(admin.count("customer")).isZero();
    }
    assertThat(database.ask("SELECT typname FROM pg_type WHERE typname = 'other'"))
        .as("what the file does not make stays")
        .containsExactly("other");
  }

  @Test
  void aSchemaThatIsRefusedLeavesWhatWasThere() throws Exception {
    StatementAdmin admin = open("{}");
    admin.createTables(SqlPlans.statements(SHOP), Making.UNRECORDED);
    database.execute("INSERT INTO customer VALUES (1, 'a')");
    CallFailure failure =
        failureOf(
            () ->
                admin.createTables(
                    SqlPlans.statements(SHOP + ";\n\nCREATE TABLE x (id\n  nonsense)"),
                    Makings.again(target, "order", "customer")));
    assertThat(failure).hasMessage(SqlPlans.FILE + ":6: type \"nonsense\" does not exist");
    assertThat(admin.count("customer")).isEqualTo(1);
  }

  @Test
  void makingTablesMayTakeLongerThanATransaction() throws Exception {
    target = database.open("{}", new Session("test", 1, Duration.ofMillis(100)));
    StatementAdmin admin = target.port(StatementAdmin.class);
    admin.createTables(
        SqlPlans.statements("CREATE TABLE t AS SELECT 1 AS id FROM pg_sleep(0.3)"),
        Making.UNRECORDED);
    assertThat(admin.present(List.of("t"))).containsExactly("t");
  }

  private static final List<ValueType> TYPES =
      List.of(
          ValueType.INTEGER,
          ValueType.TEXT,
          ValueType.DECIMAL,
          ValueType.UUID,
          ValueType.TIMESTAMP,
          ValueType.TIMESTAMP,
          ValueType.BOOLEAN,
          ValueType.JSON);
  private static final List<String> COLUMNS = List.of("id", "t", "n", "u", "tz", "d", "b", "j");

  private static Object[] row(long number) {
    return new Object[] {
      number,
      number == 1 ? "tab\tback\\slash\nnew\r \"q\" \\N ä😀" : number == 2 ? "" : "t" + number,
      number == 1 ? new BigDecimal("1E+3") : null,
      new UUID(0, number),
      Instant.ofEpochMilli(number),
      Instant.parse("2024-02-29T23:00:00Z"),
      number % 2 == 0,
      com.google.gson.JsonParser.parseString("{\"k\":\"a\\nb\"}")
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}"})
  void rowsAreLoadedAsTheyAre(String options) throws Exception {
    StatementAdmin admin = open(options);
    database.execute(
        "CREATE TABLE t (id int, t text, n numeric, u uuid, tz timestamptz, d date, b bool, j"
            + " jsonb)");
    TableRows rows = SqlPlans.rows("t", COLUMNS, TYPES, StatementTablesTest::row);
    List<Long> progress = Collections.synchronizedList(new ArrayList<>());
    admin.load(rows, 1, 12_345, progress::add);

    assertThat(database.ask("SELECT count(*), count(DISTINCT id), min(id), max(id) FROM t"))
        .containsExactly("12344 12344 1 12344");
    assertThat(
            database.ask(
                "SELECT t = E'tab\\tback\\\\slash\\nnew\\r \"q\" \\\\N ä😀' FROM t WHERE id = 1"))
        .containsExactly("t");
    assertThat(
            database.ask(
                "SELECT n, u, tz = '1970-01-01 00:00:00.001Z', d, b, j FROM t WHERE id = 1"))
        .containsExactly(
            "1000 00000000-0000-0000-0000-000000000001 t 2024-02-29 f {\"k\": \"a\\nb\"}");
    assertThat(database.ask("SELECT t = '', n IS NULL FROM t WHERE id = 2")).containsExactly("t t");
    assertThat(progress).isSorted().endsWith(12_344L);
    assertThat(admin.count("t")).isEqualTo(12_344);
  }

  @Test
  void aLoadThatIsRefusedSaysWhy() throws Exception {
    StatementAdmin admin = open("{}");
    database.execute("CREATE TABLE t (id int PRIMARY KEY)");
    TableRows rows =
        SqlPlans.rows(
            "t", List.of("id"), List.of(ValueType.INTEGER), n -> new Object[] {n % 9_000});
    CallFailure failure = failureOf(() -> admin.load(rows, 0, 20_000, n -> {}));
    assertThat(failure.kind()).isEqualTo(CallFailure.DUPLICATE_KEY);
    assertThat(failure).hasMessageStartingWith("table t: ERROR: duplicate key");
    admin.empty("t");
    assertThat(admin.count("t")).isZero();
  }

  /** Mutations: every failure is taken for an existing row; existing rows are written over. */
  @Test
  void aLoadIsContinuedWithoutTheRowsThatAreThere() throws Exception {
    StatementAdmin admin = open("{}");
    TableRows rows =
        SqlPlans.rows(
            "t",
            List.of("id", "n"),
            List.of(ValueType.INTEGER, ValueType.INTEGER),
            i -> new Object[] {i, i});
    database.execute("CREATE TABLE t (n bigint CHECK (n < 30000), id int)");
    assertThat(admin.refusesCopies(rows)).isFalse();
    database.execute("ALTER TABLE t ADD PRIMARY KEY (id)");
    assertThat(admin.refusesCopies(rows)).isTrue();
    database.execute("INSERT INTO t VALUES (-1, 7), (-1, 12001)");
    admin.load(rows, 0, 20_000, true, n -> {});
    assertThat(database.ask("SELECT count(*), min(n), max(n), sum(n) FROM t"))
        .containsExactly("20000 -1 19999 " + (19_999L * 10_000 - 7 - 12_001 - 2));
    assertThat(failureOf(() -> admin.load(rows, 29_000, 31_000, true, n -> {})))
        .hasMessageContaining("violates check constraint");
  }

  /** A key with a column that the server fills in refuses no copy. */
  @Test
  void aKeyOfTheServerRefusesNoCopy() throws Exception {
    StatementAdmin admin = open("{}");
    TableRows rows =
        SqlPlans.rows("t", List.of("id"), List.of(ValueType.INTEGER), n -> new Object[] {n});
    database.execute("CREATE TABLE t (id int, made serial, PRIMARY KEY (id, made))");
    assertThat(admin.refusesCopies(rows)).isFalse();
  }

  @Test
  void aTableThatOthersReferToIsEmptied() throws Exception {
    StatementAdmin admin = open("{}");
    admin.createTables(SqlPlans.statements(SHOP), Making.UNRECORDED);
    database.execute("INSERT INTO customer VALUES (1, 'a')");
    admin.empty("customer");
    assertThat(admin.count("customer")).isZero();
  }

  @Test
  void estimatesAreThoseOfAnalyze() throws Exception {
    StatementAdmin admin = open("{}");
    database.execute(
        "CREATE TABLE t (id int); CREATE INDEX t_id ON t (id);"
            + " INSERT INTO t SELECT generate_series(1, 500)");
    assertThat(admin.estimate("t")).isEmpty();
    admin.finishLoad(List.of("t"), Progress.UNHEARD);
    assertThat(admin.estimate("t")).hasValue(500);
    assertThat(admin.storage(List.of("t")).toString())
        .contains("table=t", "documents=500", "node=the server", "t_id");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}"})
  void questionsAreAnsweredInPart(String options) throws Exception {
    StatementAdmin admin = open(options);
    StatementAdmin.Answer answer =
        admin.ask(
            SqlPlans.statements(
                    "SELECT n AS a, n + :done_x AS a, 'x' AS b FROM generate_series(1, 2500) n")
                .get(0),
            Map.of("done_x", 7L),
            2);
    assertThat(answer.count()).isEqualTo(2500);
    assertThat(answer.rows())
        .extracting(Object::toString)
        .containsExactly("{a=1, a (2)=8, b=x}", "{a=2, a (2)=9, b=x}");
  }

  @Test
  void aQuestionCannotWrite() {
    StatementAdmin admin = open("{}");
    database.execute(
        "CREATE TABLE t (id int); CREATE FUNCTION f() RETURNS int LANGUAGE sql"
            + " AS 'INSERT INTO t VALUES (1) RETURNING id'");
    CallFailure failure =
        failureOf(() -> admin.ask(SqlPlans.statements("SELECT f()").get(0), Map.of(), 10));
    assertThat(failure.kind()).isEqualTo("read-only");
    assertThat(database.ask("SELECT count(*) FROM t")).containsExactly("0");
  }

  private static final String TEN_THOUSAND =
      "CREATE TABLE t (id int PRIMARY KEY, name text, note text);"
          + " INSERT INTO t SELECT n, 'n' || n, 'it''s' FROM generate_series(1, 10000) n;"
          + " ANALYZE t";

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}"})
  void plansAreExplainedAndNothingIsExecuted(String options) throws Exception {
    database.execute(TEN_THOUSAND);
    StatementAdmin admin = open(options);
    Plan byKey = SqlPlans.plan(Isolation.NONE, "SELECT * FROM t WHERE id = :id");
    Map<String, Object> explained = admin.explain(byKey, new Object[] {5L}, Optional.empty());
    assertThat(explained)
        .containsEntry("access", "index")
        .containsEntry("indexes", List.of("t_pkey"))
        .containsEntry("shards", "not sharded")
        .containsEntry("kind", options.equals("{}") ? "generic" : "custom")
        .containsEntry("estimated_rows", 1L);
    Plan several =
        SqlPlans.plan(
            Isolation.DEFAULT,
            "DELETE FROM t WHERE id = :id; SELECT 1 FROM t WHERE note = :note AND name = :name",
            SqlPlans.captures("name", "name"),
            io.shardload.workload.statements.port.Step.ANY);
    assertThat(admin.explain(several, new Object[] {5L, "it's \\ x"}, Optional.empty()))
        .containsEntry("access", "full-scan");
    assertThat(admin.count("t")).isEqualTo(10_000);
  }

  /** Mutation: an array gets the text of JSON. */
  @Test
  void listsFillArraysAndJson() throws Exception {
    database.execute("CREATE TABLE t (id int, tags text[], counts int[], j jsonb)");
    String list = "[\"go\",\"a,\\\"b\\\\\",null]";
    TableRows rows =
        SqlPlans.rows(
            "t",
            List.of("id", "tags", "counts", "j"),
            List.of(ValueType.INTEGER, ValueType.LIST, ValueType.LIST, ValueType.LIST),
            number ->
                new Object[] {
                  number,
                  JsonParser.parseString(list),
                  JsonParser.parseString("[3,-4]"),
                  number == 0 ? null : JsonParser.parseString(list)
                });
    StatementAdmin admin = open("{}");
    assertThat(admin.check(List.of(), List.of(rows), List.of(), Map.of(), List.of())).isEmpty();
    admin.load(rows, 0, 2, unused -> {});
    assertThat(
            database.ask(
                "SELECT count(*) FROM t WHERE tags = ARRAY['go', E'a,\"b\\\\', NULL] AND counts = '{3,-4}'"
                    + " AND (id = 0 AND j IS NULL OR id = 1 AND j->>1 = E'a,\"b\\\\')"))
        .containsExactly("2");
  }

  private static final String BLOG =
      "CREATE TABLE tags (id int, name text); INSERT INTO tags SELECT n, 't' || n FROM"
          + " generate_series(1, 5) n;"
          + " CREATE SCHEMA app; CREATE TABLE app.posts (id int PRIMARY KEY, at int, tag int);"
          + " INSERT INTO app.posts SELECT n, n * 7919 %% 10000, n %% 5 FROM generate_series(1, 10000) n;"
              .replace("%%", "%")
          + " CREATE INDEX ON app.posts (at); ANALYZE tags; ANALYZE app.posts";

  /** Of each table, in each plan: an index, a limit and a small table read few rows. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT * FROM app.posts ORDER BY at DESC LIMIT 10 | index | {posts=10}",
        "SELECT * FROM app.posts ORDER BY at DESC LIMIT 10 OFFSET 5000 | index | {posts=5010}",
        "SELECT * FROM app.posts p JOIN tags t ON t.id = p.tag WHERE p.id = 7 | full-scan |"
            + " {tags=5}",
        "SELECT * FROM app.posts LIMIT 20 | full-scan | {posts=20}",
        "SELECT * FROM app.posts ORDER BY id + at LIMIT 10 | full-scan | {posts=10000}",
        "SELECT * FROM app.posts WHERE id + at = -1 | full-scan | {posts=10000}",
        "SELECT count(*) FROM app.posts p JOIN tags t ON t.id = p.tag | full-scan | {posts=10000,"
            + " tags=5}",
        "SELECT * FROM app.posts WHERE id = 7 | index | {}",
      })
  void whatAPlanReadsWithoutAnIndexIsCountedByTable(String sql, String access, String scans)
      throws Exception {
    database.execute(BLOG);
    StatementAdmin admin = open("{}");
    Map<String, Object> explained =
        admin.explain(SqlPlans.plan(Isolation.NONE, sql), new Object[] {}, Optional.empty());
    assertThat(explained.get("scans")).as("%s", explained).hasToString(scans);
    assertThat(explained).containsEntry("access", access);
  }
}
