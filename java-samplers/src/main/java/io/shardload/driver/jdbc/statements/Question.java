package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.StatementAdmin.Answer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A statement that is asked once, on a connection of its own.
 *
 * @param places types of the columns that its parameters are compared with; empty if not known
 */
record Question(
    Dialect dialect, Connection connection, SqlStatement statement, List<SqlType> places) {
  private static final int ROWS_PER_FETCH = 1_000;

  /** What is done with each row. */
  private interface Reader {
    void read(Described described, ResultSet row) throws SQLException;
  }

  /**
   * The rows of a table.
   *
   * @param keys how many keys there are, as parameters that are named by their indexes; -1 for all
   */
  static SqlStatement rows(ServerTable table, List<String> columns, String key, int keys) {
    String select = "SELECT %s FROM %s".formatted(table.sqlNames(columns), table.sqlName());
    Place place = new Place(table.sqlName(), 1);
    if (keys < 0) {
      return new SqlStatement(place, List.of(select), List.of(), "select", false);
    }
    List<String> pieces = new ArrayList<>(Collections.nCopies(keys + 1, ", "));
    pieces.set(0, "%s WHERE %s IN (".formatted(select, table.sqlNames(List.of(key))));
    pieces.set(keys, ")");
    List<String> names = IntStream.range(0, keys).mapToObj(Integer::toString).toList();
    return new SqlStatement(place, pieces, names, "select", false);
  }

  /**
   * The rows of a part of a table.
   *
   * @param where the condition, or empty
   */
  static SqlStatement part(ServerTable table, List<String> columns, String where) {
    String select =
        "SELECT %s FROM %s%s".formatted(table.sqlNames(columns), table.sqlName(), where);
    return new SqlStatement(
        new Place(table.sqlName(), 1), List.of(select), List.of(), "select", false);
  }

  /** Reads all rows by a cursor and hands each over whole. */
  void read(Object[] values, Answers rows) throws SQLException {
    dialect.beginReading(connection);
    readWithin(values, rows);
    connection.commit();
  }

  /** The same in a transaction of the caller. */
  void readWithin(Object[] values, Answers rows) throws SQLException {
    Equality[] equality = {null};
    read(
        values,
        (described, row) -> {
          if (equality[0] == null) {
            equality[0] = Described.equality(described.columns());
          }
          Object[] read = new Object[described.columns().size()];
          for (int i = 0; i < read.length; i++) {
            SqlType type = described.columns().get(i).type();
            read[i] = type.value(type.read(row, i + 1));
          }
          rows.row(0, Arrays.asList(read), equality[0]);
        });
  }

  /**
   * Reads all rows by a cursor and keeps the first of them.
   *
   * @param most rows to keep
   */
  Answer ask(Map<String, Object> arguments, int most) throws SQLException {
    dialect.beginReading(connection);
    List<Map<String, Object>> rows = new ArrayList<>();
    long count =
        read(
            statement.names().stream().map(arguments::get).toArray(),
            (described, row) -> {
              if (rows.size() < most) {
                rows.add(columns(described.columns(), row));
              }
            });
    connection.commit();
    return new Answer(rows, count);
  }

  private long read(Object[] values, Reader reader) throws SQLException {
    Described described =
        places.isEmpty()
            ? dialect.describe(connection, statement, values)
            : dialect.describe(connection, statement, values, places);
    try (PreparedStatement prepared = connection.prepareStatement(described.jdbc())) {
      prepared.setFetchSize(ROWS_PER_FETCH);
      described.set(prepared, values);
      long count = 0;
      try (ResultSet row = prepared.executeQuery()) {
        while (row.next()) {
          reader.read(described, row);
          count++;
        }
      }
      return count;
    }
  }

  /** A name that several columns have gets a number, so that none is lost. */
  private static Map<String, Object> columns(List<Described.Column> columns, ResultSet row)
      throws SQLException {
    Map<String, Object> all = new LinkedHashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      Described.Column column = columns.get(i);
      String name = column.name();
      for (int n = 2; all.containsKey(name); n++) {
        name = column.name() + " (" + n + ")";
      }
      all.put(name, column.type().value(column.type().read(row, i + 1)));
    }
    return all;
  }
}
