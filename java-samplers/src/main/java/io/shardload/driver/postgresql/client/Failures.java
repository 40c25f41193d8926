package io.shardload.driver.postgresql.client;

import io.shardload.driver.postgresql.client.pool.Eviction;
import io.shardload.workload.CallFailure;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLWarning;
import org.postgresql.util.ServerErrorMessage;

/**
 * Translates SQLSTATEs to the kinds of failures that all drivers share.
 *
 * <p>The effect of a statement is excluded only if the server answered with an ERROR. FATAL and
 * PANIC do not count, because they end the connection. Some errors do not count either: cancel and
 * statement timeout (57014), shutdown (57P0x), connection trouble (08xxx, which a coordinator also
 * reports for its workers), and completion unknown (40003).
 */
public final class Failures {
  /** Where PostgreSQL waits for its synchronous standbys: src/backend/replication/syncrep.c. */
  private static final String SYNCHRONOUS_WAIT = "SyncRepWaitForLSN";

  /**
   * The server still answers, but it has lost a node behind it, such as a worker of a Citus
   * coordinator. A write may have taken effect: the server does not report whether the node had
   * committed it.
   */
  private static final String NODE_LOST = "node-lost";

  private Failures() {}

  /** A statement that was sent. */
  public static CallFailure ofStatement(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    boolean lost = lost(e, state);
    boolean excluded =
        answeredWithError(e, state) && !lost && !state.equals("57014") && !state.equals("40003");
    boolean again =
        lost
            || state.equals("57014")
            || state.startsWith("40")
            || state.startsWith("53")
            || state.equals("55P03");
    String kind = !lost ? kind(state) : Eviction.sessionLivesOn(e) ? NODE_LOST : "connection-lost";
    return new CallFailure(kind, excluded, again, firstLine(e));
  }

  /** No connection was available: the statement was certainly never sent. */
  public static CallFailure ofConnect(SQLException e) {
    return new CallFailure(connectKind(e), true, true, firstLine(e));
  }

  /**
   * Refuses the acknowledgement of a write whose wait for a synchronous standby was cancelled. In
   * this case the server has committed locally and answers with success and a warning, and a
   * failover may lose the write. The failure is not transient: another attempt would find the row
   * and be acknowledged without a wait.
   */
  public static void checkReplicated(Statement write) throws SQLException, CallFailure {
    checkReplicated(write.getWarnings());
  }

  /** The same for the warnings of a commit; null where there are none. */
  public static void checkReplicated(SQLWarning first) throws CallFailure {
    for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
      if (notReplicated(warning)) {
        throw new CallFailure("not-replicated", false, false, firstLine(warning));
      }
    }
  }

  /** The routine's name is not translated. A coordinator forwards only the text. */
  private static boolean notReplicated(SQLWarning warning) {
    ServerErrorMessage message =
        warning instanceof PSQLWarning server ? server.getServerErrorMessage() : null;
    return (message != null && SYNCHRONOUS_WAIT.equals(message.getRoutine()))
        || String.valueOf(warning.getMessage()).contains("synchronous replication");
  }

  private static String connectKind(SQLException e) {
    String inner = "";
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException) {
        return "connection-refused";
      }
      if (cause instanceof UnknownHostException) {
        return "unknown-host";
      }
      if (cause instanceof SocketTimeoutException) {
        return "connect-timeout";
      }
      if (cause instanceof PSQLException sql && sql.getSQLState() != null) {
        inner = sql.getSQLState();
      }
    }
    if (inner.isEmpty()) {
      return "pool-timeout";
    }
    return inner.startsWith("08") ? "connection-refused" : kind(inner);
  }

  private static boolean lost(SQLException e, String state) {
    if (state.startsWith("08") || state.startsWith("57P0")) {
      return true;
    }
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof java.io.IOException) {
        return true;
      }
    }
    return false;
  }

  private static String kind(String state) {
    return switch (state) {
      case "23505" -> CallFailure.DUPLICATE_KEY;
      case "57014" -> "timeout";
      case "57P01", "57P02" -> "server-shutting-down";
      case "57P03" -> "server-starting";
      case "40001" -> "serialization-failure";
      case "40P01" -> "deadlock";
      case "40003" -> "completion-unknown";
      case "55P03" -> "lock-timeout";
      case "53100" -> "disk-full";
      case "53200" -> "out-of-memory";
      case "53300" -> "too-many-connections";
      case "25006" -> "read-only";
      case "" -> "client-error";
      default ->
          state.startsWith("23")
              ? "constraint-violation"
              : state.startsWith("28") ? "login-refused" : "sqlstate-" + state;
    };
  }

  /**
   * Servers report the severity in their own language, so if it is not the English word, only the
   * classes that never end a connection count: data, integrity, syntax or access, rollback.
   */
  private static boolean answeredWithError(SQLException e, String state) {
    if (!(e instanceof PSQLException sql)) {
      return false;
    }
    ServerErrorMessage message = sql.getServerErrorMessage();
    return message != null
        && ("ERROR".equals(message.getSeverity())
            || state.startsWith("22")
            || state.startsWith("23")
            || state.startsWith("42")
            || state.startsWith("40"));
  }

  /**
   * Why no connection was available, in one line; pgjdbc has no message for an unknown host name.
   */
  public static String connectLine(SQLException e) {
    return connectKind(e).equals("unknown-host") ? "unknown host" : firstLine(e);
  }

  /** The message with the server's details. */
  public static String oneLine(SQLException e) {
    return String.valueOf(e.getMessage()).strip().replaceAll("\\s*\n\\s*", "; ");
  }

  public static String firstLine(Throwable e) {
    String text = String.valueOf(e.getMessage());
    int end = text.indexOf('\n');
    // Text before a colon announces the next line.
    while (end > 0 && text.substring(0, end).endsWith(":")) {
      text = text.substring(0, end) + " " + text.substring(end).stripLeading();
      end = text.indexOf('\n');
    }
    return end < 0 ? text : text.substring(0, end);
  }
}
