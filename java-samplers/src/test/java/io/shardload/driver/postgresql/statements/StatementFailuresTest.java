package io.shardload.driver.postgresql.statements;

import static io.shardload.driver.Caught.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Session;
import io.shardload.driver.SwallowingProxy;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.calls.Judged;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is known of the effect of calls that fail. */
class StatementFailuresTest {
  private static final String TWO =
      "UPDATE account SET balance = balance - 1 WHERE id = 1;"
          + " UPDATE account SET balance = balance + 1 WHERE id = 2";
  private static final Object[] NOTHING = {};
  private static final String KILL =
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
          + " WHERE application_name = 'shardload-test' AND datname = current_database()";

  private static final String CANCEL =
      "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity"
          + " WHERE wait_event = 'SyncRep' AND datname = current_database()";

  private final Database database = TestDatabases.fresh();
  private final SqlPlans.Log log = new SqlPlans.Log();
  @AutoClose private Target target;

  @BeforeEach
  void open() {
    database.execute(
        "CREATE TABLE account (id int PRIMARY KEY, note text, balance int NOT NULL CHECK (balance"
            + " >= 0)); INSERT INTO account VALUES (1, '', 10), (2, '', 20)");
    target = database.open("{}");
  }

  private StatementStore store() {
    return target.port(StatementStore.class);
  }

  private CallFailure fails(Plan plan, Answers answers) {
    return failureOf(() -> store().run(plan, NOTHING, answers, Phases.NONE));
  }

  private List<String> balances() {
    return database.ask("SELECT balance FROM account ORDER BY id");
  }

  /** Does something once the first statement has ended. */
  private static Answers afterFirst(Runnable what) {
    return new Answers() {
      @Override
      public void begin() {}

      @Override
      public void row(int statement, List<?> wanted, Equality equality) {}

      @Override
      public void ended(int statement, long rows) {
        if (statement == 0) {
          what.run();
        }
      }
    };
  }

  @Test
  void aRefusedStatementTakesTheWholeTransactionBack() throws Exception {
    Plan plan = SqlPlans.plan(Isolation.READ_COMMITTED, TWO + "; UPDATE account SET balance = -1");
    CallFailure failure = fails(plan, log);
    assertThat(failure.kind()).isEqualTo("constraint-violation");
    assertThat(failure.effectExcluded()).isTrue();
    assertThat(balances()).containsExactly("10", "20");

    store().run(SqlPlans.plan(Isolation.DEFAULT, TWO), NOTHING, log, log);
    assertThat(balances()).containsExactly("9", "21");
  }

  @Test
  void aRefusedStatementAfterOneThatWroteIsUnknownWithoutATransaction() {
    CallFailure failure =
        fails(SqlPlans.plan(Isolation.NONE, TWO + "; UPDATE account SET balance = -1"), log);
    assertThat(failure.kind()).isEqualTo("constraint-violation");
    assertThat(failure.effectExcluded()).isFalse();
    assertThat(failure.transientFailure()).isFalse();
    assertThat(balances()).containsExactly("9", "21");
  }

