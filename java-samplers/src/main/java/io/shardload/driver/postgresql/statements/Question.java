package io.shardload.driver.postgresql.statements;

import io.shardload.driver.postgresql.statements.types.Described;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.StatementAdmin.Answer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A statement that is asked once, on a connection of its own. */
record Question(Connection connection, SqlStatement statement) {
  private static final int ROWS_PER_FETCH = 1_000;

  /**
   * Reads all rows by a cursor and keeps the first of them.
   *
   * @param most rows to keep
   */
  Answer ask(Map<String, Object> arguments, int most) throws SQLException {
    connection.setReadOnly(true);
    connection.setAutoCommit(false);
    Object[] values = statement.names().stream().map(arguments::get).toArray();
    Described described = Described.of(connection, statement, values);
    try (PreparedStatement prepared = connection.prepareStatement(described.jdbc())) {
      prepared.setFetchSize(ROWS_PER_FETCH);
      described.set(prepared, values);
      List<Map<String, Object>> rows = new ArrayList<>();
      long count = 0;
      try (ResultSet row = prepared.executeQuery()) {
        while (row.next()) {
          if (count++ < most) {
            rows.add(columns(described.columns(), row));
          }
        }
      }
      connection.commit();
      return new Answer(rows, count);
    }
  }

  /** A name that several columns have gets a number, so that none is lost. */
  private static Map<String, Object> columns(List<Described.Typed> columns, ResultSet row)
      throws SQLException {
    Map<String, Object> all = new LinkedHashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      Described.Typed column = columns.get(i);
      String name = column.name();
      for (int n = 2; all.containsKey(name); n++) {
        name = column.name() + " (" + n + ")";
      }
      all.put(name, column.type().value(column.type().read(row, i + 1)));
    }
    return all;
  }
}
