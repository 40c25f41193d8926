package io.shardload.driver.jdbc.client.pool;

import java.sql.Connection;
import java.sql.SQLException;

/** Whether transactions may go to the server to which a failover has led a connection. */
@FunctionalInterface
public interface Admission {
  /** Throws if they may not; then the connection is closed. */
  void check(Connection connection) throws SQLException;
}