  @Test
  void aFailedTransactionIsOverForTheNextCall() throws Exception {
    Plan update = SqlPlans.plan(Isolation.NONE, "UPDATE account SET note = 'b' WHERE id = 2");
    for (int i = 0; i < 4; i++) {
      assertThat(fails(SqlPlans.plan(Isolation.DEFAULT, TWO + "; SELECT 1 / 0"), log)).isNotNull();
      store().run(update, NOTHING, log, log);
    }
    assertThat(balances()).containsExactly("10", "20");
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      statement.execute("SET lock_timeout = '1s'");
      statement.execute("UPDATE account SET note = 'c' WHERE note = 'b'");
      assertThat(statement.getUpdateCount()).isOne();
    }
  }

  /** 0 rows do not mean that a write had no effect: triggers and CTEs are not counted. */
  @Test
  void aWriteThatReportsNoRowsMayHaveWritten() {
    database.execute(
        "CREATE TABLE redirected (id int);"
            + " CREATE FUNCTION redirect() RETURNS trigger LANGUAGE plpgsql AS"
            + " 'BEGIN INSERT INTO redirected VALUES (NEW.id); RETURN NULL; END';"
            + " CREATE TRIGGER redirect BEFORE INSERT ON account"
            + " FOR EACH ROW EXECUTE FUNCTION redirect()");
    Plan insert =
        SqlPlans.plan(
            Isolation.NONE,
            "INSERT INTO account VALUES (3, '', 30); UPDATE account SET balance = -1");
    assertThat(fails(insert, log).effectExcluded()).isFalse();
    assertThat(log.all).containsExactly("begin", "0 ended 0");
    assertThat(database.ask("SELECT id FROM redirected")).containsExactly("3");

    String cte =
        "WITH x AS (UPDATE account SET balance = 5 WHERE id = 1 RETURNING id)"
            + " SELECT 1 FROM x WHERE id = 7; UPDATE account SET balance = -1";
    assertThat(fails(SqlPlans.plan(Isolation.NONE, cte), log).effectExcluded()).isFalse();
    assertThat(balances()).containsExactly("5", "20");
  }

  @Test
  void aRefusedWriteAfterReadsHasNoEffect() {
    String text = "SELECT 1; UPDATE account SET balance = -1";
    assertThat(fails(SqlPlans.plan(Isolation.NONE, text), log).effectExcluded()).isTrue();
  }

  @Test
  void aConnectionThatIsKilledBeforeCommitHasNoEffect() {
    Plan plan = SqlPlans.plan(Isolation.READ_COMMITTED, TWO);
    CallFailure failure = fails(plan, afterFirst(() -> database.ask(KILL)));
    assertThat(failure.kind()).isIn("server-shutting-down", "connection-lost");
    assertThat(failure.effectExcluded()).isTrue();
    assertThat(failure.transientFailure()).isTrue();
    assertThat(balances()).containsExactly("10", "20");
  }

  @Test
  void aConnectionThatIsKilledBetweenStatementsIsUnknown() {
    CallFailure failure =
        fails(SqlPlans.plan(Isolation.NONE, TWO), afterFirst(() -> database.ask(KILL)));
    assertThat(failure.effectExcluded()).isFalse();
    assertThat(balances()).containsExactly("9", "20");
  }

  @Test
  void aConnectionThatIsKilledBeforeTheFirstWriteHasNoEffect() {
    Plan plan =
        SqlPlans.plan(
            Isolation.NONE, "SELECT 1; SELECT 2; UPDATE account SET balance = 0 WHERE id = 1");
    assertThat(fails(plan, afterFirst(() -> database.ask(KILL))).effectExcluded()).isTrue();
    assertThat(balances()).containsExactly("10", "20");
  }

  private CallFailure swallowing(String word, Plan plan, Object... arguments) throws Exception {
    try (SwallowingProxy proxy = new SwallowingProxy(database.server().port(), word);
        Target through =
            TestDatabases.driver("postgresql")
                .open(
                    database.through(proxy.port(), "{}", "{}"),
                    new Session("test", 1, Duration.ofSeconds(5)))) {
      StatementStore store = through.port(StatementStore.class);
      CallFailure failure =
          failureOf(() -> store.run(plan, arguments, Answers.IGNORED, Phases.NONE));
      assertThat(proxy.swallowed()).isTrue();
      return failure;
    }
  }

  @Test
  void aCommitWithoutAnAnswerIsUnknown() throws Exception {
    CallFailure failure = swallowing("COMMIT", SqlPlans.plan(Isolation.SERIALIZABLE, TWO));
    assertThat(failure.kind()).isEqualTo("connection-lost");
    assertThat(failure.effectExcluded()).isFalse();
    assertThat(balances()).containsExactly("9", "21");
  }

  /** The server answers COMMIT with success and a warning: its own disk alone has the rows. */
  @Test
  @Timeout(120)
  void aCommitThatReachedNoStandbyIsUnknown() {
    database.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    try {
      database.execute("SELECT pg_reload_conf()");
      // Other databases of this server do not wait for their commits.
      database.execute("ALTER DATABASE %s SET synchronous_commit = on".formatted(database.name()));
      while (!database.ask("SHOW synchronous_standby_names").contains("nobody")) {
        Thread.onSpinWait();
      }
      CompletableFuture<Void> cancelled =
          CompletableFuture.runAsync(
              () -> {
                while (!database.ask(CANCEL).contains("1")) {
                  Thread.onSpinWait();
                }
              });
      CallFailure failure = fails(SqlPlans.plan(Isolation.DEFAULT, TWO), Answers.IGNORED);
      cancelled.join();
      assertThat(failure.kind()).isEqualTo("not-replicated");
      assertThat(failure.effectExcluded()).isFalse();
      assertThat(balances()).containsExactly("9", "21");
    } finally {
      database.execute("ALTER SYSTEM RESET synchronous_standby_names");
      database.execute("SELECT pg_reload_conf()");
    }
  }

  /** The word is an argument, so no other message has it than the execution. */
  @Test
  void aStatementOfATransactionWithoutAnAnswerHasNoEffect() throws Exception {
    Plan plan = SqlPlans.plan(Isolation.DEFAULT, TWO + "; UPDATE account SET note = :note");
    CallFailure failure = swallowing("swallowed", plan, "swallowed");
    assertThat(failure.kind()).isEqualTo("connection-lost");
    assertThat(failure.effectExcluded()).isTrue();
    assertThat(balances()).containsExactly("10", "20");
  }

  @Test
  void aWriteAloneWithoutAnAnswerIsUnknown() throws Exception {
    Plan plan = SqlPlans.plan(Isolation.NONE, "UPDATE account SET note = :note WHERE id = 1");
    CallFailure failure = swallowing("swallowed", plan, "swallowed");
    assertThat(failure.effectExcluded()).isFalse();
    assertThat(database.ask("SELECT note FROM account WHERE id = 1")).containsExactly("swallowed");
  }

  /** Each reads what the other writes: the second to commit is refused. */
  @Test
  void aSerializationFailureHasNoEffectAndMayBeTriedAgain() throws Exception {
    Plan plan =
        SqlPlans.plan(
            Isolation.SERIALIZABLE,
            "SELECT sum(balance) FROM account; UPDATE account SET balance = 0 WHERE id = 1");
    CallFailure failure =
        fails(
            plan,
            afterFirst(
                () -> {
                  try (Connection other = database.connect();
                      Statement statement = other.createStatement()) {
                    statement.execute(
                        "BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT sum(balance) FROM account;"
                            + " UPDATE account SET balance = 0 WHERE id = 2; COMMIT");
                  } catch (java.sql.SQLException e) {
                    throw new IllegalStateException(e);
                  }
                }));
    assertThat(failure.kind()).isEqualTo("serialization-failure");
    assertThat(failure.effectExcluded()).isTrue();
    assertThat(failure.transientFailure()).isTrue();
    assertThat(balances()).containsExactly("10", "0");
  }

  @Test
  void ofADeadlockOneHasNoEffectAndMayBeTriedAgain() throws Exception {
    CyclicBarrier bothHoldOne = new CyclicBarrier(2);
    StatementStore store = store();
    List<CompletableFuture<CallFailure>> both =
        Stream.of("1 2", "2 1")
            .map(order -> order.split(" "))
            .map(
                id ->
                    SqlPlans.plan(
                        Isolation.READ_COMMITTED,
                        "UPDATE account SET balance = 5 WHERE id = %s;".formatted(id[0])
                            + "UPDATE account SET balance = 5 WHERE id = %s".formatted(id[1])))
            .map(plan -> CompletableFuture.supplyAsync(() -> attempt(store, plan, bothHoldOne)))
            .toList();
    List<CallFailure> failures =
        both.stream().map(CompletableFuture::join).filter(java.util.Objects::nonNull).toList();
    assertThat(failures).hasSize(1);
    assertThat(failures.get(0).kind()).isEqualTo("deadlock");
    assertThat(failures.get(0).effectExcluded()).isTrue();
    assertThat(failures.get(0).transientFailure()).isTrue();
    assertThat(balances()).containsExactly("5", "5");
  }

  private static CallFailure attempt(StatementStore store, Plan plan, CyclicBarrier barrier) {
    try {
      store.run(
          plan,
          NOTHING,
          afterFirst(
              () -> {
                try {
                  barrier.await();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              }),
          Phases.NONE);
      return null;
    } catch (CallFailure e) {
      return e;
    }
  }

  /** In a transaction nothing of a call with a wrong answer stays; else it is not called failed. */
  @ParameterizedTest
  @CsvSource({
    "rows, wrong-row, NONE",
    "rows, wrong-row, DEFAULT",
    "rows, wrong-row, READ_COMMITTED",
    "rows, wrong-row, SERIALIZABLE",
    "equal, wrong-row, NONE",
    "equal, wrong-row, READ_COMMITTED",
    "capture, nothing-captured, NONE",
    "capture, nothing-captured, READ_COMMITTED"
  })
  void aWrongAnswerEndsTheCallAndRollsBack(String violated, String kind, Isolation isolation) {
    Step second =
        switch (violated) {
          case "rows" -> new Step(1, 1, Map.of(), Map.of());
          case "equal" -> new Step(-1, Long.MAX_VALUE, Map.of("id", "wanted"), Map.of());
          default -> SqlPlans.captures("b", "balance");
        };
    Plan plan =
        SqlPlans.plan(
            isolation,
            "UPDATE account SET balance = 1 WHERE id = 1;"
                + " SELECT id, balance FROM account WHERE id = %s;"
                    .formatted(violated.equals("equal") ? "2" : "7")
                + " INSERT INTO account VALUES (:wanted, '', 30)",
            Step.ANY,
            second,
            Step.ANY);
    Outcome outcome = Judged.outcome(store(), plan, 3L);
    assertThat(outcome)
        .isEqualTo(isolation.atomic() ? new Outcome.Failed(kind) : new Outcome.Unknown(kind));
    assertThat(balances()).containsExactly(isolation.atomic() ? "10" : "1", "20");
    assertThat(database.ask("SELECT count(*) FROM account WHERE id = 3")).containsExactly("0");
  }

  /** The last answer comes with everything written, right before the commit. */
  @Test
  void aWrongNumberOfChangesInTheLastStatementRollsBack() {
    Step one = new Step(1, 1, Map.of(), Map.of());
    Plan plan = SqlPlans.plan(Isolation.READ_COMMITTED, TWO.replace("id = 2", "id > 0"), one, one);
    assertThat(Judged.outcome(store(), plan)).isEqualTo(new Outcome.Failed("wrong-row"));
    assertThat(balances()).containsExactly("10", "20");
    assertThat(Judged.outcome(store(), SqlPlans.plan(Isolation.READ_COMMITTED, TWO, one, one)))
        .isEqualTo(new Outcome.Done(2, 2, false));
    assertThat(balances()).containsExactly("9", "21");
  }

  @Test
  void aWrongAnswerOfAReadHasNoEffectAndOfASingleWriteIsUnknown() {
    Step one = new Step(1, 1, Map.of(), Map.of());
    Plan read = SqlPlans.plan(Isolation.NONE, "SELECT * FROM account", one);
    assertThat(Judged.outcome(store(), read)).isEqualTo(new Outcome.Failed("wrong-row"));
    Plan write = SqlPlans.plan(Isolation.NONE, "UPDATE account SET balance = 4", one);
    assertThat(Judged.outcome(store(), write)).isEqualTo(new Outcome.Unknown("wrong-row"));
    assertThat(balances()).containsExactly("4", "4");
  }

  @Test
  void aDeferredConstraintThatCommitFindsHasNoEffect() {
    database.execute(
        "CREATE TABLE line (account int REFERENCES account DEFERRABLE INITIALLY DEFERRED)");
    CallFailure failure =
        fails(SqlPlans.plan(Isolation.DEFAULT, "INSERT INTO line VALUES (7); SELECT 1"), log);
    assertThat(failure.kind()).isEqualTo("constraint-violation");
    assertThat(failure.effectExcluded()).isTrue();
    assertThat(database.ask("SELECT count(*) FROM line")).containsExactly("0");
  }
}
