package io.shardload.driver.postgresql.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Statements with a list of values, {@code IN (?, ?)}. */
final class Lists {
  private Lists() {}

  /** The statement with one placeholder per value; it is written for two values. */
  static String statement(String sqlForTwo, List<String> values) {
    if (values.size() == 2) {
      return sqlForTwo;
    }
    return sqlForTwo.replace("(?, ?)", "(?" + ", ?".repeat(values.size() - 1) + ")");
  }

  /** Sets all values of a list, from a placeholder on. */
  static void set(PreparedStatement statement, int first, List<String> values) throws SQLException {
    for (int i = 0; i < values.size(); i++) {
      statement.setString(first + i, values.get(i));
    }
  }
}
