package io.shardload.driver.postgresql.statements;

import com.google.gson.JsonParser;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.postgresql.util.PGobject;

/** Decodes rows into the classes of {@code ValueType}; other types stay as the client has them. */
final class Rows {
  private Rows() {}

  /** The columns of a result that somebody wants, by their indexes from 1. */
  static int[] columns(ResultSet result, List<String> wanted) throws SQLException {
    int[] indexes = new int[wanted.size()];
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = result.findColumn(wanted.get(i));
    }
    return indexes;
  }

  /** Decodes the whole row at hand, and keeps what is wanted. */
  static void read(ResultSet result, int columns, int[] wanted, Object[] into) throws SQLException {
    for (int column = 1; column <= columns; column++) {
      Object value = result.getObject(column);
      for (int i = 0; i < wanted.length; i++) {
        if (wanted[i] == column) {
          into[i] = plain(result, column, value);
        }
      }
    }
  }

  /** All columns of the row at hand by name. */
  static Map<String, Object> whole(ResultSet result) throws SQLException {
    ResultSetMetaData about = result.getMetaData();
    Map<String, Object> row = new LinkedHashMap<>();
    for (int column = 1; column <= about.getColumnCount(); column++) {
      row.put(about.getColumnLabel(column), plain(result, column, result.getObject(column)));
    }
    return row;
  }

  private static Object plain(ResultSet result, int column, Object value) throws SQLException {
    if (value instanceof Integer || value instanceof Short) {
      return ((Number) value).longValue();
    }
    if (value instanceof Double || value instanceof Float) {
      double number = ((Number) value).doubleValue();
      return Double.isFinite(number) ? new BigDecimal(value.toString()) : (Object) number;
    }
    if (value instanceof Timestamp) {
      boolean zoned = result.getMetaData().getColumnTypeName(column).equals("timestamptz");
      return zoned
          ? result.getObject(column, OffsetDateTime.class).toInstant()
          : result.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
    }
    if (value instanceof java.sql.Date) {
      return result.getObject(column, LocalDate.class).atStartOfDay(ZoneOffset.UTC).toInstant();
    }
    if (value instanceof PGobject object
        && (object.getType().equals("json") || object.getType().equals("jsonb"))) {
      return JsonParser.parseString(object.getValue());
    }
    return value;
  }
}
