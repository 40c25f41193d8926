package io.shardload.driver.mongodb.statements;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.mongodb.statements.Commands.capture;
import static io.shardload.driver.mongodb.statements.Commands.plan;
import static io.shardload.driver.mongodb.statements.Commands.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.statements.Commands.Told;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.statements.calls.Judged;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What is sent for a transaction of several statements, recorded by a fake mongos. Fields of the
 * commands and replies are those of the drivers' specification of transactions, {@code
 * specifications/source/transactions/transactions.md}; codes and labels are those of MongoDB's
 * {@code src/mongo/base/error_codes.yml} and {@code error_labels.cpp}.
 */
class TransactionsTest {
  private static final String FIND =
      "{find: 'accounts', filter: {_id: {$numberLong: '7'}}, maxTimeMS: {$numberLong: '5000'}%s}";
  private static final String BEGIN =
      ", startTransaction: true, readConcern: {level: '%s'}, autocommit: false";
  private static final String INSERT =
      "{insert: 'history', ordered: true, autocommit: false, documents: [{_id: 1, balance: 3}]}";
  private static final String COMMIT =
      "{commitTransaction: 1, writeConcern: {w: 'majority', wtimeout: {$numberLong: '5000'}, j:"
          + " true}, maxTimeMS: {$numberLong: '5000'}, autocommit: false}";
  private static final String ABORT =
      "{abortTransaction: 1, writeConcern: {w: 'majority', wtimeout: {$numberLong: '5000'}, j:"
          + " true}, autocommit: false}";

  private static Plan transfer(Isolation isolation) {
    return plan(
        isolation,
        List.of("id"),
        List.of(capture("balance"), Step.ANY),
        "{'find': 'accounts', 'filter': {'_id': {'$param': 'id'}}}",
        "{'insert': 'history', 'documents': [{'_id': 1, 'balance': {'$param': 'balance'}}]}");
  }

  private static FakeRouter router(String concern) {
    return FakeRouter.router("8.0.4")
        .expect(
            "app",
            FIND.formatted(BEGIN.formatted(concern)),
            FakeRouter.rows("{_id: 7, balance: 3}"));
  }

  @ParameterizedTest
  @CsvSource({
    "DEFAULT, local, local",
    "DEFAULT, majority, majority",
    "READ_COMMITTED, local, majority",
    "REPEATABLE_READ, local, snapshot"
  })
  void statementsThenCommit(Isolation isolation, String option, String concern) throws CallFailure {
    FakeRouter router = router(concern).expect("app", INSERT, "{ok: 1, n: 1}");
    router.expect("admin", COMMIT);
    try (FakeSession session = FakeSession.on(router, ", 'read-concern': '" + option + "'")) {
      Told told = run(session.store(), transfer(isolation), 7L);
      assertThat(told.lines).containsExactly("begin", "0: [3]", "0 ended: 1", "1 ended: 1");
      assertThat(told.phases.names()).containsExactly("connected", "found");
      router.assertDone();
    }
  }

  @Test
  void nothingToCaptureAborts() {
    FakeRouter router = FakeRouter.router("8.0.4");
    router.expect("app", FIND.formatted(BEGIN.formatted("local")), FakeRouter.rows());
    router.expect("admin", ABORT);
    assertThat(outcome(router, transfer(Isolation.DEFAULT), 7L))
        .isEqualTo(new Outcome.Failed(StatementStore.NOTHING_CAPTURED));
  }

  /** The abort is sent in place of the next statement, or of the commit. */
  @ParameterizedTest
  @CsvSource({"2, 1, true", "1, 2, true", "1, 1, false"})
  void aWrongAnswerAborts(long reads, long inserts, boolean known) {
    Plan right = transfer(Isolation.DEFAULT);
    Plan plan =
        new Plan(
            "t",
            0,
            right.isolation(),
            right.arguments(),
            right.statements(),
            List.of(
                new Step(reads, reads, Map.of("_id", "id"), Map.of("balance", "balance")),
                new Step(inserts, inserts, Map.of(), Map.of())));
    FakeRouter router = FakeRouter.router("8.0.4");
    String id = known ? "7" : "8";
    router.expect(
        "app",
        FIND.formatted(BEGIN.formatted("local")),
        FakeRouter.rows("{_id: %s, balance: 3}".formatted(id)));
    if (reads == 1 && known) {
      router.expect("app", INSERT, "{ok: 1, n: 1}");
    }
    router.expect("admin", ABORT);
    assertThat(outcome(router, plan, 7L)).isEqualTo(new Outcome.Failed("wrong-row"));
  }

