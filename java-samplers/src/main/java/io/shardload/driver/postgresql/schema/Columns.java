package io.shardload.driver.postgresql.schema;

import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

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
    Optional<String> other = actual.isEmpty() ? Optional.empty() : otherShape(actual);
    if (other.isPresent()) {
      throw new ConfigException(
              "target.url", "table data_table exists and " + other.get() + "; use another database")
          .advise(Advice.replaceForeign());
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

  private static Optional<String> otherShape(Map<String, String> actual) {
    for (Map.Entry<String, String> column : COLUMNS.entrySet()) {
      String name = column.getKey();
      if (!actual.containsKey(name)) {
        return Optional.of("has no column " + name);
      }
      if (!actual.get(name).equals(column.getValue())) {
        return Optional.of(
            "has column %s as %s instead of %s"
                .formatted(name, actual.get(name), column.getValue()));
      }
    }
    return actual.keySet().stream()
        .filter(name -> !COLUMNS.containsKey(name))
        .findFirst()
        .map("has a column %s that shardload did not create"::formatted);
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
