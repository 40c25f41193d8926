package io.shardload.driver.mongodb.client;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoServerException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.MongoWriteException;
import io.shardload.tls.Distrust;
import io.shardload.workload.CallFailure;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Translates exceptions of the client library and codes of the server to the kinds of failures that
 * all drivers share.
 *
 * <p>The effect of a statement is excluded only if the server answered with a code that rules it
 * out ({@link #WITHOUT_EFFECT}, {@link #NOT_BEGUN}). After any other failure the effect is unknown:
 * network errors, maxTimeMS, a failed write concern (the write is on the primary and may be rolled
 * back), a primary that steps down in the meantime, and codes that are not in the list. One of
 * these is InternalError (1), which FerretDB uses for every error of its own database.
 */
public final class Failures {
  private static final int INTERNAL_ERROR = 1;

  private static final Pattern BACKEND_LOST =
      Pattern.compile(
          "failed to connect|connection refused|connection reset|unexpected EOF|conn closed"
              + "|terminating connection"
              + "|the database system is (starting up|shutting down|in recovery mode|not )"
              + "|SQLSTATE (08...|57P0.)");

  private static final Pattern REFUSED = Pattern.compile("SQLSTATE (28P01|28000)");

  private static final Pattern NOT_AUTHORIZED =
      Pattern.compile("(not authorized on \\S+ to execute )command \\{ (\\w+: [^,}]+).*");

  /**
   * BadValue, FailedToParse, Unauthorized, TypeMismatch, AuthenticationFailed, IllegalOperation,
   * LockTimeout, NamespaceNotFound, PathNotViable, ConflictingUpdateOperators, CommandNotFound,
   * ShardKeyNotFound, ImmutableField, InvalidOptions, InvalidNamespace, WriteConflict (the write
   * was taken back), CommandNotSupported, DocumentValidationFailure, NotImplemented,
   * BSONObjectTooLarge, OutOfDiskSpace; and duplicates.
   */
  private static final Set<Integer> WITHOUT_EFFECT =
      Set.of(
          2, 9, 13, 14, 18, 20, 24, 26, 28, 40, 59, 61, 66, 72, 73, 112, 115, 121, 238, 10334,
          14031, 11000, 11001, 12582);

  /**
   * NotWritablePrimary and NotPrimaryNoSecondaryOk: a member that is not a primary refuses a
   * statement before it starts it. PrimarySteppedDown (189), InterruptedDueToReplStateChange
   * (11602) and ShutdownInProgress (91) interrupt a statement that has begun.
   */
  private static final Set<Integer> NOT_BEGUN = Set.of(10107, 13435);

  private Failures() {}

  /**
   * What ended a call.
   *
   * @param sent whether it had got a connection; without a connection it was certainly never sent
   * @param retried whether the driver, or a router, may have sent the same write before: what the
   *     last answer excludes, the first attempt may have done
   */
  public static CallFailure of(MongoException e, boolean sent, boolean retried) {
    return sent
        ? ofStatement(e, retried)
        : new CallFailure(connectKind(e), true, true, firstLine(e));
  }

  /** A statement that was, or may have been, sent. */
  public static CallFailure ofStatement(MongoException e) {
    return ofStatement(e, false);
  }

  @FunctionalInterface
  public interface Work<T> {
    T run() throws CallFailure;
  }

  /** Asks the server; what the client library throws is the failure of a statement. */
  public static <T> T translated(Work<T> work) throws CallFailure {
    try {
      return work.run();
    } catch (MongoException e) {
      throw ofStatement(e);
    }
  }

  @FunctionalInterface
  public interface Action {
    void run() throws CallFailure;
  }

  /** As {@link #translated} where the answer does not matter. */
  public static void translate(Action action) throws CallFailure {
    translated(
        () -> {
          action.run();
          return null;
        });
  }

  private static CallFailure ofStatement(MongoException e, boolean retried) {
    int code = code(e);
    String kind = kind(e, code);
    boolean writeConcern =
        e instanceof MongoWriteConcernException
            || (e instanceof MongoBulkWriteException bulk
                && bulk.getWriteErrors().isEmpty()
                && bulk.getWriteConcernError() != null);
    boolean excluded =
        e instanceof MongoServerException
            && !writeConcern
            && (WITHOUT_EFFECT.contains(code) || (NOT_BEGUN.contains(code) && !retried));
    boolean again =
        (!excluded && !Set.of("interrupted", "client-error").contains(kind))
            || NOT_BEGUN.contains(code)
            || Set.of(24, 112).contains(code);
    return new CallFailure(writeConcern ? "write-concern" : kind, excluded, again, firstLine(e));
  }

  /** The driver was closed in the middle of a call. */
  public static CallFailure ofClosed(IllegalStateException e, boolean sent) {
    return new CallFailure("connection-lost", !sent, false, firstLine(e));
  }

  public static int code(MongoException e) {
    if (e instanceof MongoWriteException write) {
      return write.getError().getCode();
    }
    if (e instanceof MongoBulkWriteException bulk && !bulk.getWriteErrors().isEmpty()) {
      return bulk.getWriteErrors().get(0).getCode();
    }
    return e.getCode();
  }

  private static String kind(MongoException e, int code) {
    if (e instanceof MongoSocketReadTimeoutException
        || e instanceof MongoExecutionTimeoutException) {
      return "timeout";
    }
    if (e instanceof MongoSocketException || e instanceof MongoConnectionPoolClearedException) {
      return "connection-lost";
    }
    if (e instanceof MongoInterruptedException) {
      return "interrupted";
    }
    if (e instanceof MongoTimeoutException || e instanceof MongoSecurityException) {
      // A further batch, or the driver's own retry, found no connection any more.
      return connectKind(e);
    }
    if (postgresqlRefused(e)) {
      return "login-refused";
    }
    // So FerretDB reports that it cannot reach the PostgreSQL behind it, or lost it.
    if (internal(e) && BACKEND_LOST.matcher(e.getMessage()).find()) {
      return "node-lost";
    }
    return e instanceof MongoServerException ? kind(code) : "client-error";
  }

  /** FerretDB 1 accepts any login by PLAIN, and tries it on its PostgreSQL at the first command. */
  public static boolean postgresqlRefused(MongoException e) {
    return internal(e) && REFUSED.matcher(e.getMessage()).find();
  }

  /** FerretDB reports everything of its PostgreSQL so; only the text shows what it is. */
  private static boolean internal(MongoException e) {
    return e instanceof MongoCommandException && e.getCode() == INTERNAL_ERROR;
  }

  private static String kind(int code) {
    return switch (code) {
      case 11000, 11001, 12582 -> CallFailure.DUPLICATE_KEY;
      case 50, 262 -> "timeout";
      case 10107, 13435, 10058, 189, 11602 -> "not-primary";
      case 13436 -> "server-starting";
      case 91, 11600 -> "server-shutting-down";
      // A router reports so of its shards: the connection to the router is as it was.
      case 6, 7, 89, 9001 -> "node-lost";
      case 64, 79, 100 -> "write-concern";
      // A router found none among a shard's members, such as no primary for a write.
      case 133 -> "no-server";
      case 13 -> "not-allowed";
      case 18 -> "login-refused";
      case 43, 237 -> "cursor-lost";
      case 11601 -> "killed";
      case 24, 46 -> "lock-timeout";
      case 59, 115, 238 -> "unsupported";
      case 112 -> "serialization-failure";
      case 251 -> "transaction-aborted";
      case 121 -> "constraint-violation";
      case 14031 -> "disk-full";
      default -> "code-" + code;
    };
  }

  /** What kept a call from getting a connection. */
  public static String connectKind(MongoException e) {
    if (e instanceof MongoInterruptedException) {
      return "interrupted";
    }
    if (postgresqlRefused(e)) {
      return "login-refused";
    }
    // A failed server selection has no cause, but its causes in its text.
    String all = Distrust.words(e);
    if (all.contains("MongoSecurityException")) {
      // FerretDB 2 asks its PostgreSQL about every login.
      return BACKEND_LOST.matcher(all).find() ? "node-lost" : "login-refused";
    }
    if (all.contains("UnknownHostException")) {
      return "unknown-host";
    }
    // A set without a primary still has members that answer.
    if (all.contains("ConnectException") && !all.contains("state=CONNECTED")) {
      return "connection-refused";
    }
    if (all.contains("waiting for a connection to server")) {
      return "pool-timeout";
    }
    if (all.contains("SocketTimeoutException")) {
      return "connect-timeout";
    }
    return e instanceof MongoTimeoutException ? "no-server" : "connection-lost";
  }

  /** A short description: the server's message without the document around it. */
  public static String firstLine(Throwable e) {
    if (e instanceof MongoBulkWriteException bulk && !bulk.getWriteErrors().isEmpty()) {
      int more = bulk.getWriteErrors().size() - 1;
      return bulk.getWriteErrors().get(0).getMessage()
          + (more > 0 ? " (and " + more + " more)" : "");
    }
    String text =
        e instanceof MongoCommandException answer
            ? answer.getErrorMessage()
            : String.valueOf(e.getMessage());
    // MongoDB quotes the whole command, with its session.
    return CallFailure.firstLine(NOT_AUTHORIZED.matcher(text).replaceFirst("$1$2"));
  }
}
