package io.shardload.driver.postgresql.statements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.shardload.driver.Makings;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementAdmin.Answer;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tables of folders on a real PostgreSQL: made, checked, loaded and asked. */
class PostgresqlStatementAdminTest {
  private static final String SCHEMA =
      """
      CREATE TABLE orders (
        id bigint PRIMARY KEY,
        customer int,
        amount numeric
      );
      CREATE INDEX orders_customer ON orders (customer);
      CREATE TABLE log (at timestamptz);
      """;

  private static final List<TableRows> TABLES =
      List.of(
          new Sql.Made(
              "orders",
              List.of("id", "customer", "amount"),
              List.of(ValueType.INTEGER, ValueType.INTEGER, ValueType.DECIMAL),
              n -> new Object[] {n, n % 7, new BigDecimal(n).movePointLeft(2)}),
          new Sql.Made("log", List.of(), List.of(), n -> new Object[] {}));

  private final Database database = TestDatabases.fresh();
  private final Target target = database.open("{}");
  private final StatementAdmin admin = target.port(StatementAdmin.class);

  @AfterEach
  void close() {
    target.close();
  }

  private List<String> problems(
      String schema, List<TableRows> tables, Map<String, ValueType> types, Plan... plans)
      throws CallFailure {
    return admin
        .check(schema.isEmpty() ? List.of() : Sql.schema(schema), tables, List.of(plans), types)
        .stream()
        .map(Problem::toString)
        .toList();
  }

  private static Plan plan(String sql, String... arguments) {
    return Sql.plan(sql, Isolation.NONE, List.of(arguments));
  }

  @Test
  void tablesAreMadeAndDroppedTogether() throws CallFailure {
    assertThat(admin.present(List.of("orders", "log"))).isEmpty();
    admin.createTables(Sql.schema(SCHEMA), Making.UNRECORDED);
    assertThat(admin.present(List.of("orders", "nothing", "log"))).containsExactly("orders", "log");
    database.execute("INSERT INTO log VALUES (now())");
    admin.createTables(Sql.schema(SCHEMA), Makings.again(target, "orders", "log"));
    assertThat(admin.count("log")).isZero();

    assertThatThrownBy(
            () ->
                admin.createTables(
                    Sql.schema("CREATE TABLE a (b int); SELECT 1 / 0"), Making.UNRECORDED))
        .isInstanceOf(CallFailure.class);
    assertThat(admin.present(List.of("a"))).isEmpty();
  }

  @Test
  void whatIsRightHasNoProblems() throws CallFailure {
    assertThat(
            problems(
                SCHEMA,
                TABLES,
                Map.of("id", ValueType.INTEGER, "amount", ValueType.DECIMAL),
                plan("SELECT * FROM orders WHERE id = :id", "id"),
                plan("INSERT INTO orders VALUES (:id, 1, :amount)", "id", "amount"),
                plan(
                    "SELECT :amount, :id + :id FROM orders HAVING count(*) > :id + :id",
                    "id",
                    "amount"),
                plan("INSERT INTO log VALUES (now())")))
        .isEmpty();
    assertThat(database.ask("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'shardload%'"))
        .isEmpty();
    assertThat(admin.present(List.of("orders"))).isEmpty();
  }

  @Test
  void everythingThatIsWrongIsNamedWithItsLine() throws CallFailure {
    assertThat(
            problems(
                SCHEMA,
                TABLES,
                Map.of("id", ValueType.TEXT, "amount", ValueType.DECIMAL),
                plan("SELECT *\nFROM order_items"),
                plan("SELECT\n  custmer FROM orders"),
                plan("SELECT * FROM orders WHERE id = :id", "id"),
                plan("UPDATE orders SET customer = :amount", "amount"),
                plan("SELECT concat(customer) = :amount FROM orders", "amount"),
                Sql.plan("SELECT id FROM orders", Isolation.NONE, List.of(), Sql.wanted("ids")),
                Sql.plan("DELETE FROM log", Isolation.NONE, List.of(), Sql.wanted("at"))))
        .containsExactly(
            "t.sql:2: relation \"order_items\" does not exist",
            "t.sql:2: column \"custmer\" does not exist; Perhaps you meant to reference the column"
                + " \"orders.customer\".",
            "t.sql:1: parameter id is text, but the server expects bigint here;"
                + " CAST(CAST(:id AS text) AS bigint) converts it",
            "t.sql:1: parameter amount is decimal, but the server expects integer here;"
                + " CAST(:amount AS numeric) converts it",
            "t.sql:1: operator does not exist: text = numeric; No operator matches the given name and"
                + " argument types. You might need to add explicit type casts.",
            "t.sql:1: unknown column \"ids\"; did you mean \"id\"?",
            "t.sql:1: returns no rows, so it has no column \"at\"; add RETURNING to return rows");
  }

  @Test
  void tablesAndSchemaHaveToAgree() throws CallFailure {
    List<TableRows> tables =
        List.of(
            new Sql.Made(
                "orders",
                List.of("id", "custmer", "amount"),
                List.of(ValueType.UUID, ValueType.INTEGER, ValueType.DECIMAL),
                n -> new Object[] {}),
            new Sql.Made("items", List.of(), List.of(), n -> new Object[] {}));
    assertThat(problems(SCHEMA, tables, Map.of()))
        .containsExactly(
            "schema.sql:1: does not create table \"items\", which workload.data.tables names",
            "schema.sql:7: creates table \"log\", which workload.data.tables does not name",
            "workload.yml:1: table orders: column id is uuid, but on the server it is bigint",
            "workload.yml:1: table orders: unknown column \"custmer\"; did you mean \"customer\"?");
    assertThat(problems("CREATE TABLE a (\n  b nonsense)", TABLES, Map.of()))
        .containsExactly("schema.sql:2: type \"nonsense\" does not exist");
  }

