package io.shardload.driver.postgresql;

import io.shardload.config.ConfigException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/**
 * Makes the workload's table as the section {@code schema} says, or checks the one that is there.
 * All in one transaction, distribution included: an interruption leaves nothing behind.
 */
final class TableSchema {
  private static final String RECREATE = "shardload load --recreate";
  private static final String DROP =
      "DROP TABLE IF EXISTS data_table, shardload_header, shardload_state";
  private static final String ANY_ROW = "SELECT EXISTS (SELECT FROM data_table)";
  private static final String COMPRESSIONS =
      """
      SELECT array_to_string(enumvals, ' ') FROM pg_settings
      WHERE name = 'default_toast_compression'
      """;

  private final SchemaOptions options;

  TableSchema(SchemaOptions options) {
    this.options = options;
  }

  /**
   * A table that is there undistributed and empty, as an interrupted script or hand leaves it, is
   * taken up and distributed.
   *
   * @return whether anything was created
   * @throws ConfigException a table of another shape or with other options is there
   */
  boolean ensure(Connection connection, boolean recreate) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      Citus citus = Citus.of(statement);
      if (options.distributed()) {
        citus.check(statement, options);
      }
      if (recreate) {
        statement.execute(DROP);
      }
      boolean there = Columns.check(statement);
      boolean create = !there || unfinished(statement, citus);
      if (create) {
        create(statement);
      }
      checkOptions(statement, citus);
      connection.commit();
      return create;
    }
  }

  private boolean unfinished(Statement statement, Citus citus) throws SQLException {
    return options.distributed()
        && !citus.distributed(statement)
        && Catalog.text(statement, ANY_ROW).equals("f");
  }

  private void create(Statement statement) throws SQLException {
    if (options.compression().equals("lz4")
        && !Catalog.text(statement, COMPRESSIONS).contains("lz4")) {
      throw new ConfigException("schema.compression", "this server is built without lz4");
    }
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
        "table data_table is there with %s: %s, not %s; ask for that, or replace it with: %s"
            .formatted(key, there, wanted, RECREATE));
  }
}
