package io.shardload.driver.jdbc.store;

import io.shardload.driver.Header;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The header as this process has last read or written it. A failover to a standby that lagged
 * behind sets the header back; transactions go to that server only when its header still names the
 * run that they belong to, and its mark is raised again. Thread-safe.
 */
final class KnownHeader {
  static final String RAISE_HIGH_WATER =
      "UPDATE shardload_header SET high_water = ? WHERE high_water < ?";
  private static final String MARK =
      "SELECT high_water FROM shardload_header WHERE dirty_run = ? AND generation = ?";

  private static final String OBJECT_NOT_IN_STATE = "55000";

  private Header known;

  /**
   * Takes a header that was read: it replaces the known header, unless it has lost the known run.
   */
  synchronized void read(Header header) {
    boolean same =
        known != null
            && known.dirtyRun().equals(header.dirtyRun())
            && known.generation() == header.generation();
    if (known == null || known.clean()) {
      known = header;
    } else if (same) {
      known = header.withHighWater(Math.max(known.highWater(), header.highWater()));
    }
  }

  synchronized void written(Header header) {
    known = header;
  }

  synchronized void raised(long highWater) {
    if (known != null && known.highWater() < highWater) {
      known = known.withHighWater(highWater);
    }
  }

  synchronized Header known() {
    return known;
  }

  /**
   * Raises the mark of the server that a connection leads to if it is lower than what is known.
   *
   * @throws SQLException the server's header does not name the run that is known to write
   */
  void confirm(Connection connection) throws SQLException {
    Header header = known();
    if (header == null || header.clean()) {
      return;
    }
    try (PreparedStatement select = connection.prepareStatement(MARK)) {
      select.setString(1, header.dirtyRun());
      select.setLong(2, header.generation());
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          throw new SQLException(
              "this server's data set is not marked for run %s: a failover has lost the mark"
                  .formatted(header.dirtyRun()),
              OBJECT_NOT_IN_STATE);
        }
        if (row.getLong(1) >= header.highWater()) {
          return;
        }
      }
    }
    try (PreparedStatement raise = connection.prepareStatement(RAISE_HIGH_WATER)) {
      raise.setLong(1, header.highWater());
      raise.setLong(2, header.highWater());
      raise.executeUpdate();
    }
  }
}
