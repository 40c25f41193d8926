package io.shardload.driver.jdbc.store;

import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import io.shardload.driver.Header;
import io.shardload.workload.DataObject;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A header as nine columns, in the order in which all statements name them. */
final class HeaderRow {
  private HeaderRow() {}

  static void set(PreparedStatement statement, int first, Header header) throws SQLException {
    statement.setString(first, header.workload());
    // Sorted keys: the same shape is always the same text.
    statement.setString(first + 1, new Gson().toJson(new TreeMap<>(header.shape())));
    statement.setLong(first + 2, header.documents());
    statement.setLong(first + 3, header.loaded());
    statement.setLong(first + 4, header.highWater());
    statement.setLong(first + 5, header.generation());
    statement.setString(first + 6, header.dirtyRun());
    statement.setString(first + 7, header.identity());
    statement.setString(first + 8, new Gson().toJson(header.objects()));
  }

  /** A header that was restored from a dump owns nothing: its table is another one by then. */
  static Header read(ResultSet row) throws SQLException {
    Map<String, String> shape =
        new Gson().fromJson(row.getString(2), new TypeToken<Map<String, String>>() {});
    List<DataObject> objects =
        new Gson().fromJson(row.getString(9), new TypeToken<List<DataObject>>() {});
    return new Header(
        row.getString(1),
        shape,
        row.getLong(3),
        row.getLong(4),
        row.getLong(5),
        row.getLong(6),
        row.getString(7),
        row.getString(8),
        row.getBoolean(10) ? objects : List.of());
  }
}
