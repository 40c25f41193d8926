package io.shardload.driver.jdbc.client.pool;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;

/**
 * Which errors end a connection. HikariCP discards it at every SQLSTATE of class 08 and at some
 * others, but a server may report the loss of a node behind it with these too, while its own
 * session lives on. HikariCP makes the object by the name of its class.
 */
public class Eviction implements SQLExceptionOverride {
  /** Whether the connection takes the next statement after this error. */
  protected boolean sessionLivesOn(SQLException e) {
    return false;
  }

  @java.lang.Override
  public final SQLExceptionOverride.Override adjudicate(SQLException e) {
    return sessionLivesOn(e)
        ? SQLExceptionOverride.Override.DO_NOT_EVICT
        : SQLExceptionOverride.Override.CONTINUE_EVICT;
  }
}
