package io.shardload.driver.postgresql.statements;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a real server finds wrong with statements and tables; it keeps nothing of the check. */
class StatementCheckTest {
  private static final String SCHEMA =
      "CREATE TYPE mood AS ENUM ('sad');\n"
          + "CREATE TABLE customer (id int PRIMARY KEY, name text NOT NULL, mood mood,"
          + " j jsonb, since timestamptz, balance numeric);\n"
          + "CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY, customer int);\n"
          + "CREATE INDEX ON customer (name)";
  private static final Map<String, ValueType> PARAMETERS =
      Map.of(
          "customer", ValueType.INTEGER,
          "amount", ValueType.DECIMAL,
          "name", ValueType.TEXT,
          "key", ValueType.UUID,
          "now", ValueType.TIMESTAMP,
          "flag", ValueType.BOOLEAN,
          "doc", ValueType.JSON);
  private static final TableRows CUSTOMERS =
      SqlPlans.rows(
          "customer",
          List.of("id", "name", "mood"),
          List.of(ValueType.INTEGER, ValueType.TEXT, ValueType.TEXT),
          n -> new Object[0]);
  private static final TableRows ORDERS =
      SqlPlans.rows("orders", List.of(), List.of(), n -> new Object[0]);
  private static final List<TableRows> TABLES = List.of(CUSTOMERS, ORDERS);
  private static final String EVERYTHING =
      "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'shardload%'"
          + " UNION ALL SELECT relname FROM pg_class WHERE relname IN ('customer', 'orders')"
          + " UNION ALL SELECT typname FROM pg_type WHERE typname = 'mood'";

  private final Database database = TestDatabases.fresh();
  @AutoClose private final Target target = database.open("{}");

  private List<String> check(String schema, List<TableRows> tables, Plan... plans)
      throws Exception {
    return check(target, schema, tables, plans);
  }

  private static List<String> check(
      Target target, String schema, List<TableRows> tables, Plan... plans) throws Exception {
    List<Statement> statements = schema.isEmpty() ? List.of() : SqlPlans.statements(schema);
    return target
        .port(StatementAdmin.class)
        .check(statements, tables, List.of(plans), PARAMETERS, List.of())
        .stream()
        .map(Problem::toString)
        .toList();
  }

  private List<String> checked(String sql) throws Exception {
    return check(SCHEMA, TABLES, SqlPlans.plan(Isolation.NONE, sql));
  }

