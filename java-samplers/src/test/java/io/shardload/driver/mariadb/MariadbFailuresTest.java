package io.shardload.driver.mariadb;

import static io.shardload.driver.Caught.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Target;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.sql.SqlFile;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is known of the effect of calls that fail on a real MariaDB. */
@Timeout(60)
class MariadbFailuresTest {
  private static final String FIRST = "UPDATE account SET balance = balance - 1 WHERE id = 1";
  private static final String SECOND = "UPDATE account SET balance = balance + 1 WHERE id = 2";
  private static final String KILL =
      "SELECT id FROM information_schema.processlist WHERE is_used_lock(concat('shardload-test ',"
          + " id)) = id AND db = database()";

  private final MariaServer.Database database = MariaServer.fresh();
  @AutoClose private Target target;

  @BeforeEach
  void open() {
    database.execute(
        "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0));"
            + " INSERT INTO account VALUES (1, 10), (2, 20)");
    target = database.open("{}");
  }

  private static Plan plan(Isolation isolation, String... texts) {
    List<Problem> problems = new ArrayList<>();
    List<Statement> statements =
        List.copyOf(
            SqlFile.parse(
                    "x/mariadb.sql",
                    String.join(";\n", texts),
                    new MariadbDriver().systems().get(0).rules().orElseThrow(),
                    problems::add)
                .get(0));
    assertThat(problems).isEmpty();
    List<Step> steps = statements.stream().map(one -> Step.ANY).toList();
    return new Plan("x", 0, isolation, List.of(), statements, steps);
  }

  private CallFailure fails(Isolation isolation, String... texts) {
    return failureOf(() -> run(Answers.IGNORED, isolation, texts));
  }

  private void run(Answers answers, Isolation isolation, String... texts) throws CallFailure {
    target
        .port(StatementStore.class)
        .run(plan(isolation, texts), new Object[0], answers, Phases.NONE);
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

  private static void assertRefused(CallFailure failure, String kind, boolean again) {
    assertThat(failure).isNotNull();
    assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
    assertThat(failure.effectExcluded()).isTrue();
    assertThat(failure.transientFailure()).isEqualTo(again);
  }

  @Test
  void aTransactionTakesEffectAsAWhole() throws Exception {
    run(Answers.IGNORED, Isolation.READ_COMMITTED, FIRST, SECOND);
    assertThat(balances()).containsExactly("9", "21");
    run(Answers.IGNORED, Isolation.DEFAULT, FIRST, SECOND);
    assertThat(balances()).containsExactly("8", "22");
  }

  /** Unlike PostgreSQL the server keeps what the statements before have done. */
  @Test
  void aRefusedStatementTakesTheWholeTransactionBack() {
    CallFailure failure =
        fails(Isolation.READ_COMMITTED, FIRST, "INSERT INTO account VALUES (1, 0)");
    assertRefused(failure, CallFailure.DUPLICATE_KEY, false);
    assertThat(failure.getMessage()).doesNotContain("conn=");
    assertRefused(
        fails(Isolation.DEFAULT, FIRST, "UPDATE account SET balance = -1"),
        "constraint-violation",
        false);
    assertThat(balances()).containsExactly("10", "20");
  }

  @Test
  void aLockWaitThatEndsRollsBack() throws Exception {
    database.execute("SET GLOBAL innodb_lock_wait_timeout = 1");
    try (Target impatient = database.open("{}");
        Connection other = database.connect()) {
      other.setAutoCommit(false);
      other.createStatement().execute(SECOND);
      target.close();
      target = impatient;
      assertRefused(fails(Isolation.READ_COMMITTED, FIRST, SECOND), "lock-timeout", true);
      other.rollback();
    } finally {
      database.execute("SET GLOBAL innodb_lock_wait_timeout = 50");
    }
    assertThat(balances()).containsExactly("10", "20");
  }

  @Test
  void oneOfTwoInADeadlockMayBeRepeated() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    Runnable meet =
        () -> {
          try {
            both.await();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        };
    CompletableFuture<CallFailure> one =
        CompletableFuture.supplyAsync(
            () -> failureOf(() -> run(afterFirst(meet), Isolation.READ_COMMITTED, FIRST, SECOND)));
    CallFailure two =
        failureOf(() -> run(afterFirst(meet), Isolation.READ_COMMITTED, SECOND, FIRST));
    CallFailure loser = two == null ? one.get() : two;
    assertRefused(loser, "deadlock", true);
    assertThat(two == null ? two : one.get()).isNull();
    assertThat(balances()).containsExactly("9", "21");
  }

  @Test
  void aWriteOnALostConnectionIsUnknownUnlessItWasNeverCommitted() {
    Runnable kill =
        () -> database.ask(KILL).forEach(id -> database.execute("KILL CONNECTION " + id));
    CallFailure within =
        failureOf(() -> run(afterFirst(kill), Isolation.READ_COMMITTED, FIRST, SECOND));
    assertThat(within.kind()).isEqualTo("connection-lost");
    assertThat(within.effectExcluded()).isTrue();
    target.close();
    target = database.open("{}"); // The other connection of the pool is lost, too.
    CallFailure alone = failureOf(() -> run(afterFirst(kill), Isolation.NONE, FIRST, SECOND));
    assertThat(alone.effectExcluded()).isFalse();
    assertThat(balances()).containsExactly("9", "20");
  }

  @Test
  void aServerThatTakesNoWritesRefusesThem() {
    database.execute(
        "CREATE USER IF NOT EXISTS plain@'127.0.0.1'; GRANT ALL ON %s.* TO plain@'127.0.0.1'"
            .formatted(database.name()));
    target.close();
    target = database.as("plain").open("{}");
    database.execute("SET GLOBAL read_only = 1");
    try {
      assertRefused(fails(Isolation.NONE, FIRST), "read-only", false);
      assertRefused(fails(Isolation.READ_COMMITTED, FIRST), "read-only", false);
    } finally {
      database.execute("SET GLOBAL read_only = 0");
    }
  }

  @Test
  void aStatementThatTakesTooLongHasNoEffect() {
    CallFailure failure =
        fails(Isolation.NONE, "UPDATE account SET balance = 1 WHERE sleep(7) = 0");
    assertRefused(failure, "timeout", true);
    assertThat(balances()).containsExactly("10", "20");
  }
}
