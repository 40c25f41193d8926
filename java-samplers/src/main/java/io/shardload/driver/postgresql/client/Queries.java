package io.shardload.driver.postgresql.client;

import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/** Queries in a connection of their own, and those whose answer is one text, or pairs of texts. */
public final class Queries {
  private Queries() {}

  /** What a statement of a connection is used for. */
  @FunctionalInterface
  public interface Work<T> {
    T with(Statement statement) throws SQLException, CallFailure;
  }

  /** Uses a connection and closes it. */
  public static <T> T use(Connection opened, Work<T> work) throws CallFailure {
    try (Connection connection = opened;
        Statement statement = connection.createStatement()) {
      return work.with(statement);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  /** Names and values of an answer with two columns. */
  public static Map<String, String> pairs(Statement statement, String sql) throws SQLException {
    Map<String, String> pairs = new TreeMap<>();
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        pairs.put(rows.getString(1), rows.getString(2));
      }
    }
    return pairs;
  }

  /** The first column of the only row, or empty if there is none. */
  public static String text(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? row.getString(1) : "";
    }
  }
}
