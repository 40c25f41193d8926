package io.shardload.driver.postgresql.statements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonParser;
import io.shardload.config.Secrets;
import io.shardload.driver.Session;
import io.shardload.driver.SwallowingProxy;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.calls.Judged;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements on a real PostgreSQL: values, rows, transactions, and what a failure excludes. */
class PostgresqlStatementStoreTest {
  private static final UUID ID = UUID.fromString("00000000-0000-4000-8000-00000000000a");

  private final Database database = TestDatabases.fresh();
  private final Sql.Heard heard = new Sql.Heard();
  private Target target;
  private StatementStore store;

  @BeforeEach
  void open() {
    database.execute(
        "CREATE TABLE account (id int PRIMARY KEY, balance numeric(10,2) NOT NULL, name text);"
            + "INSERT INTO account VALUES (1, 10, 'Ada'), (2, 20.5, NULL)");
    open("{}");
  }

  private void open(String options) {
    close();
    target = database.open(options);
    store = target.port(StatementStore.class);
  }

  @AfterEach
  void close() {
    if (target != null) {
      target.close();
    }
  }

  private void run(Plan plan, Object... arguments) throws CallFailure {
    store.run(plan, arguments, heard, Phases.NONE);
  }

  private CallFailure failure(Plan plan, Object... arguments) {
    return catchThrowableOfType(CallFailure.class, () -> run(plan, arguments));
  }

