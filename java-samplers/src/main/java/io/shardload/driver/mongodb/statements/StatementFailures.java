package io.shardload.driver.mongodb.statements;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.statements.command.Operation;
import io.shardload.workload.CallFailure;
import java.util.Set;
import org.bson.BSONException;
import org.bson.BsonSerializationException;

/**
 * What ended a statement, a transaction or its commit, beyond what {@link Failures} knows of one
 * document's change.
 */
record StatementFailures(boolean retriesWrites) {
  /**
   * FailedToParse, Unauthorized, AuthenticationFailed, NamespaceNotFound, CommandNotFound,
   * ShardKeyNotFound, InvalidNamespace, CommandNotSupported, NotImplemented: a server finds these
   * before it changes the first of several documents.
   */
  private static final Set<Integer> BEFORE_ANY = Set.of(9, 13, 18, 26, 59, 61, 73, 115, 238);

  /** What the client refused before a call began. */
  static CallFailure notSent(RuntimeException e) {
    return new CallFailure("client-error", true, false, Failures.firstLine(e));
  }

  /**
   * A statement that is a transaction of its own.
   *
   * @param sent whether it had got a connection
   * @throws RuntimeException the same, if it is none of the client's
   */
  CallFailure of(RuntimeException e, boolean sent, Operation operation) {
    CallFailure failure = plain(e, sent, operation.single() && retriesWrites);
    if (!operation.writes()) {
      return failure.excluding(true);
    }
    return failure.excluding(
        failure.effectExcluded() && (operation.single() || !sent || ruledOut(e)));
  }

  /** Whether an error rules out that any of several documents was changed. */
  private static boolean ruledOut(RuntimeException e) {
    if (e instanceof MongoBulkWriteException bulk) {
      BulkWriteResult done = bulk.getWriteResult();
      int changed = done.getInsertedCount() + done.getMatchedCount() + done.getDeletedCount();
      return changed == 0
          && done.getUpserts().isEmpty()
          && bulk.getWriteErrors().stream()
              .map(BulkWriteError::getCode)
              .allMatch(BEFORE_ANY::contains);
    }
    return e instanceof MongoException answer && BEFORE_ANY.contains(answer.getCode());
  }

  private static CallFailure plain(RuntimeException e, boolean sent, boolean retried) {
    if (e instanceof MongoException failure) {
      return Failures.of(failure, sent, retried);
    }
    if (e instanceof IllegalArgumentException || e instanceof BsonSerializationException) {
      // The client encodes a command before it sends the first byte of it.
      return notSent(e);
    }
    if (e instanceof BSONException) {
      // It cannot read the answer: FerretDB 1 leaves out a field where it refuses an update.
      return new CallFailure("client-error", !sent, false, Failures.firstLine(e));
    }
    if (e instanceof IllegalStateException closed) {
      return Failures.ofClosed(closed, sent);
    }
    throw e;
  }

  /** What ended a transaction before its commit was sent: the server will take it back. */
  static CallFailure beforeCommit(RuntimeException e, boolean sent) {
    CallFailure failure = plain(e, sent, false);
    boolean again =
        failure.transientFailure() || labelled(e, MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL);
    return new CallFailure(failure.kind(), true, again, failure.getMessage());
  }

  /**
   * What ended a commit. An answer that says that the transaction was aborted excludes its effect;
   * a failed write concern does not, because the transaction is on the primary.
   */
  static CallFailure ofCommit(RuntimeException e, boolean sent) {
    CallFailure failure = plain(e, sent, true);
    boolean aborted = labelled(e, MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL);
    boolean open = labelled(e, MongoException.UNKNOWN_TRANSACTION_COMMIT_RESULT_LABEL);
    boolean excluded = !sent || (!open && (aborted || failure.effectExcluded()));
    return new CallFailure(
        failure.kind(), excluded, aborted || failure.transientFailure(), failure.getMessage());
  }

  private static boolean labelled(RuntimeException e, String label) {
    return e instanceof MongoException failure && failure.hasErrorLabel(label);
  }
}
