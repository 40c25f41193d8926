package io.shardload.driver.postgresql.statements.types;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The server's types, as far as they differ in how values are sent and read. Times without a zone
 * are of UTC.
 */
public enum ServerType {
  INT2(Types.SMALLINT, "int2", "smallserial"),
  INT4(Types.INTEGER, "int4", "serial"),
  INT8(Types.BIGINT, "int8", "bigserial"),
  NUMERIC(Types.NUMERIC, "numeric"),
  FLOAT4(Types.REAL, "float4"),
  FLOAT8(Types.DOUBLE, "float8"),
  TEXT(Types.OTHER, "text", "varchar", "char", "name"),
  /** Its trailing blanks have no meaning, so values that are read are without them. */
  BPCHAR(Types.OTHER, "bpchar"),
  UUID(Types.OTHER, "uuid"),
  TIMESTAMPTZ(Types.TIMESTAMP_WITH_TIMEZONE, "timestamptz"),
  TIMESTAMP(Types.OTHER, "timestamp"),
  DATE(Types.DATE, "date"),
  BOOLEAN(Types.BIT, "bool"),
  JSON(Types.OTHER, "json", "jsonb"),
  BYTES(Types.OTHER, "bytea"),
  /** Of any type. */
  ARRAY(Types.OTHER, "anyarray"),
  /** Any other: its values are text, which the server reads and writes. */
  OTHER(Types.OTHER);

  private static final Map<String, ServerType> BY_NAME =
      Arrays.stream(values())
          .flatMap(type -> Stream.of(type.names.split(" ")).map(name -> Map.entry(name, type)))
          .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

  private final int sqlType;

  /** With blanks between. */
  private final String names;

  ServerType(int sqlType, String... names) {
    this.sqlType = sqlType;
    this.names = String.join(" ", names);
  }

  /** By the name in {@code pg_type}, and by those that pgjdbc has for columns with a sequence. */
  public static ServerType of(String name) {
    // The server puts it before the name of an element's type.
    return BY_NAME.getOrDefault(name, name.startsWith("_") ? ARRAY : OTHER);
  }

  /** Whether the values of a parameter or column fit without loss; floating numbers round. */
  public boolean accepts(ValueType type) {
    return switch (type) {
      case INTEGER -> this == INT2 || this == INT4 || this == INT8 || accepts(ValueType.DECIMAL);
      case DECIMAL -> this == NUMERIC || this == FLOAT4 || this == FLOAT8;
      case UUID -> this == UUID;
      case TEXT -> isText() || this == BYTES || this == DATE || this == ARRAY || this == OTHER;
      case TIMESTAMP -> this == TIMESTAMPTZ || this == TIMESTAMP || this == DATE;
      case BOOLEAN -> this == BOOLEAN;
      case JSON -> this == JSON;
      case LIST -> this == JSON || this == ARRAY;
      case CAPTURED -> true;
    };
  }

  /** Whether a column may equal a parameter of this type. */
  public boolean equalTo(ValueType type) {
    return switch (type) {
      case INTEGER, DECIMAL -> accepts(ValueType.INTEGER);
      case TEXT -> isText() || this == ARRAY || this == OTHER;
      default -> accepts(type);
    };
  }

  public boolean isText() {
    return this == TEXT || this == BPCHAR;
  }

  /** Whether a whole number may change when it is stored. */
  boolean rounds() {
    return this == NUMERIC || this == FLOAT4 || this == FLOAT8;
  }

  /** A text as {@link #BPCHAR} compares it. */
  static String withoutBlanks(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text.substring(0, end);
  }

  /** The type in which a value goes of itself, where nothing says which is expected. */
  static ServerType ofValue(Object value) {
    if (value instanceof Long || value instanceof Integer) {
      return INT8;
    }
    if (value instanceof BigDecimal) {
      return NUMERIC;
    }
    if (value instanceof Instant) {
      return TIMESTAMPTZ;
    }
    if (value instanceof Boolean) {
      return BOOLEAN;
    }
    return value instanceof java.util.UUID ? UUID : value instanceof JsonElement ? JSON : TEXT;
  }

  /** Some value of a type, for the server to look at; null for one that is not known. */
  public static Object sample(ValueType type) {
    return switch (type) {
      case INTEGER -> 0L;
      case DECIMAL -> BigDecimal.ZERO;
      case UUID -> new java.util.UUID(0, 0);
      case TEXT -> "";
      case TIMESTAMP -> Instant.EPOCH;
      case BOOLEAN -> true;
      case JSON -> new JsonObject();
      case LIST -> new JsonArray();
      case CAPTURED -> null;
    };
  }

