package io.shardload.driver.postgresql.client;

import io.shardload.driver.jdbc.client.Outcomes;
import io.shardload.driver.jdbc.client.pool.Eviction;
import io.shardload.workload.CallFailure;
import java.sql.SQLException;
import java.sql.SQLWarning;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLWarning;
import org.postgresql.util.ServerErrorMessage;

/**
 * PostgreSQL's errors.
 *
 * <p>The effect of a statement is excluded only if the server answered with an ERROR. FATAL and
 * PANIC do not count, because they end the connection. Some errors do not count either: cancel and
 * statement timeout (57014), shutdown (57P0x), connection trouble (08xxx, which a coordinator also
 * reports for its workers), and completion unknown (40003).
 */
public final class Failures extends Outcomes {
  public static final Failures OUTCOMES = new Failures();

  /** Where PostgreSQL waits for its synchronous standbys: src/backend/replication/syncrep.c. */
  private static final String SYNCHRONOUS_WAIT = "SyncRepWaitForLSN";

  /** A pgbouncer before 1.13 says ERROR with this state, and hangs up. */
  private static final String PROTOCOL_VIOLATION = "08P01";

  private Failures() {}

  /** A coordinator reports its workers' losses as an ERROR, and its own session lives on. */
  public static final class OfPool extends Eviction {
    @java.lang.Override
    protected boolean sessionLivesOn(SQLException e) {
      return OUTCOMES.sessionLivesOn(e);
    }
  }

  /** A statement that was sent. */
  public static CallFailure ofStatement(SQLException e) {
    return OUTCOMES.statement(e);
  }

  @Override
  protected boolean refused(SQLException e) {
    String state = state(e);
    return answeredWithError(e, state) && !state.equals("57014") && !state.equals("40003");
  }

  @Override
  protected boolean again(SQLException e) {
    String state = state(e);
    return state.equals("57014")
        || state.startsWith("40")
        || state.startsWith("53")
        || state.equals("55P03");
  }

  @Override
  protected boolean lost(SQLException e) {
    return super.lost(e) || state(e).startsWith("57P0");
  }

  /**
   * {@inheritDoc} It does if the server answered with an ERROR. FATAL and PANIC end the session;
   * without an answer of the server the connection is lost. A severity in another language than
   * English counts as the end of the session.
   */
  @Override
  public boolean sessionLivesOn(SQLException e) {
    if (!(e instanceof PSQLException sql) || PROTOCOL_VIOLATION.equals(e.getSQLState())) {
      return false;
    }
    ServerErrorMessage message = sql.getServerErrorMessage();
    return message != null && "ERROR".equals(message.getSeverity());
  }

  /**
   * {@inheritDoc} That is one whose wait for a synchronous standby was cancelled. In this case the
   * server has committed locally and answers with success and a warning, and a failover may lose
   * the write. The failure is not transient: another attempt would find the row and be acknowledged
   * without a wait.
   */
  @Override
  public void checkAcknowledged(SQLWarning first) throws CallFailure {
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

  @Override
  protected String ownKind(SQLException e) {
    return switch (state(e)) {
      case "23505" -> CallFailure.DUPLICATE_KEY;
      case "57014" -> "timeout";
      case "57P01", "57P02" -> "server-shutting-down";
      case "57P03" -> "server-starting";
      case "40P01" -> "deadlock";
      case "55P03" -> "lock-timeout";
      case "53100" -> "disk-full";
      case "53200" -> "out-of-memory";
      case "53300" -> TOO_MANY_CONNECTIONS;
      default -> "";
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
}
