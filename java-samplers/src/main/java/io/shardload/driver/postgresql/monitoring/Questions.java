package io.shardload.driver.postgresql.monitoring;

import io.shardload.monitoring.Sheet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/** What a monitor asks one server each time. Not thread-safe. */
interface Questions {
  /** Whether all statements of a read belong to one transaction. */
  boolean inTransaction();

  /**
   * What the server reports, and, if it is a coordinator, what the workers do.
   *
   * @param end time after which no question begins
   * @param known receives the identity of the server as soon as it is known
   */
  List<Sheet> ask(Connection connection, String server, long end, Consumer<Identity> known)
      throws SQLException;
}
