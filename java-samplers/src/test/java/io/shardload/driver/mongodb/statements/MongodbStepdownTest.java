package io.shardload.driver.mongodb.statements;

import static io.shardload.driver.Caught.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The replies to an insert while its primary steps down. Codes and names are those of MongoDB's
 * {@code src/mongo/base/error_codes.yml}; the forms of the replies are those of the drivers'
 * specification of retryable writes, {@code specifications/source/retryable-writes/tests}.
 */
class MongodbStepdownTest {
  private static final ServerKind ROUTER = new ServerKind(ServerKind.Product.ROUTER, "8.0.4");

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // The member's own answer, before it looked at the insert.
        "{ok: 0, code: 10107, codeName: 'NotWritablePrimary', errmsg: 'not primary'}; not-primary;"
            + " true",
        "{ok: 0, code: 13435, codeName: 'NotPrimaryNoSecondaryOk', errmsg: 'no'}; not-primary;"
            + " true",
        // The same through a router.
        "{ok: 1, n: 0, writeErrors: [{index: 0, code: 10107, errmsg: 'not primary'}]}; not-primary;"
            + " true",
        "{ok: 1, n: 0, writeErrors: [{index: 0, code: 13435, errmsg: 'no'}]}; not-primary; true",
        // These interrupt an insert that has begun.
        "{ok: 0, code: 189, codeName: 'PrimarySteppedDown', errmsg: 'no'}; not-primary; false",
        "{ok: 0, code: 11602, codeName: 'InterruptedDueToReplStateChange', errmsg: 'no'};"
            + " not-primary; false",
        "{ok: 0, code: 91, codeName: 'ShutdownInProgress', errmsg: 'no'}; server-shutting-down;"
            + " false",
        "{ok: 1, n: 0, writeErrors: [{index: 0, code: 189, errmsg: 'no'}]}; not-primary; false",
        "{ok: 1, n: 0, writeErrors: [{index: 0, code: 11602, errmsg: 'no'}]}; not-primary; false",
        "{ok: 1, n: 0, writeErrors: [{index: 0, code: 91, errmsg: 'no'}]}; server-shutting-down;"
            + " false",
        // The insert stands, and may be rolled back.
        "{ok: 1, n: 1, writeConcernError: {code: 10107, errmsg: 'no'}}; write-concern; false",
        "{ok: 1, n: 1, writeConcernError: {code: 189, errmsg: 'no'}}; write-concern; false",
        "{ok: 1, n: 1, writeConcernError: {code: 64, errmsg: 'late'}}; write-concern; false"
      })
  void anInsert(String answer, String kind, boolean excluded) {
    try (FakeRouter router = FakeRouter.router("8.0.4", command -> answer);
        Connections connections = TestConnections.sharded(router)) {
      DocumentStoreCalls calls =
          new DocumentStoreCalls(
              DocumentStoreData.CALLS.folder("mongodb"),
              new MongodbStatementStore(connections, ROUTER));
      CallFailure failure = failureOf(() -> calls.insert(0));
      assertThat(failure.kind()).isEqualTo(kind);
      assertThat(failure.effectExcluded()).isEqualTo(excluded);
      assertThat(failure.transientFailure()).isTrue();
    }
  }
}