  private static Outcome outcome(FakeRouter router, Plan plan, Object... arguments) {
    try (FakeSession session = FakeSession.on(router, "")) {
      Outcome outcome = Judged.outcome(session.store(), plan, arguments);
      router.assertDone();
      return outcome;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{ok: 0, code: 112, codeName: 'WriteConflict', errmsg: 'no', errorLabels:"
            + " ['TransientTransactionError']}; serialization-failure; true",
        "{ok: 0, code: 251, codeName: 'NoSuchTransaction', errmsg: 'no', errorLabels:"
            + " ['TransientTransactionError']}; transaction-aborted; true",
        "{ok: 0, code: 8000, errmsg: 'no'}; code-8000; true",
        "{ok: 1, n: 0, writeErrors: [{index: 0, code: 11000, errmsg: 'dup'}]}; duplicate-key;"
            + " false",
        // Not even a timeout can leave an effect: no commit was sent.
        "{ok: 0, code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'no'}; timeout; true"
      })
  void aStatementThatFailsExcludesTheEffectOfAll(String reply, String kind, boolean again) {
    FakeRouter router = router("local").expect("app", INSERT, reply);
    router.expect("admin", ABORT);
    CallFailure failure = failure(router);
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.effectExcluded()).isTrue();
    assertThat(failure.transientFailure()).isEqualTo(again);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // The server has aborted it, and says so.
        "{ok: 0, code: 251, codeName: 'NoSuchTransaction', errmsg: 'no', errorLabels:"
            + " ['TransientTransactionError']}; transaction-aborted; true",
        "{ok: 0, code: 112, codeName: 'WriteConflict', errmsg: 'no', errorLabels:"
            + " ['TransientTransactionError']}; serialization-failure; true",
        // Committed, and may be rolled back, or not committed yet.
        "{ok: 1, writeConcernError: {code: 64, errmsg: 'late'}}; write-concern; false",
        "{ok: 1, writeConcernError: {code: 100, errmsg: 'no such w'}}; write-concern; false",
        "{ok: 0, code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'late'}; timeout; false",
        "{ok: 0, code: 8000, errmsg: 'no'}; code-8000; false"
      })
  void whatACommitAnswers(String reply, String kind, boolean excluded) {
    FakeRouter router = router("local").expect("app", INSERT, "{ok: 1, n: 1}");
    router.expect("admin", COMMIT, reply);
    CallFailure failure = failure(router);
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.effectExcluded()).isEqualTo(excluded);
    assertThat(failure.transientFailure()).isTrue();
  }

  private static CallFailure failure(FakeRouter router) {
    try (FakeSession session = FakeSession.on(router, "")) {
      CallFailure failure = failureOf(() -> run(session.store(), transfer(Isolation.DEFAULT), 7L));
      router.assertDone();
      return failure;
    }
  }

  /** The client asks once more, as its specification demands; then nobody knows. */
  @Test
  void aCommitWithoutAnAnswerIsUnknown() {
    AtomicInteger commits = new AtomicInteger();
    FakeRouter router =
        FakeRouter.router(
            "8.0.4",
            command -> {
              if (command.containsKey("commitTransaction")) {
                commits.incrementAndGet();
                return FakeRouter.HANG_UP;
              }
              return command.containsKey("find")
                  ? FakeRouter.rows("{_id: 7, balance: 3}")
                  : "{ok: 1, n: 1}";
            });
    CallFailure failure = failure(router);
    assertThat(failure.kind()).isEqualTo("connection-lost");
    assertThat(failure.effectExcluded()).isFalse();
    assertThat(commits).hasValue(2);
  }

  @Test
  void aConnectionThatIsLostBeforeTheCommitExcludesTheEffect() {
    FakeRouter router =
        FakeRouter.router(
            "8.0.4",
            command ->
                command.containsKey("insert")
                    ? FakeRouter.HANG_UP
                    : FakeRouter.rows("{_id: 7, balance: 3}"));
    CallFailure failure = failure(router);
    assertThat(failure.kind()).isEqualTo("connection-lost");
    assertThat(failure.effectExcluded()).isTrue();
    assertThat(failure.transientFailure()).isTrue();
  }

  @Test
  void whatMongodbDoesNotHaveIsRefused() {
    assertThat(MongodbStatementStore.refusal(Isolation.SERIALIZABLE, "local").orElseThrow())
        .contains("repeatable-read (snapshot)");
    assertThat(MongodbStatementStore.refusal(Isolation.DEFAULT, "linearizable").orElseThrow())
        .contains("a transaction does not support linearizable");
    assertThat(MongodbStatementStore.refusal(Isolation.READ_COMMITTED, "linearizable")).isEmpty();
    assertThat(MongodbStatementStore.refusal(Isolation.NONE, "linearizable")).isEmpty();
  }
}