  /** Another folder may have left a table there, which the next load would not create. */
  @Test
  void aTableThatTheSchemaFileDoesNotCreateIsNotSeen() throws Exception {
    database.execute(
        "CREATE TABLE left_behind (id int); CREATE TABLE \"Meant\" (id int);"
            + " CREATE VIEW customer AS SELECT 1 AS id; CREATE EXTENSION pgcrypto");
    String problem =
        "table public.left_behind exists, but the schema file does not create it; create it there,"
            + " or write public.left_behind in the statement";
    for (String wrong :
        List.of(
            "SELECT id FROM left_behind WHERE id = :customer",
            "SELECT gen_random_bytes(1) WHERE 1 IN (SELECT id FROM left_behind)",
            "INSERT INTO orders (customer) SELECT id FROM left_behind",
            "DELETE FROM left_behind")) {
      assertThat(checked(wrong)).as(wrong).singleElement().asString().endsWith(problem);
    }
    Plan right =
        SqlPlans.plan(
            Isolation.NONE,
            "SELECT c.id, gen_random_bytes(1) FROM customer c, public.\"Meant\" m,"
                + " pg_stat_activity; SELECT id FROM public . left_behind");
    assertThat(check(SCHEMA, TABLES, right)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}"})
  void whatIsRightIsNotRefusedAndLeavesNothing(String options) throws Exception {
    try (Target other = database.open(options)) {
      Plan plan =
          SqlPlans.plan(
              Isolation.SERIALIZABLE,
              "SELECT id, name FROM customer WHERE id = :customer AND j ? :name; INSERT INTO orders"
                  + " (customer) VALUES (:id) RETURNING id; UPDATE customer SET mood = :name, since"
                  + " = :now, balance = :customer, j = :doc",
              SqlPlans.captures("id", "id"),
              SqlPlans.wants("id"),
              io.shardload.workload.statements.port.Step.ANY);
      Plan typed =
          SqlPlans.plan(
              Isolation.NONE,
              "SELECT :amount, :customer + :customer FROM orders"
                  + " HAVING count(*) > :customer + :customer");
      assertThat(check(other, SCHEMA, TABLES, plan, typed)).isEmpty();
    }
    assertThat(database.ask(EVERYTHING)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT nme FROM customer|:1: column \"nme\" does not exist; Perhaps you meant to"
            + " reference the column \"customer.name\".",
        "SELECT 1;\\n\\nSELECT id\\nFROM custmer WHERE id = :customer|:4: relation \"custmer\" does"
            + " not exist",
        "SELECT id FROM customer WHERE|:1: syntax error at end of input",
        "UPDATE customer SET balance = :flag|:1: parameter flag is boolean, but the"
            + " server expects numeric here; give it another type in workload.yml",
        "SELECT 1 FROM customer\\nWHERE id = :customer\\nAND id = :amount|:3:"
            + " parameter amount is decimal, but the server expects integer here;"
            + " CAST(:amount AS numeric) converts it",
        "SELECT 1 FROM customer WHERE name = :customer|:1: operator does not exist: text = bigint;"
            + " No operator matches the given name and argument types. You might need to add"
            + " explicit type casts.",
        "SELECT 1 FROM customer WHERE since > :name|:1: parameter name is text, but"
            + " the server expects timestamptz here; CAST(CAST(:name AS text) AS"
            + " timestamptz) converts it",
        "UPDATE customer SET j = :name|:1: parameter name is text, but the server"
            + " expects jsonb here; CAST(CAST(:name AS text) AS jsonb) converts it"
      })
  void whatIsWrongHasItsLine(String sql, String problem) throws Exception {
    assertThat(checked(sql.replace("\\n", "\n"))).containsExactly(SqlPlans.FILE + problem);
    assertThat(database.ask(EVERYTHING)).isEmpty();
  }

  /** The folder's reader refuses these by their first word; the server refuses them as well. */
  @ParameterizedTest
  @ValueSource(
      strings = {"DROP TABLE customer", "DO 'BEGIN END'", "COPY customer TO STDOUT", "COMMIT"})
  void nothingButQueriesAndChangesIsPrepared(String sql) throws Exception {
    List<String> problems = checked(sql);
    assertThat(problems).hasSize(1);
    assertThat(problems.get(0)).contains("syntax error");
  }

  /** A sequence keeps its number even if the transaction is rolled back. */
  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}"})
  void nothingIsExecuted(String options) throws Exception {
    database.execute("CREATE SEQUENCE s");
    try (Target other = database.open(options)) {
      Plan plan = SqlPlans.plan(Isolation.NONE, "SELECT nextval('s')");
      assertThat(check(other, "", List.of(), plan)).isEmpty();
      other.port(StatementAdmin.class).explain(plan, new Object[0], Optional.empty());
    }
    assertThat(database.ask("SELECT last_value, is_called FROM s")).containsExactly("1 f");
  }

