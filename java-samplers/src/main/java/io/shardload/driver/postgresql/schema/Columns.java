package io.shardload.driver.postgresql.schema;

import io.shardload.config.ConfigException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/** The columns of the workload's table. */
final class Columns {
  /** Name and type of every column that the table must have, and no others. */
  private static final Map<String, String> COLUMNS = columns();

  private static final String ACTUAL_COLUMNS =
      """
      SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
      WHERE attrelid = to_regclass('data_table') AND attnum > 0 AND NOT attisdropped
      ORDER BY attnum
      """;

  private Columns() {}

  /** Whether the table is there; with other columns it is refused. */
  static boolean check(Statement statement) throws SQLException {
    Map<String, String> actual = actualColumns(statement);
    if (!actual.isEmpty()) {
      check(actual);
    }
    return !actual.isEmpty();
  }

  private static Map<String, String> actualColumns(Statement statement) throws SQLException {
    Map<String, String> actual = new LinkedHashMap<>();
    try (ResultSet rows = statement.executeQuery(ACTUAL_COLUMNS)) {
      while (rows.next()) {
        actual.put(rows.getString(1), rows.getString(2));
      }
    }
    return actual;
  }

  private static void check(Map<String, String> actual) {
    COLUMNS.forEach(
        (name, type) -> {
          if (!actual.containsKey(name)) {
            throw otherShape("has no column " + name);
          }
          if (!actual.get(name).equals(type)) {
            throw otherShape(
                "has column " + name + " as " + actual.get(name) + " instead of " + type);
          }
        });
    for (String name : actual.keySet()) {
      if (!COLUMNS.containsKey(name)) {
        throw otherShape("has a column " + name + " that is not ours");
      }
    }
  }

  private static ConfigException otherShape(String what) {
    return new ConfigException(
        "target.url",
        "table data_table is there and "
            + what
            + "; use another database, or drop it with: shardload load --recreate");
  }

  private static Map<String, String> columns() {
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put("id", "uuid");
    columns.put("filter1", "character varying(128)");
    columns.put("filter2", "character varying(128)");
    columns.put("filter3", "bigint");
    columns.put("filter4", "character varying(256)");
    columns.put("filter5", "character varying(256)");
    columns.put("document", "text");
    columns.put("edition", "integer");
    columns.put("created", "timestamp without time zone");
    columns.put("updated", "timestamp without time zone");
    return columns;
  }
}
