package io.shardload.driver.postgresql.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The tables that a header records for its data set. */
final class RecordedTables {
  // A name is looked up as in a statement without quotes, and otherwise literally.
  private static final String PRESENT =
      """
      SELECT string_agg(coalesce(to_regclass(name), to_regclass(quote_ident(name)))::text, ', ')
      FROM unnest(?) AS name
      """;

  private RecordedTables() {}

  /** Drops the existing ones in one statement, because they may refer to each other. */
  static boolean drop(Connection connection, List<String> tables) throws SQLException {
    try (PreparedStatement present = connection.prepareStatement(PRESENT);
        Statement drop = connection.createStatement()) {
      present.setArray(1, connection.createArrayOf("text", tables.toArray()));
      try (ResultSet row = present.executeQuery()) {
        row.next();
        String names = row.getString(1);
        return names != null && drop.execute("DROP TABLE " + names);
      }
    }
  }
}
