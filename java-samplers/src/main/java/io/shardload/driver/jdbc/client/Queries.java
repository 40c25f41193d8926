package io.shardload.driver.jdbc.client;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Queries whose answer is one text, or pairs of texts. */
public final class Queries {
  private Queries() {}

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

  /** The first column of all rows. */
  public static List<String> texts(Connection connection, String sql, Object... arguments)
      throws SQLException {
    List<String> texts = new ArrayList<>();
    try (PreparedStatement asked = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        asked.setObject(i + 1, arguments[i]);
      }
      try (ResultSet row = asked.executeQuery()) {
        while (row.next()) {
          texts.add(row.getString(1));
        }
      }
    }
    return texts;
  }

  /** Executes a statement whose answer has no rows. */
  public static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The same as {@link #text} of a truth value: false if there is no row. */
  public static boolean holds(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      return row.next() && row.getBoolean(1);
    }
  }
}
