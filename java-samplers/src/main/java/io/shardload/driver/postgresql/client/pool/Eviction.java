package io.shardload.driver.postgresql.client.pool;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Which errors end a connection. HikariCP discards it at every SQLSTATE of class 08, and at 57P01
 * and 0A000. But a coordinator reports its workers' losses with these too, as an ERROR, and its own
 * session lives on.
 */
public final class Eviction implements SQLExceptionOverride {
  /** A pgbouncer before 1.13 says ERROR with this state, and hangs up. */
  private static final String PROTOCOL_VIOLATION = "08P01";

  @java.lang.Override
  public SQLExceptionOverride.Override adjudicate(SQLException e) {
    return sessionLivesOn(e)
        ? SQLExceptionOverride.Override.DO_NOT_EVICT
        : SQLExceptionOverride.Override.CONTINUE_EVICT;
  }

  /**
   * Whether the server answered with an ERROR, after which it takes the next statement. FATAL and
   * PANIC end the session; without an answer of the server the connection is lost. A severity in
   * another language than English counts as the end of the session.
   */
  public static boolean sessionLivesOn(SQLException e) {
    if (!(e instanceof PSQLException sql) || PROTOCOL_VIOLATION.equals(e.getSQLState())) {
      return false;
    }
    ServerErrorMessage message = sql.getServerErrorMessage();
    return message != null && "ERROR".equals(message.getSeverity());
  }
}