  @Test
  void allProblemsComeAtOnce() throws Exception {
    List<String> problems =
        check(
            SCHEMA,
            TABLES,
            SqlPlans.plan(Isolation.NONE, "SELECT a FROM customer"),
            SqlPlans.plan(Isolation.NONE, "SELECT b FROM customer"),
            SqlPlans.plan(Isolation.NONE, "SELECT id FROM customer", SqlPlans.wants("ids")),
            SqlPlans.plan(Isolation.NONE, "DELETE FROM customer", SqlPlans.wants("id")),
            SqlPlans.plan(
                Isolation.NONE,
                "SELECT name FROM customer",
                new io.shardload.workload.statements.port.Step(
                    -1, 1, Map.of("name", "customer"), Map.of())));
    assertThat(problems)
        .containsExactly(
            SqlPlans.FILE + ":1: column \"a\" does not exist",
            SqlPlans.FILE + ":1: column \"b\" does not exist",
            SqlPlans.FILE + ":1: unknown column \"ids\"; did you mean \"id\"?",
            SqlPlans.FILE
                + ":1: returns no rows, so it has no column \"id\"; add RETURNING to return rows",
            SqlPlans.FILE
                + ":1: column name is text, but parameter customer, which it must equal, is"
                + " integer");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CREATE TABLE customer (id int);\\nCREATE TABLE orders (id nonsense)|:2: type \"nonsense\""
            + " does not exist",
        "CREATE TABLE customer (id int, name text, mood text)|:1: does not create"
            + " table \"orders\", which workload.data.tables names",
        "BEGIN;\\nCREATE TABLE customer (id int)|:1: begin is not allowed in a"
            + " schema, because the schema is created in one transaction",
        "CREATE TABLE a (id int);\\nSET search_path = public|:2: set of search_path"
            + " is not allowed in a schema: the run uses another search_path"
      })
  void aSchemaIsTriedInAPlaceOfItsOwn(String schema, String problem) throws Exception {
    database.execute("CREATE TABLE orders (id int)");
    assertThat(check(schema.replace("\\n", "\n"), TABLES)).containsExactly(SqlPlans.FILE + problem);
    assertThat(database.ask(EVERYTHING)).containsExactly("orders");
  }

  @Test
  void tablesAndDataAgree() throws Exception {
    String more = SCHEMA + ";\nCREATE TABLE history (id int)";
    TableRows wrong =
        SqlPlans.rows(
            "orders",
            List.of("id", "custmer"),
            List.of(ValueType.INTEGER, ValueType.INTEGER),
            n -> new Object[0]);
    TableRows customers =
        SqlPlans.rows("customer", List.of("id"), List.of(ValueType.UUID), n -> new Object[0]);
    assertThat(check(more, List.of(customers, wrong)))
        .containsExactly(
            SqlPlans.FILE
                + ":5: creates table \"history\", which workload.data.tables does not name",
            "workload.yml:1: table customer: column id is uuid, but on the server it is integer",
            "workload.yml:1: table customer: column name is NOT NULL and gets no value",
            "workload.yml:1: table orders: column id is generated by the server",
            "workload.yml:1: table orders: unknown column \"custmer\"; did you mean \"customer\"?");
  }

  @Test
  void valuesThatAColumnDoesNotHold() throws Exception {
    List<String> columns = List.of("v", "s", "i", "n", "whole", "free");
    List<ValueType> types =
        List.of(
            ValueType.TEXT,
            ValueType.INTEGER,
            ValueType.INTEGER,
            ValueType.DECIMAL,
            ValueType.INTEGER,
            ValueType.TEXT);
    String schema =
        "CREATE DOMAIN amount AS numeric(5, 2);\n"
            + "CREATE TABLE limited (v varchar(4), s smallint, i int, n amount, whole numeric(3),"
            + " free text)";
    Object[] most = {"four  ", 32767L, -2147483648L, new BigDecimal("999.994"), 999L, "free"};
    Object[] over = {"fives", 32768L, 2147483648L, new BigDecimal("999.995"), 1000L, "free"};
    TableRows fits = SqlPlans.rows("limited", 500, columns, types, n -> most);
    assertThat(check(schema, List.of(fits))).isEmpty();
    TableRows exceeds = SqlPlans.rows("limited", 500, columns, types, n -> n < 250 ? most : over);
    assertThat(check(schema, List.of(exceeds)))
        .containsExactly(
            "workload.yml:1: table limited: column v is varchar(4), but the value of row 251 has 5"
                + " characters",
            "workload.yml:1: table limited: column s is smallint, but the value of row 251 is"
                + " 32768",
            "workload.yml:1: table limited: column i is integer, but the value of row 251 is"
                + " 2147483648",
            "workload.yml:1: table limited: column n is numeric(5, 2), but the value of row 251 is"
                + " 999.995",
            "workload.yml:1: table limited: column whole is numeric(3, 0), but the value of row 251"
                + " is 1000");
    // The server agrees, so no load would end differently.
    database.execute(schema);
    database.execute("INSERT INTO limited VALUES ('four  ', 32767, -2147483648, 999.994, 999)");
    for (String value :
        List.of(
            "v) VALUES ('fives')",
            "s) VALUES (32768)",
            "i) VALUES (2147483648)",
            "n) VALUES (999.995)",
            "whole) VALUES (1000)")) {
      assertThatThrownBy(() -> database.execute("INSERT INTO limited (" + value)).isNotNull();
    }
  }

  @Test
  void aForeignKeyWantsItsTableFirst() throws Exception {
    String schema =
        "CREATE TABLE parent (id int PRIMARY KEY, boss int REFERENCES parent);\n"
            + "CREATE TABLE child (id int REFERENCES parent)";
    TableRows parent = numbered("parent", 10);
    TableRows child = numbered("child", 10);
    assertThat(check(schema, List.of(parent, child))).isEmpty();
    assertThat(check(schema, List.of(numbered("child", 0), parent))).isEmpty();
    assertThat(check(schema, List.of(child, parent)))
        .containsExactly(
            "workload.yml:1: table child: a foreign key refers to table parent, which"
                + " follows it in workload.data.tables and is loaded later: put it first");
  }

  private static TableRows numbered(String table, long rows) {
    return SqlPlans.rows(
        table, rows, List.of("id"), List.of(ValueType.INTEGER), n -> new Object[] {n});
  }

  @Test
  void withoutASchemaTheTablesThatAreThereCount() throws Exception {
    Plan plan = SqlPlans.plan(Isolation.NONE, "SELECT name FROM customer WHERE id = :customer");
    assertThat(check("", TABLES, plan))
        .containsExactly(
            "workload.yml:1: table customer: there is no such table",
            "workload.yml:1: table orders: there is no such table",
            SqlPlans.FILE + ":1: relation \"customer\" does not exist");
    database.execute(SCHEMA);
    assertThat(check("", TABLES, plan)).isEmpty();
    assertThat(check("", List.of(), plan)).isEmpty();
  }

  /** As with --recreate: what is there does not stand in the way, and stays. */
  @Test
  void aSchemaIsTriedBesideTablesOfItsName() throws Exception {
    database.execute(SCHEMA + "; INSERT INTO customer VALUES (1, 'a')");
    assertThat(check(SCHEMA, TABLES)).isEmpty();
    String qualified = "CREATE TABLE public.customer (id int, name text, mood text)";
    TableRows rows =
        SqlPlans.rows(
            "public.customer", CUSTOMERS.columns(), CUSTOMERS.types(), n -> new Object[0]);
    assertThat(check(qualified, List.of(rows))).isEmpty();
    assertThat(database.ask("SELECT name FROM customer")).containsExactly("a");
  }

  /** A role of this database alone: the server and its user are shared by all tests. */
  @Test
  void aUserWhoMayMakeNoSchemaIsToldSo() {
    String role = "weak_" + database.name();
    database.execute("CREATE ROLE " + role);
    database.execute(
        "ALTER ROLE %s IN DATABASE %s SET role = '%s'"
            .formatted(database.server().user(), database.name(), role));
    try (Target other = database.open("{}")) {
      ConfigException refused = refusalOf(() -> check(other, SCHEMA, TABLES));
      assertThat(refused.key()).isEqualTo("target.user");
      assertThat(refused).hasMessageContaining("GRANT CREATE ON DATABASE");
    }
  }
}