  /**
   * Sets an argument. A value that is not of this type goes in its own, and the server converts or
   * refuses it: a captured one, or an integer out of range.
   */
  public void set(PreparedStatement statement, int index, Object value) throws SQLException {
    if (value == null) {
      // With the type of other values, so that the statement need not be parsed again.
      statement.setNull(index, sqlType);
    } else if (value instanceof Long || value instanceof Integer) {
      setInteger(statement, index, ((Number) value).longValue());
    } else if (value instanceof BigDecimal number) {
      setDecimal(statement, index, number);
    } else if (value instanceof Instant instant) {
      setInstant(statement, index, instant);
    } else if (value instanceof Boolean flag) {
      statement.setBoolean(index, flag);
    } else if (value instanceof java.util.UUID) {
      statement.setObject(index, value);
    } else {
      // Without a type: the server takes that of the place where it stands.
      statement.setObject(index, text(value), Types.OTHER);
    }
  }

  /** A value as a text that the server reads in a place of this type. */
  public String text(Object value) {
    return this == ARRAY && value instanceof JsonArray list
        ? ArrayText.of(list)
        : CopyText.of(value);
  }

  private void setInteger(PreparedStatement statement, int index, long value) throws SQLException {
    if (this == INT4 && value == (int) value) {
      statement.setInt(index, (int) value);
    } else if (this == INT2 && value == (short) value) {
      statement.setShort(index, (short) value);
    } else if (this == NUMERIC) {
      statement.setBigDecimal(index, BigDecimal.valueOf(value));
    } else if (this == FLOAT8) {
      statement.setDouble(index, (double) value);
    } else if (this == FLOAT4) {
      statement.setFloat(index, (float) value);
    } else {
      statement.setLong(index, value);
    }
  }

  private void setDecimal(PreparedStatement statement, int index, BigDecimal value)
      throws SQLException {
    switch (this) {
      case FLOAT8 -> statement.setDouble(index, value.doubleValue());
      case FLOAT4 -> statement.setFloat(index, value.floatValue());
      default -> statement.setBigDecimal(index, value);
    }
  }

  private void setInstant(PreparedStatement statement, int index, Instant value)
      throws SQLException {
    switch (this) {
      case TIMESTAMP -> statement.setObject(index, LocalDateTime.ofInstant(value, ZoneOffset.UTC));
      case DATE -> statement.setObject(index, LocalDate.ofInstant(value, ZoneOffset.UTC));
      default -> statement.setObject(index, value.atOffset(ZoneOffset.UTC));
    }
  }

  /** Reads a column, decoded; null for NULL. */
  public Object read(ResultSet row, int index) throws SQLException {
    return switch (this) {
      case INT2, INT4, INT8 -> {
        long number = row.getLong(index);
        yield row.wasNull() ? null : (Object) number;
      }
      case BOOLEAN -> {
        boolean flag = row.getBoolean(index);
        yield row.wasNull() ? null : (Object) flag;
      }
      case UUID, NUMERIC, FLOAT4, FLOAT8 -> row.getObject(index);
      case TIMESTAMPTZ ->
          instant(row.getObject(index, OffsetDateTime.class), OffsetDateTime::toInstant);
      case TIMESTAMP ->
          instant(
              row.getObject(index, LocalDateTime.class), time -> time.toInstant(ZoneOffset.UTC));
      case DATE ->
          instant(
              row.getObject(index, LocalDate.class),
              day -> day.atStartOfDay().toInstant(ZoneOffset.UTC));
      case BYTES -> row.getBytes(index);
      default -> row.getString(index);
    };
  }

  private static <T> Instant instant(T value, Function<T, Instant> conversion) {
    return value == null ? null : conversion.apply(value);
  }

  /**
   * What {@link #read} returned in the class of {@link ValueType}. Not-a-number and infinities stay
   * floating, bytes are hexadecimal as the server writes them.
   */
  public Object value(Object read) {
    if (read instanceof Double || read instanceof Float) {
      return Double.isFinite(((Number) read).doubleValue())
          ? new BigDecimal(read.toString())
          : read;
    }
    if (read instanceof byte[] bytes) {
      return "\\x" + HexFormat.of().formatHex(bytes);
    }
    if (this == BPCHAR && read != null) {
      return withoutBlanks((String) read);
    }
    return this == JSON && read != null ? json((String) read) : read;
  }

  private static JsonElement json(String text) {
    return JsonParser.parseString(text);
  }

  /** For messages: the name that people write. */
  public static String readable(String name) {
    return switch (name) {
      case "int2", "smallserial" -> "smallint";
      case "int4", "serial" -> "integer";
      case "int8", "bigserial" -> "bigint";
      case "float4" -> "real";
      case "float8" -> "double precision";
      case "bool" -> "boolean";
      case "bpchar" -> "character";
      default -> name;
    };
  }
}
