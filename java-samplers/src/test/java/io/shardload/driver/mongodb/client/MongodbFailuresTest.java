package io.shardload.driver.mongodb.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoCredential;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcernResult;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.WriteConcernError;
import io.shardload.workload.CallFailure;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Which error leaves open whether a write happened. */
class MongodbFailuresTest {
  private static final ServerAddress SERVER = new ServerAddress("127.0.0.1");

  private static MongoCommandException answer(int code) {
    return answer(code, "no");
  }

  private static MongoCommandException answer(int code, String text) {
    return new MongoCommandException(
        BsonDocument.parse("{ok: 0, errmsg: '" + text + "', code: " + code + "}"), SERVER);
  }

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(answer(11000), CallFailure.DUPLICATE_KEY, true, false),
        Arguments.of(answer(112), "serialization-failure", true, true),
        Arguments.of(answer(59), "unsupported", true, false),
        Arguments.of(answer(121), "constraint-violation", true, false),
        Arguments.of(answer(1), "code-1", false, true),
        Arguments.of(answer(13), "not-allowed", true, false),
        Arguments.of(answer(18), "login-refused", true, false),
        Arguments.of(answer(133), "no-server", false, true),
        Arguments.of(answer(43), "cursor-lost", false, true),
        Arguments.of(answer(237), "cursor-lost", false, true),
        Arguments.of(answer(11601), "killed", false, true),
        Arguments.of(answer(91), "server-shutting-down", false, true),
        Arguments.of(answer(89), "node-lost", false, true),
        // FerretDB 1.24 passes on what pgx says of its PostgreSQL.
        Arguments.of(
            answer(
                1,
                "[msg_insert.go:64] failed to connect to `host=127.0.0.1 user=shardload`: dial"
                    + " error (dial tcp 127.0.0.1:5432: connect: connection refused)"),
            "node-lost",
            false,
            true),
        Arguments.of(
            answer(1, "FATAL: the database system is starting up (SQLSTATE 57P03)"),
            "node-lost",
            false,
            true),
        // FerretDB 2.7 often passes them on without the SQLSTATE.
        Arguments.of(
            answer(1, "terminating connection due to unexpected postmaster exit"),
            "node-lost",
            false,
            true),
        Arguments.of(
            answer(1, "the database system is in recovery mode"), "node-lost", false, true),
        Arguments.of(
            new MongoNotPrimaryException(BsonDocument.parse("{code: 10107}"), SERVER),
            "not-primary",
            true,
            true),
        Arguments.of(answer(13435), "not-primary", true, true),
        Arguments.of(answer(189), "not-primary", false, true),
        Arguments.of(answer(11602), "not-primary", false, true),
        Arguments.of(unacknowledged(10107), "write-concern", false, true),
        Arguments.of(new MongoExecutionTimeoutException(50, "late"), "timeout", false, true),
        Arguments.of(
            new MongoSocketReadTimeoutException("late", SERVER, null), "timeout", false, true),
        Arguments.of(new MongoSocketReadException("cut", SERVER), "connection-lost", false, true),
        Arguments.of(unacknowledged(64), "write-concern", false, true),
        // The same code from a statement that was refused excludes an effect.
        Arguments.of(unacknowledged(2), "write-concern", false, true),
        Arguments.of(answer(2), "code-2", true, false));
  }

  private static MongoWriteConcernException unacknowledged(int code) {
    return new MongoWriteConcernException(
        new WriteConcernError(code, "scripted", "scripted", new BsonDocument()),
        WriteConcernResult.unacknowledged(),
        SERVER,
        Set.of());
  }

  @ParameterizedTest
  @MethodSource("failures")
  void onlyAnAnswerThatIsKnownToExcludeItsEffectDoes(
      MongoException e, String kind, boolean excluded, boolean again) {
    CallFailure failure = Failures.ofStatement(e);
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.effectExcluded()).isEqualTo(excluded);
    assertThat(failure.transientFailure()).isEqualTo(again);
  }

  /** What the last member refused, the first may have done before it was cut off. */
  @Test
  void theRefusalOfARetryLeavesTheFirstAttemptOpen() {
    assertThat(Failures.of(answer(10107), true, true).effectExcluded()).isFalse();
    assertThat(Failures.of(answer(13435), true, true).effectExcluded()).isFalse();
    assertThat(Failures.of(answer(11000), true, true).effectExcluded()).isTrue();
  }

  /** The driver adds the host and the whole answer. */
  @Test
  void theServersOwnWordsAreTheMessage() {
    assertThat(Failures.ofStatement(answer(13))).hasMessage("no");
    // Of a MongoDB 4.0.3 to a user without clusterManager.
    assertThat(
            Failures.firstLine(
                answer(
                    13,
                    "not authorized on config to execute command { find: \"collections\", filter: {"
                        + " _id: \"a.b\" }, lsid: { id: UUID(\"0\") } }")))
        .isEqualTo("not authorized on config to execute find: \"collections\"");
  }

  @Test
  void ofABatchTheFirstRefusalIsShown() {
    List<BulkWriteError> refusals =
        List.of(
            new BulkWriteError(133, "no primary in shardB", new BsonDocument(), 0),
            new BulkWriteError(133, "no primary in shardB", new BsonDocument(), 1),
            new BulkWriteError(133, "no primary in shardB", new BsonDocument(), 2));
    assertThat(
            Failures.ofStatement(
                new MongoBulkWriteException(
                    BulkWriteResult.unacknowledged(), refusals, null, SERVER, Set.of())))
        .hasMessage("no primary in shardB (and 2 more)");
  }

  /** Between two primaries one member is dead and the others answer. */
  @ParameterizedTest
  @CsvSource({"CONNECTED, no-server", "CONNECTING, connection-refused"})
  void aSetWithoutAPrimaryIsNoDeadServer(String state, String kind) {
    String cluster =
        "Timed out while waiting for a server that matches WritableServerSelector. Client view of"
            + " cluster state is {type=REPLICA_SET, servers=[{address=a:1, state=%s},"
            + " {address=b:1, state=CONNECTING, caused by {java.net.ConnectException: Connection"
            + " refused}}]";
    CallFailure failure =
        Failures.of(new MongoTimeoutException(cluster.formatted(state)), false, false);
    assertThat(failure.kind()).isEqualTo(kind);
  }

  /** FerretDB 2.7 asks its PostgreSQL about a login; the password is not to blame. */
  @Test
  void aLoginWithoutPostgresqlIsNoWrongPassword() {
    MongoCommandException down =
        answer(1, "dial error: dial tcp 127.0.0.1:5432: connect: connection refused");
    MongoCredential user =
        MongoCredential.createScramSha256Credential("a", "admin", new char[] {'a'});
    assertThat(Failures.of(new MongoSecurityException(user, "no login", down), false, false).kind())
        .isEqualTo("node-lost");
    assertThat(
            Failures.of(new MongoSecurityException(user, "no login", answer(18)), false, false)
                .kind())
        .isEqualTo("login-refused");
  }

  @Test
  void whatGotNoConnectionWasNeverSent() {
    CallFailure failure =
        Failures.of(
            new MongoTimeoutException("Timed out while waiting for a connection to server"),
            false,
            false);
    assertThat(failure.kind()).isEqualTo("pool-timeout");
    assertThat(failure.effectExcluded()).isTrue();
    assertThat(failure.transientFailure()).isTrue();
  }
}
