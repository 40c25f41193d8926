package io.shardload.driver.postgresql.statements;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Session;
import io.shardload.driver.SwallowingProxy;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.Outcome;
import io.shardload.workload.Repeats;
import io.shardload.workload.statements.calls.Judged;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Transfers between accounts on a real server: what a refused call leaves, and what it does not.
 */
class GuardsTest {
  private static final Step GUARD = new Step(1, 1, List.of(), null, Map.of(), true, "");
  private static final Step ONE = new Step(1, 1, Map.of(), Map.of());
  private static final String TRANSFER =
      "INSERT INTO moved VALUES (:id, :sum);"
          + " UPDATE account SET balance = balance - :sum WHERE id = 1 AND balance >= :sum;"
          + " UPDATE account SET balance = balance + :sum WHERE id = 2";

  private final Database database = TestDatabases.fresh();
  @AutoClose private Target target;

  @BeforeEach
  void open() {
    database.execute(
        "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);"
            + " INSERT INTO account VALUES (1, 10), (2, 20);"
            + " CREATE TABLE moved (id int PRIMARY KEY, sum int)");
    target = database.open("{}");
  }

  private Outcome outcome(Plan plan, Object... arguments) {
    return Judged.outcome(target.port(StatementStore.class), plan, arguments);
  }

  private List<String> balances() {
    return database.ask("SELECT balance FROM account ORDER BY id");
  }

  /** Mutation: commit what a guard has ended. */
  @Test
  void aTransferWithoutEnoughBalanceIsRolledBack() {
    Plan plan = SqlPlans.plan(Isolation.READ_COMMITTED, TRANSFER, ONE, GUARD, ONE);
    assertThat(outcome(plan, 1L, 11L)).isEqualTo(Outcome.REFUSED);
    assertThat(balances()).containsExactly("10", "20");
    assertThat(database.ask("SELECT count(*) FROM moved")).containsExactly("0");
    assertThat(outcome(plan, 1L, 10L)).isEqualTo(new Outcome.Done(3, 3, false));
    assertThat(balances()).containsExactly("0", "30");
    assertThat(outcome(plan, 2L, 1L)).isEqualTo(Outcome.REFUSED);
    assertThat(database.ask("SELECT id FROM moved")).containsExactly("1");
  }

  @Test
  void aSingleWriteOfNoRowIsRefusedAndOneOfTwoRowsIsUnknown() {
    String debit = "UPDATE account SET balance = balance - :sum WHERE balance >= :sum";
    Plan plan = SqlPlans.plan(Isolation.NONE, debit, GUARD);
    assertThat(outcome(plan, 21L)).isEqualTo(Outcome.REFUSED);
    assertThat(outcome(plan, 20L)).isEqualTo(new Outcome.Done(1, 1, false));
    assertThat(outcome(plan, 0L)).isEqualTo(new Outcome.Unknown("wrong-row"));
    assertThat(balances()).containsExactly("10", "0");
  }

  /**
   * A COMMIT whose answer is lost, and its repetition: the money moves once. Mutation: the outcome
   * of the last attempt alone.
   */
  @Test
  void whatTookEffectWithoutAnAnswerIsDoneOnce() throws Exception {
    Plan once = SqlPlans.plan(Isolation.READ_COMMITTED, TRANSFER, ONE, GUARD, ONE);
    Plan plan =
        new Plan(
            once.transaction(),
            0,
            once.isolation(),
            once.arguments(),
            once.statements(),
            once.steps(),
            new Repeats(-1, 0, 0, true));
    StatementStore direct = target.port(StatementStore.class);
    try (SwallowingProxy proxy = new SwallowingProxy(database.server().port(), "COMMIT");
        Target through =
            TestDatabases.driver("postgresql")
                .open(
                    database.through(proxy.port(), "{}", "{}"),
                    new Session("test", 1, Duration.ofSeconds(5)))) {
      StatementStore lossy = through.port(StatementStore.class);
      assertThat(Judged.outcome(List.of(lossy, direct), plan, 1L, 4L))
          .isEqualTo(new Outcome.Done(3, 3, false));
      assertThat(proxy.swallowed()).isTrue();
    }
    assertThat(balances()).containsExactly("6", "24");
    assertThat(outcome(plan, 1L, 4L)).isEqualTo(new Outcome.Failed("duplicate-key"));
  }

  /**
   * Each line is a statement of its own with its own expectation, and one transaction holds all.
   * Mutations: set the isolation in each repetition; judge the sum of the repetitions.
   */
  @Test
  void aStatementIsRunForEachElement() {
    Step each = new Step(1, 1, List.of(), null, Map.of(), false, "lines");
    Plan plan =
        SqlPlans.plan(
            Isolation.SERIALIZABLE,
            "UPDATE account SET balance = balance + :sum WHERE id = :id;"
                + " INSERT INTO moved VALUES (:line, :sum)",
            each,
            each);
    Object[] sums = {5L, 7L};
    assertThat(outcome(plan, sums, new Object[] {1L, 2L}, new Object[] {8L, 9L}))
        .isEqualTo(new Outcome.Done(4, 4, false));
    assertThat(balances()).containsExactly("15", "27");
    assertThat(database.ask("SELECT id || ' ' || sum FROM moved ORDER BY id"))
        .containsExactly("8 5", "9 7");
    assertThat(outcome(plan, sums, new Object[] {1L, 3L}, new Object[] {4L, 5L}))
        .isEqualTo(new Outcome.Failed("wrong-row"));
    assertThat(outcome(plan, new Object[0], new Object[0], new Object[0]))
        .isEqualTo(new Outcome.Done(0, 0, false));
    assertThat(balances()).containsExactly("15", "27");
  }

  /** Mutation: each repetition is compared with the first element. */
  @Test
  void theRowsOfARepetitionAreThoseOfItsElement() {
    var equal = List.of(new Step.Condition(Step.Relation.EQUAL, "id", "id"));
    Step each = new Step(1, 1, equal, null, Map.of(), false, "lines");
    Plan right = SqlPlans.plan(Isolation.DEFAULT, "SELECT id FROM account WHERE id = :id", each);
    assertThat(outcome(right, (Object) new Object[] {1L, 2L}))
        .isEqualTo(new Outcome.Done(2, 0, false));
    Plan wrong =
        SqlPlans.plan(Isolation.DEFAULT, "SELECT 3 - id AS id FROM account WHERE id = :id", each);
    assertThat(outcome(wrong, (Object) new Object[] {1L, 2L}))
        .isEqualTo(new Outcome.Failed("wrong-row"));
  }

  /** Rows that a SELECT returned are no changes. */
  @Test
  void onlyWritesChangeRows() {
    Plan plan =
        SqlPlans.plan(
            Isolation.DEFAULT,
            "SELECT id FROM account FOR UPDATE; UPDATE account SET balance = 5 WHERE id = :id",
            Step.ANY,
            GUARD);
    assertThat(outcome(plan, 1L)).isEqualTo(new Outcome.Done(3, 1, false));
    assertThat(outcome(plan, 7L)).isEqualTo(Outcome.REFUSED);
  }
}
