package io.shardload.driver.jdbc.store;

import io.shardload.driver.Header;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A header as nine columns, in the order in which all statements name them. */
final class HeaderRow {
  private HeaderRow() {}

  static void set(PreparedStatement statement, int first, Header header) throws SQLException {
    int place = first;
    for (Object value : header.columns().values()) {
      if (value instanceof Long number) {
        statement.setLong(place++, number);
      } else {
        statement.setString(place++, (String) value);
      }
    }
  }

  /** A header that was restored from a dump owns nothing: its table is another one by then. */
  static Header read(ResultSet row) throws SQLException {
    Map<String, Object> columns = new HashMap<>();
    for (String text : List.of("workload", "shape", "dirty_run", "identity", "objects")) {
      columns.put(text, row.getString(text));
    }
    for (String number : List.of("documents", "loaded", "high_water", "generation")) {
      columns.put(number, row.getLong(number));
    }
    if (!row.getBoolean(10)) {
      columns.put("objects", "[]");
    }
    return Header.of(columns);
  }
}
