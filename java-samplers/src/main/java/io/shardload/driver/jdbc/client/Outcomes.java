package io.shardload.driver.jdbc.client;

import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLWarning;

/**
 * Translates errors to the kinds of failures that all drivers share: by SQLSTATE, and by what a
 * driver knows of its server. The effect of a statement is excluded only if the server answered
 * that it refused the statement.
 */
public abstract class Outcomes {
  /**
   * The server still answers, but it has lost a node behind it. A write may have taken effect: the
   * server does not report whether the node had committed it.
   */
  private static final String NODE_LOST = "node-lost";

  /** The kind of a refused connection because the server has enough of them. */
  public static final String TOO_MANY_CONNECTIONS = "too-many-connections";

  /** The kind by the driver's own codes; empty where the classes of SQLSTATE decide. */
  protected abstract String ownKind(SQLException e);

  /** Whether the server's answer excludes any effect; connection trouble never does. */
  protected abstract boolean refused(SQLException e);

  /** Whether another attempt may succeed; after connection trouble it always may. */
  protected abstract boolean again(SQLException e);

  /** Whether the connection takes the next statement after connection trouble. */
  protected boolean sessionLivesOn(SQLException e) {
    return false;
  }

  /** Whether it is connection trouble: between client and server, or behind the server. */
  protected boolean lost(SQLException e) {
    if (state(e).startsWith("08")) {
      return true;
    }
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException) {
        return true;
      }
    }
    return false;
  }

  /**
   * Refuses the acknowledgement of a write that the server has qualified by a warning.
   *
   * @param first of the statement or of the commit; null where there are none
   */
  public void checkAcknowledged(SQLWarning first) throws CallFailure {}

  /** A statement that was sent. */
  public final CallFailure statement(SQLException e) {
    boolean lost = lost(e);
    String kind = !lost ? kind(e) : sessionLivesOn(e) ? NODE_LOST : "connection-lost";
    return new CallFailure(kind, !lost && refused(e), lost || again(e), firstLine(e));
  }

  /** A COMMIT that was sent. */
  public final CallFailure commit(SQLException e) {
    CallFailure failure = statement(e);
    return refusesCommit(e) ? failure : failure.excluding(false);
  }

  /** Whether an answer that excludes the effect of a statement excludes that of a COMMIT, too. */
  protected boolean refusesCommit(SQLException e) {
    return true;
  }

  /** No connection was available: the statement was certainly never sent. */
  public final CallFailure connect(SQLException e) {
    return new CallFailure(connectKind(e), true, true, firstLine(e));
  }

  private String connectKind(SQLException e) {
    SQLException inner = null;
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
      if (cause instanceof SQLException sql && sql.getSQLState() != null) {
        inner = sql;
      }
    }
    if (inner == null) {
      return "pool-timeout";
    }
    return state(inner).startsWith("08") ? "connection-refused" : kind(inner);
  }

  private String kind(SQLException e) {
    String own = ownKind(e);
    if (!own.isEmpty()) {
      return own;
    }
    String state = state(e);
    return switch (state) {
      case "40001" -> "serialization-failure";
      case "40003" -> "completion-unknown";
      case "25006" -> "read-only";
      case "" -> "client-error";
      default ->
          state.startsWith("23")
              ? "constraint-violation"
              : state.startsWith("28") ? "login-refused" : "sqlstate-" + state;
    };
  }

  /** The SQLSTATE; empty if there is none. */
  public static String state(SQLException e) {
    return e.getSQLState() == null ? "" : e.getSQLState();
  }

  /** Why no connection was available, in one line; not every client has one for an unknown host. */
  public final String connectLine(SQLException e) {
    return connectKind(e).equals("unknown-host") ? "unknown host" : firstLine(e);
  }

  /** The message with the server's details. */
  public static String oneLine(SQLException e) {
    return String.valueOf(e.getMessage()).strip().replaceAll("\\s*\n\\s*", "; ");
  }

  /** Without the number of the connection that some clients put before it. */
  public static String firstLine(Throwable e) {
    String text = String.valueOf(e.getMessage()).replaceFirst("^\\(conn=\\d+\\) ", "");
    return CallFailure.firstLine(text);
  }
}
