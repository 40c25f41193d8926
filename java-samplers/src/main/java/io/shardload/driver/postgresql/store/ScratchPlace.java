package io.shardload.driver.postgresql.store;

import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The scratch schema, empty, for one process.
 *
 * @param connections by which tables are looked up and created in it alone
 */
public record ScratchPlace(Connections connections, ScratchOwner owner) implements AutoCloseable {
  private static final String DROP = "DROP SCHEMA IF EXISTS " + ScratchOwner.NAME + " CASCADE";

  /**
   * Makes the schema. What was in it is dropped.
   *
   * @param tables that will be created in it: an earlier process may have left them
   * @throws io.shardload.config.ConfigException another process uses it, or it holds objects that
   *     shardload did not create
   */
  public static ScratchPlace make(Connections connections, List<String> tables) throws CallFailure {
    Connections inSchema = connections.inSchema(ScratchOwner.NAME);
    // Before anything is dropped, which closing does as well.
    ScratchOwner owner = ScratchOwner.claim(connections, tables);
    ScratchPlace place = new ScratchPlace(inSchema, owner);
    try {
      place.execute(DROP);
      place.execute(ScratchOwner.create(connections.applicationName(), tables));
      return place;
    } catch (CallFailure | RuntimeException e) {
      place.closeAfter(e);
      throw e;
    }
  }

  /** Runs statements in the schema. */
  void execute(String... statements) throws CallFailure {
    try (Connection connection = connections.unlimited();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  void closeAfter(Exception failure) {
    try {
      close();
    } catch (CallFailure e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Drops the schema and all that is in it; also in an interrupted thread, which pgjdbc would not
   * let connect.
   */
  @Override
  public void close() throws CallFailure {
    boolean interrupted = Thread.interrupted();
    try {
      connections.close();
      execute(DROP);
    } finally {
      owner.close();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