  @Test
  void rowsAreLoadedInAnyNumberAndAreThoseOfTheirNumbers() throws CallFailure {
    admin.createTables(Sql.schema(SCHEMA), Making.UNRECORDED);
    List<Long> told = new ArrayList<>();
    admin.load(TABLES.get(0), 0, 12_345, told::add);
    assertThat(told).last().isEqualTo(12_345L);
    assertThat(told).isSorted();
    admin.load(TABLES.get(0), 12_345, 12_346, told::add);
    assertThat(database.ask("SELECT count(*), sum(id), sum(customer), sum(amount) FROM orders"))
        .containsExactly("12346 76205685 37033 762056.85");
    admin.finishLoad(List.of("orders", "log"));
    assertThat(admin.estimate("orders")).hasValue(12_346);
    assertThat(admin.count("orders")).isEqualTo(12_346);
    admin.empty("orders");
    assertThat(admin.count("orders")).isZero();
    assertThat(admin.storage(List.of("orders")).get("index_bytes").toString())
        .contains("orders_customer", "orders_pkey");
  }

  @Test
  void everyTypeArrivesWithSpecialCharacters() throws CallFailure {
    database.execute("CREATE TABLE t (a text, b jsonb, c timestamptz, d bool, e uuid, f text)");
    String text = "tab\t line\n return\r back\\slash \\N é 'q' \"q\"";
    TableRows rows =
        new Sql.Made(
            "t",
            List.of("a", "b", "c", "d", "e", "f"),
            List.of(
                ValueType.TEXT,
                ValueType.JSON,
                ValueType.TIMESTAMP,
                ValueType.BOOLEAN,
                ValueType.UUID,
                ValueType.TEXT),
            n ->
                new Object[] {
                  text,
                  JsonParser.parseString("{\"k\": \"\\n\\\\\"}"),
                  Instant.parse("2026-01-02T03:04:05.678Z"),
                  false,
                  new UUID(0, n),
                  null
                });
    admin.load(rows, 5, 6, n -> {});
    Answer answer = admin.ask(Sql.statements("SELECT * FROM t").get(0), Map.of(), 10);
    assertThat(answer.rows().get(0).values())
        .containsExactly(
            text,
            JsonParser.parseString("{\"k\": \"\\n\\\\\"}"),
            Instant.parse("2026-01-02T03:04:05.678Z"),
            false,
            new UUID(0, 5),
            null);
  }

  @Test
  void aFailureOfTheLoadIsTheServers() {
    database.execute("CREATE TABLE orders (id bigint PRIMARY KEY, customer int, amount int)");
    assertThatThrownBy(() -> admin.load(TABLES.get(0), 0, 10, n -> {}))
        .isInstanceOf(CallFailure.class)
        .hasMessageContaining("invalid input syntax for type integer");
  }

  @Test
  void anAnswerHasTheFirstRowsAndCountsThemAll() throws CallFailure {
    Answer answer =
        admin.ask(
            Sql.statements("SELECT n, n * :k AS m FROM generate_series(1, 2500) AS n").get(0),
            Map.of("k", 2L),
            2);
    assertThat(answer.count()).isEqualTo(2_500);
    assertThat(answer.rows()).containsExactly(Map.of("n", 1L, "m", 2L), Map.of("n", 2L, "m", 4L));
    assertThatThrownBy(() -> admin.ask(Sql.statements("SELECT lo_create(0)").get(0), Map.of(), 1))
        .isInstanceOf(CallFailure.class)
        .hasMessageContaining("read-only transaction");
  }

  @Test
  void plansAreExplainedAndNotRun() throws CallFailure {
    admin.createTables(Sql.schema(SCHEMA), Making.UNRECORDED);
    admin.load(TABLES.get(0), 0, 5_000, n -> {});
    admin.finishLoad(List.of("orders"));
    Map<String, Object> point =
        admin.explain(plan("SELECT * FROM orders WHERE id = :id", "id"), new Object[] {7L});
    assertThat(point)
        .containsEntry("access", "index")
        .containsEntry("indexes", List.of("orders_pkey"))
        .containsEntry("shards", "not sharded");
    Map<String, Object> scan =
        admin.explain(
            plan("DELETE FROM orders WHERE amount = :a", "a"), new Object[] {BigDecimal.ONE});
    assertThat(scan).containsEntry("access", "full-scan");
    assertThat(admin.count("orders")).isEqualTo(5_000);
  }

  @Test
  void operatorsWithQuestionMarksAreNoParameters() throws CallFailure {
    Plan plan =
        Sql.plan(
            "SELECT '{\"a\": 1}'::jsonb ? :key AS there, '?' AS mark",
            Isolation.NONE,
            List.of("key"),
            Sql.wanted("there", "mark"));
    Sql.Heard heard = new Sql.Heard();
    target.port(StatementStore.class).run(plan, new Object[] {"a"}, heard, Phases.NONE);
    assertThat(heard.lines).containsExactly("0: [?, true]", "0 ended 1");
  }
}
