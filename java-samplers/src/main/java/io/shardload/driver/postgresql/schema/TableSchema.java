package io.shardload.driver.postgresql.schema;

import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.client.Failures;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/**
 * Creates the workload's table as defined by the section {@code schema}, or checks the existing
 * one. Everything, including distribution, is in one transaction: an interruption leaves nothing
 * behind.
 */
public record TableSchema(SchemaOptions options) {
  // Citus fails on a subquery without a column.
  private static final String ANY_ROW = "SELECT EXISTS (SELECT 1 FROM data_table)";
  private static final String COMPRESSIONS =
      """
      SELECT array_to_string(enumvals, ' ') FROM pg_settings
      WHERE name = 'default_toast_compression'
      """;
  private static final String BLOCK_SIZE = "SELECT current_setting('block_size')";

  /** Header of the page and its one line pointer. */
  private static final int PAGE_OVERHEAD_BYTES = 32;

  /** Header of the row and all columns but document, with their alignment at its worst. */
  private static final int ROW_OVERHEAD_BYTES = 148;

  /**
   * Refuses what cannot be made here, and documents of this size where they do not fit; only looks.
   *
   * @param recreate existing tables will be dropped
   * @throws ConfigException what {@link #ensure} throws before it makes anything, or too large
   */
  public void check(Connection connection, boolean recreate, int largestBytes) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      Citus citus = Citus.of(statement);
      boolean make = toBeMade(statement, citus, recreate);
      // A user who only runs on data that another user loaded does not need this right.
      if (options.checkpointAfterLoad() && (make || empty(statement))) {
        citus.checkCheckpoint(statement);
      }
      if (options.storage() == SchemaOptions.DocumentStorage.NO_TOAST) {
        checkFits(statement, largestBytes);
      }
    }
  }

  /**
   * An existing table that is empty and not distributed, for example after an interrupted script,
   * is distributed.
   *
   * @param connection whose transaction the caller ends
   * @param recreate the existing table was dropped
   * @return whether anything was created
   * @throws ConfigException a table of another shape or with other options is there
   */
  public boolean ensure(Connection connection, boolean recreate) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      Citus citus = Citus.of(statement);
      boolean create = toBeMade(statement, citus, recreate);
      if (create) {
        create(statement);
        checkOptions(statement, citus);
      }
      return create;
    }
  }

  /**
   * All that is refused before anything is made. Only looks.
   *
   * @return whether the table must be created or completed
   */
  private boolean toBeMade(Statement statement, Citus citus, boolean recreate) throws SQLException {
    if (options.distributed()) {
      citus.check(statement, options);
    }
    if (options.compression().equals("lz4")
        && !Queries.text(statement, COMPRESSIONS).contains("lz4")) {
      throw new ConfigException("schema.compression", "this server is built without lz4");
    }
    if (recreate || !Columns.check(statement) || unfinished(statement, citus)) {
      return true;
    }
    checkOptions(statement, citus);
    return false;
  }

  /** Without TOAST the row must fit into its page. */
  private static void checkFits(Statement statement, int largestBytes) throws SQLException {
    int page = Integer.parseInt(Queries.text(statement, BLOCK_SIZE));
    int room = page - PAGE_OVERHEAD_BYTES - ROW_OVERHEAD_BYTES;
    if (largestBytes > room) {
      throw new ConfigException(
          "schema.document-storage",
          "documents of %d bytes do not fit without TOAST: a page of %d bytes has room for one of %d"
              .formatted(largestBytes, page, room));
    }
  }

  private boolean unfinished(Statement statement, Citus citus) throws SQLException {
    return options.distributed() && !citus.distributed(statement) && empty(statement);
  }

  private static boolean empty(Statement statement) throws SQLException {
    return Queries.text(statement, ANY_ROW).equals("f");
  }

  private void create(Statement statement) throws SQLException {
    for (String sql : SqlFile.statements("postgresql.sql", options.variables())) {
      statement.execute(sql);
    }
    if (options.distributed()) {
      distribute(statement);
    }
  }

  private void distribute(Statement statement) throws SQLException {
    try {
      for (String sql : SqlFile.statements("citus.sql", options.variables())) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      if (options.colocatedWithTable() && Failures.ofStatement(e).effectExcluded()) {
        throw new ConfigException("schema.colocate-with", Failures.oneLine(e));
      }
      throw e;
    }
  }

  private void checkOptions(Statement statement, Citus citus) throws SQLException {
    Map<String, String> actual = Catalog.options(statement);
    actual.putAll(citus.options(statement, options));
    Map<String, String> asked = options.describe();
    for (Map.Entry<String, String> entry : actual.entrySet()) {
      String wanted = asked.getOrDefault(entry.getKey(), SchemaOptions.SERVERS_DEFAULT);
      // What is left to the server is whatever it made.
      if (!wanted.equals(entry.getValue()) && !wanted.equals(SchemaOptions.SERVERS_DEFAULT)) {
        throw differs(entry.getKey(), entry.getValue(), wanted);
      }
    }
  }

  private static ConfigException differs(String key, String there, String wanted) {
    return new ConfigException(
            "schema." + key,
            "table data_table exists with %s: %s, not %s; set the existing value, or use another database"
                .formatted(key, there, wanted))
        .advise(Advice.recreate("to drop it with all its documents and load again"));
  }
}
