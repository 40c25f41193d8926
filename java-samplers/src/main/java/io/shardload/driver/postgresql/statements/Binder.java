package io.shardload.driver.postgresql.statements;

import com.google.gson.JsonElement;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Sets an argument as the type that the server expects in its place: an int4 sent as a bigint would
 * keep some indexes and all partitions from being found.
 */
enum Binder {
  INT {
    @Override
    void set(PreparedStatement statement, int index, Object value) throws SQLException {
      long number = number(value).longValueExact();
      if (number != (int) number) {
        throw new SQLException(number + " is out of the range of integer", "22003");
      }
      statement.setInt(index, (int) number);
    }
  },
  LONG {
    @Override
    void set(PreparedStatement statement, int index, Object value) throws SQLException {
      statement.setLong(index, value instanceof Long n ? n : number(value).longValueExact());
    }
  },
  NUMERIC {
    @Override
    void set(PreparedStatement statement, int index, Object value) throws SQLException {
      statement.setBigDecimal(index, number(value));
    }
  },
  DOUBLE {
    @Override
    void set(PreparedStatement statement, int index, Object value) throws SQLException {
      statement.setDouble(index, ((Number) value).doubleValue());
    }
  },
  TEXT {
    @Override
    void set(PreparedStatement statement, int index, Object value) throws SQLException {
      statement.setString(index, value.toString());
    }
  },
  TIMESTAMPTZ {
    @Override
    void set(PreparedStatement statement, int index, Object value) throws SQLException {
      statement.setObject(index, ((Instant) value).atOffset(ZoneOffset.UTC));
    }
  },
  TIMESTAMP {
    @Override
    void set(PreparedStatement statement, int index, Object value) throws SQLException {
      statement.setObject(index, ((Instant) value).atOffset(ZoneOffset.UTC).toLocalDateTime());
    }
  },
  DATE {
    @Override
    void set(PreparedStatement statement, int index, Object value) throws SQLException {
      statement.setObject(index, ((Instant) value).atOffset(ZoneOffset.UTC).toLocalDate());
    }
  },
  /** As text of no type, for the server to read: json, enumerations, inet and others. */
  UNTYPED {
    @Override
    void set(PreparedStatement statement, int index, Object value) throws SQLException {
      statement.setObject(index, value.toString(), Types.OTHER);
    }
  },
  /** As the client makes it of the value's class. */
  OBJECT {
    @Override
    void set(PreparedStatement statement, int index, Object value) throws SQLException {
      if (value instanceof Instant instant) {
        TIMESTAMPTZ.set(statement, index, instant);
      } else if (value instanceof JsonElement) {
        UNTYPED.set(statement, index, value);
      } else {
        statement.setObject(index, value);
      }
    }
  };

  /** By the server's name of the type, for each type of values. */
  private static final Map<ValueType, Map<String, Binder>> FITTING =
      Map.of(
          ValueType.INTEGER,
              Map.of(
                  "int2", INT, "int4", INT, "int8", LONG, "numeric", NUMERIC, "float4", DOUBLE,
                  "float8", DOUBLE),
          ValueType.DECIMAL, Map.of("numeric", NUMERIC, "float4", DOUBLE, "float8", DOUBLE),
          ValueType.UUID, Map.of("uuid", OBJECT),
          ValueType.TIMESTAMP,
              Map.of("timestamptz", TIMESTAMPTZ, "timestamp", TIMESTAMP, "date", DATE),
          ValueType.BOOLEAN, Map.of("bool", OBJECT),
          ValueType.JSON, Map.of("json", UNTYPED, "jsonb", UNTYPED),
          ValueType.TEXT, Map.of("text", TEXT, "varchar", TEXT, "bpchar", TEXT, "name", TEXT));

  /** Types that no text is read as without a cast. */
  private static final Set<String> NO_TEXT =
      Set.of(
          "int2",
          "int4",
          "int8",
          "numeric",
          "float4",
          "float8",
          "uuid",
          "timestamptz",
          "timestamp",
          "date",
          "bool",
          "json",
          "jsonb",
          "bytea");

  /** What the server takes the type of a place for where nothing tells more of it. */
  static final String ANYTHING = "text";

  /** A value of a type, to ask the server about a statement. */
  static Object sample(ValueType type) {
    return switch (type) {
      case INTEGER -> 0L;
      case DECIMAL -> BigDecimal.ZERO;
      case UUID -> new UUID(0, 0);
      case TEXT, CAPTURED -> "";
      case TIMESTAMP -> Instant.EPOCH;
      case BOOLEAN -> true;
      case JSON -> new com.google.gson.JsonObject();
    };
  }

  abstract void set(PreparedStatement statement, int index, Object value) throws SQLException;

  private static BigDecimal number(Object value) throws SQLException {
    if (value instanceof BigDecimal decimal) {
      return decimal;
    }
    if (value instanceof Number number) {
      return new BigDecimal(number.toString());
    }
    throw new SQLException(value.getClass().getSimpleName() + " is no number", "22023");
  }

  /** Whether values of a type may stand where the server expects this type. */
  static boolean fits(ValueType type, String serverType) {
    return type == ValueType.CAPTURED
        || FITTING.get(type).containsKey(serverType)
        || (type == ValueType.TEXT && !NO_TEXT.contains(serverType));
  }

  /**
   * How a value is set.
   *
   * @param serverType the server's name of the expected type; empty if it was not asked
   */
  static Binder of(Object value, String serverType) {
    if (serverType.isEmpty()) {
      return OBJECT;
    }
    ValueType type = typeOf(value);
    if (serverType.equals(ANYTHING) && type != ValueType.TEXT) {
      return OBJECT;
    }
    Binder binder = type == null ? null : FITTING.get(type).get(serverType);
    return binder != null ? binder : type == ValueType.TEXT ? UNTYPED : OBJECT;
  }

  private static ValueType typeOf(Object value) {
    if (value instanceof Long || value instanceof Integer) {
      return ValueType.INTEGER;
    }
    if (value instanceof String) {
      return ValueType.TEXT;
    }
    if (value instanceof UUID) {
      return ValueType.UUID;
    }
    if (value instanceof BigDecimal) {
      return ValueType.DECIMAL;
    }
    if (value instanceof Instant) {
      return ValueType.TIMESTAMP;
    }
    if (value instanceof Boolean) {
      return ValueType.BOOLEAN;
    }
    return value instanceof JsonElement ? ValueType.JSON : null;
  }
}