  private List<String> accounts() {
    return database.ask("SELECT id, balance FROM account ORDER BY id");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'statements': 'prepared'}",
        "{'statements': 'simple'}",
        "{'connections': 'per-transaction'}",
        "{'fetch-size': 1}"
      })
  void rowsComeWithWhatIsWanted(String options) throws CallFailure {
    open(options);
    Plan plan =
        Sql.plan(
            "SELECT id, balance, name FROM account WHERE id <= :id ORDER BY id",
            Isolation.NONE,
            List.of("id"),
            Sql.wanted("name", "balance"));
    run(plan, 2L);
    assertThat(heard.lines).containsExactly("0: [10.00, Ada]", "0: [20.50, null]", "0 ended 2");
    run(plan, 0L);
    assertThat(heard.lines).containsExactly("0 ended 0");
  }

  @Test
  void writesTellHowManyRowsTheyChanged() throws CallFailure {
    Plan update =
        Sql.plan(
            "UPDATE account SET balance = balance + :amount WHERE id >= :id",
            Isolation.NONE,
            List.of("id", "amount"));
    run(update, 1L, new BigDecimal("0.25"));
    assertThat(heard.lines).containsExactly("0 ended 2");
    run(update, 9L, new BigDecimal("0.25"));
    assertThat(heard.lines).containsExactly("0 ended 0");
    assertThat(accounts()).containsExactly("1 10.25", "2 20.75");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}"})
  void valuesArriveAsTheTypesOfTheirPlaces(String options) throws CallFailure {
    open(options);
    database.execute(
        "CREATE TYPE mood AS ENUM ('glad');"
            + "CREATE TABLE t (a int2, b int4, c int8, d numeric, e float8, f text, g varchar(9),"
            + " h uuid, i timestamptz, j timestamp, k date, l bool, m jsonb, n json, o mood, p int4)");
    String insert =
        "INSERT INTO t VALUES (:a, :a, :a, :d, :d, :f, :f, :h, :i, :j, :k, :l, :m, :m, :o, :p)";
    boolean simple = options.contains("simple");
    if (simple) {
      // The client asks the server for no types there; the casts say them.
      insert = insert.replace(":j", ":j::timestamp").replace(":k", ":k::date");
    }
    Instant at = Instant.parse("2026-03-01T23:59:58.123Z");
    run(
        Sql.plan(
            insert, Isolation.NONE, List.of("a", "d", "f", "h", "i", "j", "k", "l", "m", "o", "p")),
        7L,
        new BigDecimal("1.5"),
        "x'?",
        ID,
        at,
        at,
        at,
        true,
        JsonParser.parseString("{\"a\": [1, \"'\"]}"),
        "glad",
        null);
    if (simple) {
      assertThat(database.ask("SELECT a, d, f, h, l, m FROM t"))
          .containsExactly("7 1.5 x'? 00000000-0000-4000-8000-00000000000a t {\"a\": [1, \"'\"]}");
      return;
    }
    assertThat(
            database.ask(
                "SELECT a, b, c, d, e, f, g, h, i AT TIME ZONE 'UTC', j, k, l, m, n, o, p IS NULL"
                    + " FROM t"))
        .containsExactly(
            "7 7 7 1.5 1.5 x'? x'? 00000000-0000-4000-8000-00000000000a 2026-03-01 23:59:58.123"
                + " 2026-03-01 23:59:58.123 2026-03-01 t {\"a\": [1, \"'\"]} {\"a\":[1,\"'\"]}"
                + " glad t");
    run(
        Sql.plan(
            "SELECT a, d, e, i, j, k, m, p, ARRAY[1] AS q FROM t",
            Isolation.NONE,
            List.of(),
            Sql.wanted("a", "d", "e", "i", "j", "k", "m", "p")));
    assertThat(heard.lines.get(0))
        .isEqualTo(
            "0: [7, 1.5, 1.5, 2026-03-01T23:59:58.123Z, 2026-03-01T23:59:58.123Z,"
                + " 2026-03-01T00:00:00Z, {\"a\":[1,\"'\"]}, null]");
  }

  @Test
  void aNumberThatDoesNotFitIsTheServersToRefuse() {
    CallFailure failure =
        failure(Sql.plan("UPDATE account SET id = :id", Isolation.NONE, List.of("id")), 1L << 40);
    assertThat(failure.kind()).isEqualTo("sqlstate-22003");
    assertThat(failure.effectExcluded()).isTrue();
  }

  private static final String TRANSFER =
      """
      UPDATE account SET balance = balance - :amount WHERE id = :source;
      UPDATE account SET balance = balance + :amount WHERE id = :target;
      """;

  private static Plan transfer(Isolation isolation) {
    return Sql.plan(TRANSFER, isolation, List.of("amount", "source", "target"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"DEFAULT", "READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
  void aTransactionTakesEffectTogether(String isolation) throws CallFailure {
    run(transfer(Isolation.valueOf(isolation)), BigDecimal.ONE, 1L, 2L);
    assertThat(heard.lines).containsExactly("0 ended 1", "1 ended 1");
    assertThat(accounts()).containsExactly("1 9.00", "2 21.50");
  }

  @Test
  void theIsolationIsTheOneAskedFor() throws CallFailure {
    Plan plan =
        Sql.plan(
            "SELECT current_setting('transaction_isolation') AS level",
            Isolation.SERIALIZABLE,
            List.of(),
            Sql.wanted("level"));
    run(plan);
    assertThat(heard.lines.get(0)).isEqualTo("0: [serializable]");
    run(
        Sql.plan(
            "SELECT current_setting('transaction_isolation') AS level",
            Isolation.DEFAULT,
            List.of(),
            Sql.wanted("level")));
    assertThat(heard.lines.get(0)).isEqualTo("0: [read committed]");
  }

  @Test
  void afterAFailureNothingOfATransactionIsThere() {
    database.execute("ALTER TABLE account ADD CHECK (balance < 21)");
    CallFailure failure = failure(transfer(Isolation.DEFAULT), BigDecimal.ONE, 1L, 2L);
    assertThat(failure.kind()).isEqualTo("constraint-violation");
    assertThat(failure.effectExcluded()).isTrue();
    assertThat(accounts()).containsExactly("1 10.00", "2 20.50");
  }

  /** Mutation: take the server's answer to the second statement for one to both. */
  @Test
  void withoutATransactionAFailureAfterAWriteIsUnknown() {
    database.execute("ALTER TABLE account ADD CHECK (balance < 21)");
    CallFailure failure = failure(transfer(Isolation.NONE), BigDecimal.ONE, 1L, 2L);
    assertThat(failure.effectExcluded()).isFalse();
    assertThat(failure.transientFailure()).isFalse();
    assertThat(accounts()).containsExactly("1 9.00", "2 20.50");
    // The first one fails: nothing was written.
    assertThat(failure(transfer(Isolation.NONE), new BigDecimal("-50"), 1L, 2L).effectExcluded())
        .isTrue();
  }

  @Test
  void aColumnIsHandedToALaterStatement() throws CallFailure {
    Plan plan =
        Sql.plan(
            """
            SELECT balance FROM account WHERE id = :id FOR UPDATE;
            UPDATE account SET balance = :before * 2, name = :before::text WHERE id = :id;
            """,
            Isolation.READ_COMMITTED,
            List.of("id"),
            Sql.capture("before", "balance"));
    run(plan, 2L);
    assertThat(heard.lines).containsExactly("0: [20.50]", "0 ended 1", "1 ended 1");
    assertThat(accounts()).containsExactly("1 10.00", "2 41.00");

    assertThat(Judged.outcome(store, plan, 9L))
        .isEqualTo(new Outcome.Failed(StatementStore.NOTHING_CAPTURED));
  }

  @Test
  void aSerializationFailureExcludesTheEffectAndMayBeTriedAgain() throws Exception {
    Plan plan =
        Sql.plan(
            """
            SELECT sum(balance) FROM account;
            SELECT pg_advisory_xact_lock(7);
            UPDATE account SET balance = balance + 1 WHERE id = 1;
            """,
            Isolation.REPEATABLE_READ,
            List.of());
    CompletableFuture<CallFailure> failure;
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(7)");
      failure = CompletableFuture.supplyAsync(() -> failure(plan));
      awaitRow("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
      statement.execute("UPDATE account SET balance = 0 WHERE id = 1");
    }
    CallFailure refused = failure.get(60, TimeUnit.SECONDS);
    assertThat(refused.kind()).isEqualTo("serialization-failure");
    assertThat(refused.effectExcluded()).isTrue();
    assertThat(refused.transientFailure()).isTrue();
    assertThat(accounts()).containsExactly("1 0.00", "2 20.50");
  }

  private void awaitRow(String query) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (database.ask(query).isEmpty()) {
      assertThat(System.nanoTime()).as(query).isLessThan(deadlineNanos);
      Thread.sleep(10);
    }
  }

  @Test
  void aConnectionThatEndsBeforeTheCommitExcludesTheEffect() {
    Plan plan =
        Sql.plan(
            """
            UPDATE account SET balance = 0 WHERE id = 1;
            SELECT pg_terminate_backend(pg_backend_pid());
            """,
            Isolation.DEFAULT,
            List.of());
    CallFailure failure = failure(plan);
    assertThat(failure.effectExcluded()).isTrue();
    assertThat(failure.transientFailure()).isTrue();
    assertThat(accounts()).containsExactly("1 10.00", "2 20.50");
  }

  /**
   * The server has committed, and its answer never comes. Mutation: take it for a lost statement.
   */
  @Test
  void aCommitWithoutAnAnswerIsUnknown() throws Exception {
    try (SwallowingProxy proxy = new SwallowingProxy(database.server().port(), "COMMIT");
        Target cut =
            TestDatabases.driver("postgresql")
                .open(through(proxy), new Session("test", 1, Duration.ofSeconds(5)))) {
      CallFailure failure =
          catchThrowableOfType(
              CallFailure.class,
              () ->
                  cut.port(StatementStore.class)
                      .run(
                          transfer(Isolation.DEFAULT),
                          new Object[] {BigDecimal.ONE, 1L, 2L},
                          heard,
                          Phases.NONE));
      assertThat(proxy.swallowed()).isTrue();
      assertThat(failure.kind()).isEqualTo("connection-lost");
      assertThat(failure.effectExcluded()).isFalse();
      assertThat(accounts()).containsExactly("1 9.00", "2 21.50");
    }
  }

  private TargetConfig through(SwallowingProxy proxy) {
    TargetConfig direct = database.config("{}");
    return new TargetConfig(
        "test",
        "postgresql",
        "",
        direct.url().replace(":" + database.server().port(), ":" + proxy.port()),
        direct.user(),
        passwordVariable(),
        direct.options());
  }

  private String passwordVariable() {
    Secrets.provide("SHARDLOAD_TEST_STATEMENTS", database.server().password());
    return "SHARDLOAD_TEST_STATEMENTS";
  }

  @Test
  void theConnectionIsAsBeforeForTheNextCall() throws Exception {
    assertThat(failure(transfer(Isolation.SERIALIZABLE), BigDecimal.ONE, 1L, null)).isNull();
    Plan bad = Sql.plan("SELECT 1 / :a::int AS x", Isolation.DEFAULT, List.of("a"));
    for (int i = 0; i < 4; i++) {
      assertThatThrownBy(() -> run(bad, 0L)).isInstanceOf(CallFailure.class);
      run(Sql.plan("UPDATE account SET name = 'b' WHERE id = 2", Isolation.NONE, List.of()));
    }
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      statement.execute("SET lock_timeout = '1s'");
      statement.execute("UPDATE account SET name = 'c' WHERE id = 2");
    }
  }

  @Test
  void phasesAreThoseOfTheLastRows() throws CallFailure {
    List<String> marks = new ArrayList<>();
    Phases phases =
        new Phases() {
          @Override
          public void connected() {
            marks.add("connected");
          }

          @Override
          public void found() {
            marks.add("found");
          }

          @Override
          public void acknowledged() {
            marks.add("acknowledged");
          }
        };
    store.run(transfer(Isolation.DEFAULT), new Object[] {BigDecimal.ONE, 1L, 2L}, heard, phases);
    assertThat(marks).containsExactly("connected", "acknowledged");
    marks.clear();
    Plan mixed =
        Sql.plan("SELECT 1; UPDATE account SET name = 'x'; SELECT 2", Isolation.DEFAULT, List.of());
    store.run(mixed, new Object[] {}, heard, phases);
    assertThat(marks).containsExactly("connected", "found");
    assertThat(Step.ANY.allows(0)).isTrue();
  }
}
