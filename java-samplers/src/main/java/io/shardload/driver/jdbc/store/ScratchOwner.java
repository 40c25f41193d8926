package io.shardload.driver.jdbc.store;

import io.shardload.config.ConfigException;
import io.shardload.driver.Session;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The right to use the scratch schema or database, for one process at a time. It is a lock, which
 * ends with its connection, so a process that was killed does not keep it. The place's comment
 * shows that shardload created it, and which tables in it.
 */
final class ScratchOwner implements AutoCloseable {
  private static final String MARK = "shardload scratch";

  private final Connection connection;

  private ScratchOwner(Connection connection) {
    this.connection = connection;
  }

  /**
   * Takes the lock, then checks whether the existing objects may be dropped.
   *
   * @param tables that an earlier process may have left
   * @throws ConfigException another process holds it, or the place holds objects that shardload did
   *     not create
   */
  static ScratchOwner claim(SqlConnections connections, ScratchSql sql, List<String> tables)
      throws CallFailure {
    Connection connection = connections.administrative();
    ScratchOwner owner = new ScratchOwner(connection);
    try (Statement statement = connection.createStatement()) {
      if (!Queries.holds(statement, sql.tryLock())) {
        throw new ConfigException(
            "target.url",
            "run %s is using %s %s right now; wait until it ends"
                .formatted(
                    Session.runOf(Queries.text(statement, sql.holder())),
                    sql.word(),
                    ScratchPlace.NAME));
      }
      refuseForeign(statement, sql, String.join(",", tables));
      return owner;
    } catch (SQLException e) {
      owner.close();
      throw connections.outcomes().statement(e);
    } catch (RuntimeException e) {
      owner.close();
      throw e;
    }
  }

  /** An empty place is nobody's loss. An earlier process may have had another workload. */
  private static void refuseForeign(Statement statement, ScratchSql sql, String tables)
      throws SQLException {
    String comment = Queries.text(statement, sql.comment());
    if (!comment.isEmpty() && !comment.startsWith(MARK)) {
      throw foreign(sql, "exists, and its comment does not name shardload as its creator");
    }
    String known = tables + comment.replaceFirst("^[^:]*:? ?", ",");
    String other = Queries.text(statement, ScratchSql.with(sql.foreign(), known));
    if (!other.isEmpty()) {
      throw foreign(sql, "holds " + other + ", which shardload did not create");
    }
  }

  private static ConfigException foreign(ScratchSql sql, String what) {
    return new ConfigException(
        "target.url",
        "%s %s %s; drop it by hand, or use another database"
            .formatted(sql.word(), ScratchPlace.NAME, what));
  }

  /** The comment that marks the place. */
  static String comment(String applicationName, List<String> tables) {
    String run = Session.runOf(applicationName).replace(":", "");
    return "%s of run %s: %s".formatted(MARK, run, String.join(",", tables));
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      // The server releases the lock when it misses the connection.
    }
  }
}
