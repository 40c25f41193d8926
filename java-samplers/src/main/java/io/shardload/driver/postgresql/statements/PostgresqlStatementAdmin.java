package io.shardload.driver.postgresql.statements;

import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** Makes, checks, fills and asks tables for statements from files. */
public final class PostgresqlStatementAdmin implements StatementAdmin {
  private static final String PRESENT = "SELECT to_regclass(?) IS NOT NULL";
  private static final String ESTIMATE =
      "SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass(?) AND reltuples >= 0";
  private static final String TABLE_BYTES = "SELECT pg_table_size(to_regclass(?))";
  private static final String CITUS_TABLE_BYTES =
      "SELECT CASE WHEN EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = t)"
          + " THEN citus_table_size(t) ELSE pg_table_size(t) END"
          + " FROM (SELECT to_regclass(?)) AS of(t)";
  private static final String INDEX_BYTES =
      """
      SELECT indexrelid::regclass::text, pg_relation_size(indexrelid) FROM pg_index
      WHERE indrelid = to_regclass(?)
      """;

  private final Connections connections;
  private final boolean checkpointAfterLoad;

  /**
   * @param checkpointAfterLoad whether a load ends with a CHECKPOINT
   */
  public PostgresqlStatementAdmin(Connections connections, boolean checkpointAfterLoad) {
    this.connections = connections;
    this.checkpointAfterLoad = checkpointAfterLoad;
  }

  @FunctionalInterface
  private interface Work<T> {
    T on(Connection connection) throws SQLException, CallFailure;
  }

  private <T> T unlimited(Work<T> work) throws CallFailure {
    try (Connection connection = connections.unlimited()) {
      return work.on(connection);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  @Override
  public List<String> present(List<String> tables) throws CallFailure {
    return unlimited(
        connection -> {
          List<String> there = new ArrayList<>();
          for (String table : tables) {
            if (number(connection, PRESENT, table).orElse(0) > 0) {
              there.add(table);
            }
          }
          return there;
        });
  }

  /** The first column of the only row as a number, true as 1; empty for NULL or without a row. */
  private static OptionalLong number(Connection connection, String sql, String table)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setString(1, table);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next() || row.getObject(1) == null) {
          return OptionalLong.empty();
        }
        return OptionalLong.of(
            row.getObject(1) instanceof Boolean yes ? (yes ? 1 : 0) : row.getLong(1));
      }
    }
  }

  /** All or nothing, in one transaction. */
  @Override
  public void createTables(
      List<io.shardload.workload.statements.port.Statement> schema, List<String> drop)
      throws CallFailure {
    unlimited(
        connection -> {
          connection.setAutoCommit(false);
          try (Statement sql = connection.createStatement()) {
            if (!drop.isEmpty()) {
              sql.execute("DROP TABLE " + String.join(", ", drop));
            }
            for (var statement : schema) {
              sql.execute(((SqlStatement) statement).with("?"));
            }
            connection.commit();
          }
          return null;
        });
  }

  @Override
  public List<Problem> check(
      List<io.shardload.workload.statements.port.Statement> schema,
      List<TableRows> tables,
      List<Plan> plans,
      Map<String, ValueType> types)
      throws CallFailure {
    return unlimited(connection -> new ServerCheck(connection, types).check(schema, tables, plans));
  }

  @Override
  public void load(TableRows rows, long from, long end, LongConsumer progress) throws CallFailure {
    new RowCopy(connections, rows).load(from, end, progress);
  }

  @Override
  public void empty(String table) throws CallFailure {
    execute("DELETE FROM " + table);
  }

  @Override
  public void finishLoad(List<String> tables) throws CallFailure {
    for (String table : tables) {
      execute("ANALYZE " + table);
    }
    if (checkpointAfterLoad) {
      unlimited(
          connection -> {
            try (Statement statement = connection.createStatement()) {
              Citus.of(statement).checkpoint(statement);
            }
            return null;
          });
    }
  }

  private void execute(String sql) throws CallFailure {
    unlimited(
        connection -> {
          try (Statement statement = connection.createStatement()) {
            return statement.execute(sql);
          }
        });
  }

  @Override
  public long count(String table) throws CallFailure {
    return unlimited(
        connection -> {
          try (Statement statement = connection.createStatement();
              ResultSet row = statement.executeQuery("SELECT count(*) FROM " + table)) {
            row.next();
            return row.getLong(1);
          }
        });
  }

  @Override
  public OptionalLong estimate(String table) throws CallFailure {
    return unlimited(connection -> number(connection, ESTIMATE, table));
  }

  /** In a transaction that may not write and is rolled back: a function may do more than read. */
  @Override
  public Answer ask(
      io.shardload.workload.statements.port.Statement statement,
      Map<String, Object> arguments,
      int most)
      throws CallFailure {
    SqlStatement sql = (SqlStatement) statement;
    return unlimited(
        connection -> {
          connection.setReadOnly(true);
          connection.setAutoCommit(false);
          try (PreparedStatement prepared = connection.prepareStatement(Program.sql(sql))) {
            // Row by row, for there may be more than fit into memory.
            prepared.setFetchSize(1_000);
            for (int i = 0; i < sql.names().size(); i++) {
              Object value = arguments.get(sql.names().get(i));
              Binder.of(value, "").set(prepared, i + 1, value);
            }
            try (ResultSet result = prepared.executeQuery()) {
              List<Map<String, Object>> rows = new ArrayList<>();
              long count = 0;
              while (result.next()) {
                if (count++ < most) {
                  rows.add(Rows.whole(result));
                }
              }
              return new Answer(rows, count);
            }
          } finally {
            connection.rollback();
          }
        });
  }

  @Override
  public Map<String, Object> explain(Plan plan, Object[] arguments) throws CallFailure {
    try (Connection connection = connections.administrative()) {
      return new Plans(connection).explain(plan, arguments);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  @Override
  public Map<String, Object> storage(List<String> tables) throws CallFailure {
    try (Connection connection = connections.administrative()) {
      boolean citus;
      try (Statement statement = connection.createStatement()) {
        citus = Citus.of(statement).installed();
      }
      long bytes = 0;
      Map<String, Long> indexes = new TreeMap<>();
      for (String table : tables) {
        bytes += number(connection, citus ? CITUS_TABLE_BYTES : TABLE_BYTES, table).orElse(0);
        try (PreparedStatement select = connection.prepareStatement(INDEX_BYTES)) {
          select.setString(1, table);
          try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
              indexes.put(rows.getString(1), rows.getLong(2));
            }
          }
        }
      }
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("table_bytes", bytes);
      json.put("index_bytes", indexes);
      json.put("placements", List.of());
      json.put("facts", Map.of());
      return json;
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }
}
