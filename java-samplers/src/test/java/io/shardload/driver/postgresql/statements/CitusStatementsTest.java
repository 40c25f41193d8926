package io.shardload.driver.postgresql.statements;

import static io.shardload.driver.Caught.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Makings;
import io.shardload.driver.OnCitus;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.postgresql.CitusIntegrationTest;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Statements from files on a real Citus, as {@link CitusIntegrationTest}. */
@OnCitus
class CitusStatementsTest {
  private static final String SCHEMA =
      """
      CREATE TABLE shop_country (id int PRIMARY KEY, name text);
      SELECT create_reference_table('shop_country');
      CREATE TABLE shop_customer (id int PRIMARY KEY, country int REFERENCES shop_country,
        balance int NOT NULL);
      SELECT create_distributed_table('shop_customer', 'id');
      CREATE TABLE shop_order (id bigint, customer int REFERENCES shop_customer,
        PRIMARY KEY (customer, id));
      SELECT create_distributed_table('shop_order', 'customer')""";
  private static final List<String> TABLES = List.of("shop_country", "shop_customer", "shop_order");
  private static final String DROP = "DROP TABLE IF EXISTS " + String.join(", ", TABLES);

  private static final TableRows COUNTRIES =
      SqlPlans.rows(
          TABLES.get(0),
          List.of("id", "name"),
          List.of(ValueType.INTEGER, ValueType.TEXT),
          n -> new Object[] {n, "c" + n});
  private static final TableRows CUSTOMERS =
      SqlPlans.rows(
          TABLES.get(1),
          List.of("id", "country", "balance"),
          List.of(ValueType.INTEGER, ValueType.INTEGER, ValueType.INTEGER),
          n -> new Object[] {n, n % 10, 100L});
  private static final TableRows ORDERS =
      SqlPlans.rows(TABLES.get(2), List.of(), List.of(), n -> new Object[0]);

  private final Target target =
      TestDatabases.driver("postgresql")
          .open(
              CitusIntegrationTest.config("{}", "{}"),
              new Session("test", 2, Duration.ofSeconds(10)));
  private final StatementAdmin admin = target.port(StatementAdmin.class);
  private final List<Statement> schema = SqlPlans.statements(SCHEMA);

  @BeforeEach
  void none() throws SQLException {
    CitusIntegrationTest.ask(DROP);
  }

  @AfterEach
  void close() throws SQLException {
    target.close();
    CitusIntegrationTest.ask(DROP);
  }

  private void loaded() throws CallFailure {
    admin.createTables(schema, Making.UNRECORDED);
    admin.load(COUNTRIES, 0, 10, n -> {});
    admin.load(CUSTOMERS, 0, 12_000, n -> {});
    admin.finishLoad(TABLES, Progress.UNHEARD);
  }

  @Test
  void aCheckDistributesTheTablesAndLeavesNothing() throws Exception {
    String everything = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'shardload_check%'";
    Plan right = SqlPlans.plan(Isolation.NONE, "SELECT * FROM shop_customer WHERE id = :id");
    Plan wrong = SqlPlans.plan(Isolation.NONE, "SELECT nme FROM shop_country");
    assertThat(
            admin.check(
                schema,
                List.of(COUNTRIES, CUSTOMERS, ORDERS),
                List.of(right, wrong),
                Map.of("id", ValueType.INTEGER),
                List.of()))
        .extracting(Problem::text)
        .containsExactly(
            "column \"nme\" does not exist; Perhaps you meant to reference the column"
                + " \"shop_country.name\".");
    assertThat(CitusIntegrationTest.ask(everything)).isEmpty();
    assertThat(
            CitusIntegrationTest.ask(
                "SELECT result FROM run_command_on_all_nodes($$SELECT count(*) FROM pg_namespace"
                    + " WHERE nspname LIKE 'shardload_check%'$$)"))
        .containsOnly("0");
    assertThat(admin.present(TABLES)).isEmpty();
  }

  @Test
  void tablesAreMadeLoadedAndMadeAgain() throws Exception {
    loaded();
    assertThat(target.port(StatementStore.class).system()).isEqualTo("citus");
    assertThat(admin.count("shop_customer")).isEqualTo(12_000);
    assertThat(admin.estimate("shop_customer")).hasValue(12_000);
    String storage = admin.storage(TABLES).toString();
    assertThat(storage).contains("table=shop_customer", "shop_customer_pkey");
    assertThat((long) admin.storage(TABLES).get("table_bytes")).isGreaterThan(100_000);

    assertThat(
            admin.check(
                schema, List.of(COUNTRIES, CUSTOMERS, ORDERS), List.of(), Map.of(), List.of()))
        .isEmpty();
    assertThat(admin.count("shop_customer")).isEqualTo(12_000);
    admin.createTables(schema, Makings.again(target, TABLES.toArray(String[]::new)));
    assertThat(admin.count("shop_customer")).isZero();
  }

  @Test
  void aTransactionOverShardsIsOne() throws Exception {
    loaded();
    StatementStore store = target.port(StatementStore.class);
    String move =
        "UPDATE shop_customer SET balance = balance - :n WHERE id = :a;"
            + " UPDATE shop_customer SET balance = balance + :n WHERE id = :b;"
            + " INSERT INTO shop_order VALUES (:n, :a) RETURNING id";
    Plan plan = SqlPlans.plan(Isolation.READ_COMMITTED, move);
    SqlPlans.Log log = new SqlPlans.Log();
    store.run(plan, new Object[] {30L, 1L, 2L}, log, log);
    assertThat(log.all).endsWith("0 ended 1", "1 ended 1", "found", "2 row []", "2 ended 1");

    CallFailure again = failureOf(() -> store.run(plan, new Object[] {30L, 1L, 2L}, log, log));
    assertThat(again.effectExcluded()).isTrue();
    StatementAdmin.Answer balances =
        admin.ask(
            SqlPlans.statements("SELECT id, balance FROM shop_customer WHERE id < 3 ORDER BY 1")
                .get(0),
            Map.of(),
            10);
    assertThat(balances.rows())
        .extracting(Object::toString)
        .containsExactly("{id=0, balance=100}", "{id=1, balance=70}", "{id=2, balance=130}");
  }

  @Test
  void plansSayHowManyShards() throws Exception {
    loaded();
    Plan one = SqlPlans.plan(Isolation.NONE, "SELECT * FROM shop_customer WHERE id = :id");
    // Shards of a few hundred rows are scanned, with an index or without.
    assertThat(admin.explain(one, new Object[] {5L}, Optional.empty()).get("shards").toString())
        .startsWith("one of ");
    Plan all = SqlPlans.plan(Isolation.NONE, "SELECT * FROM shop_customer WHERE balance = :n");
    assertThat(admin.explain(all, new Object[] {5L}, Optional.empty()))
        .containsEntry("access", "full-scan")
        .extractingByKey("shards")
        .asString()
        .doesNotStartWith("one");
  }
}
