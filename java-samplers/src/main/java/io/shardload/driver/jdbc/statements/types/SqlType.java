package io.shardload.driver.jdbc.statements.types;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.workload.statements.port.ValueType;
import io.shardload.workload.statements.port.Values;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.UUID;

/**
 * A server's type: how values are sent and read. Times without a zone are of UTC. A driver has one
 * subclass, so that calls on the timed path have one target.
 */
public abstract class SqlType {
  /** Types as far as their values differ. */
  public enum Kind {
    INT2(Types.SMALLINT),
    INT4(Types.INTEGER),
    INT8(Types.BIGINT),
    NUMERIC(Types.NUMERIC),
    FLOAT4(Types.REAL),
    FLOAT8(Types.DOUBLE),
    TEXT(Types.OTHER),
    /** Its trailing blanks have no meaning, so values that are read are without them. */
    PADDED(Types.OTHER),
    UUID(Types.OTHER),
    TIMESTAMPTZ(Types.TIMESTAMP_WITH_TIMEZONE),
    TIMESTAMP(Types.OTHER),
    DATE(Types.DATE),
    BOOLEAN(Types.BIT),
    JSON(Types.OTHER),
    BYTES(Types.OTHER),
    /** Of any type. */
    ARRAY(Types.OTHER),
    /** Any other: its values are text, which the server reads and writes. */
    OTHER(Types.OTHER);

    private final int sqlType;

    Kind(int sqlType) {
      this.sqlType = sqlType;
    }
  }

  private static final int MICROS = 6;

  private final Kind kind;
  private final String serverName;

  protected SqlType(Kind kind, String serverName) {
    this.kind = kind;
    this.serverName = serverName;
  }

  public final Kind kind() {
    return kind;
  }

  /** Its name in the server's catalog. */
  public final String serverName() {
    return serverName;
  }

  /** For messages: the name that people write. */
  public String readable() {
    return serverName;
  }

  /** What the server keeps of a time in a column with so many digits of a second. */
  protected abstract Instant kept(Instant time, int digits);

  /** A time rounded to digits of a second, at most six; a half goes away from the base. */
  protected static Instant rounded(Instant time, int digits, Instant base) {
    if (digits >= MICROS && time.getNano() % 1000 == 0) {
      return time;
    }
    BigDecimal seconds =
        BigDecimal.valueOf(time.getEpochSecond() - base.getEpochSecond())
            .add(BigDecimal.valueOf(time.getNano(), 9))
            .setScale(MICROS, RoundingMode.HALF_UP)
            .setScale(Math.min(digits, MICROS), RoundingMode.HALF_UP);
    return base.plusSeconds(seconds.longValue())
        .plusNanos(seconds.remainder(BigDecimal.ONE).movePointRight(9).longValue());
  }

  /** A value as a text that the server reads in a place of this type. */
  public String text(Object value) {
    // Times have their zone, which the server ignores where the column has none.
    return value instanceof BigDecimal decimal ? decimal.toPlainString() : value.toString();
  }

  /** Whether an array, as {@link #value} returns it, holds a list. */
  protected boolean holds(Object array, JsonArray list) {
    return Values.same(array, list);
  }

  /** Whether an array, as {@link #value} returns it, has a value. */
  protected boolean contains(Object array, JsonElement value) {
    return false;
  }

  /** Whether the values of a parameter or column fit without loss; floating numbers round. */
  public final boolean accepts(ValueType type) {
    return switch (type) {
      case INTEGER ->
          switch (kind) {
            case INT2, INT4, INT8 -> true;
            default -> rounds();
          };
      case DECIMAL -> rounds();
      case UUID -> kind == Kind.UUID;
      case TEXT ->
          switch (kind) {
            case TEXT, PADDED, BYTES, DATE, ARRAY, OTHER -> true;
            default -> false;
          };
      case TIMESTAMP -> kind == Kind.TIMESTAMPTZ || kind == Kind.TIMESTAMP || kind == Kind.DATE;
      case BOOLEAN -> kind == Kind.BOOLEAN;
      case JSON -> kind == Kind.JSON;
      case LIST -> kind == Kind.JSON || kind == Kind.ARRAY;
      case CAPTURED -> true;
    };
  }

  /** Whether a column may equal a parameter of this type. */
  public final boolean equalTo(ValueType type) {
    return switch (type) {
      case INTEGER, DECIMAL -> accepts(ValueType.INTEGER);
      case TEXT -> isText() || kind == Kind.ARRAY || kind == Kind.OTHER;
      default -> accepts(type);
    };
  }

  public final boolean isText() {
    return kind == Kind.TEXT || kind == Kind.PADDED;
  }

  /** Whether a whole number may change when it is stored. */
  final boolean rounds() {
    return kind == Kind.NUMERIC || kind == Kind.FLOAT4 || kind == Kind.FLOAT8;
  }

  /** A text as a {@link Kind#PADDED} column compares it. */
  static String withoutBlanks(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text.substring(0, end);
  }

  /** The kind in which a value goes of itself, where nothing says which is expected. */
  public static Kind kindOf(Object value) {
    if (value instanceof Long || value instanceof Integer) {
      return Kind.INT8;
    }
    if (value instanceof BigDecimal) {
      return Kind.NUMERIC;
    }
    if (value instanceof Instant) {
      return Kind.TIMESTAMPTZ;
    }
    if (value instanceof Boolean) {
      return Kind.BOOLEAN;
    }
    return value instanceof UUID ? Kind.UUID : value instanceof JsonElement ? Kind.JSON : Kind.TEXT;
  }

  /** Some value of a type, for the server to look at; null for one that is not known. */
  public static Object sample(ValueType type) {
    return switch (type) {
      case INTEGER -> 0L;
      case DECIMAL -> BigDecimal.ZERO;
      case UUID -> new UUID(0, 0);
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
  public final void set(PreparedStatement statement, int index, Object value) throws SQLException {
    if (value == null) {
      setNull(statement, index);
    } else if (value instanceof Long || value instanceof Integer) {
      setInteger(statement, index, ((Number) value).longValue());
    } else if (value instanceof BigDecimal number) {
      setDecimal(statement, index, number);
    } else if (value instanceof Instant instant) {
      setInstant(statement, index, instant);
    } else if (value instanceof Boolean flag) {
      statement.setBoolean(index, flag);
    } else if (value instanceof UUID uuid) {
      setUuid(statement, index, uuid);
    } else {
      setText(statement, index, text(value));
    }
  }

  /** With the type of other values, so that the statement need not be parsed again. */
  protected void setNull(PreparedStatement statement, int index) throws SQLException {
    statement.setNull(index, kind.sqlType);
  }

  /** Without a type: the server takes that of the place where it stands. */
  protected void setText(PreparedStatement statement, int index, String text) throws SQLException {
    statement.setObject(index, text, Types.OTHER);
  }

  private void setInteger(PreparedStatement statement, int index, long value) throws SQLException {
    if (kind == Kind.INT4 && value == (int) value) {
      statement.setInt(index, (int) value);
    } else if (kind == Kind.INT2 && value == (short) value) {
      statement.setShort(index, (short) value);
    } else if (kind == Kind.NUMERIC) {
      statement.setBigDecimal(index, BigDecimal.valueOf(value));
    } else if (kind == Kind.FLOAT8) {
      statement.setDouble(index, (double) value);
    } else if (kind == Kind.FLOAT4) {
      statement.setFloat(index, (float) value);
    } else {
      statement.setLong(index, value);
    }
  }

  private void setDecimal(PreparedStatement statement, int index, BigDecimal value)
      throws SQLException {
    switch (kind) {
      case FLOAT8 -> statement.setDouble(index, value.doubleValue());
      case FLOAT4 -> statement.setFloat(index, value.floatValue());
      default -> statement.setBigDecimal(index, value);
    }
  }

  protected void setUuid(PreparedStatement statement, int index, UUID value) throws SQLException {
    statement.setObject(index, value);
  }

  protected Object readUuid(ResultSet row, int index) throws SQLException {
    return row.getObject(index);
  }

  protected void setInstant(PreparedStatement statement, int index, Instant value)
      throws SQLException {
    switch (kind) {
      case TIMESTAMP -> statement.setObject(index, LocalDateTime.ofInstant(value, ZoneOffset.UTC));
      case DATE -> statement.setObject(index, LocalDate.ofInstant(value, ZoneOffset.UTC));
      default -> statement.setObject(index, value.atOffset(ZoneOffset.UTC));
    }
  }

  /** Reads a column, decoded; null for NULL, which JDBC's getters of numbers return as 0. */
  public final Object read(ResultSet row, int index) throws SQLException {
    return switch (kind) {
      case INT2, INT4, INT8 -> {
        long number = row.getLong(index);
        yield number == 0 && row.wasNull() ? null : (Object) number;
      }
      case BOOLEAN -> {
        boolean flag = row.getBoolean(index);
        yield !flag && row.wasNull() ? null : (Object) flag;
      }
      case UUID -> readUuid(row, index);
      case NUMERIC, FLOAT4, FLOAT8 -> row.getObject(index);
      case TIMESTAMPTZ -> row.getObject(index, OffsetDateTime.class);
      case TIMESTAMP -> row.getObject(index, LocalDateTime.class);
      case DATE -> row.getObject(index, LocalDate.class);
      case BYTES -> row.getBytes(index);
      default -> row.getString(index);
    };
  }

  /** Reads a column by a plain getter, as a hand-written loop does. */
  public final void get(ResultSet row, int index) throws SQLException {
    switch (kind) {
      case INT2, INT4 -> row.getInt(index);
      case INT8 -> row.getLong(index);
      case BOOLEAN -> row.getBoolean(index);
      case NUMERIC -> row.getBigDecimal(index);
      case FLOAT4, FLOAT8 -> row.getDouble(index);
      case UUID -> row.getObject(index);
      case TIMESTAMPTZ -> row.getObject(index, OffsetDateTime.class);
      case TIMESTAMP -> row.getObject(index, LocalDateTime.class);
      case DATE -> row.getObject(index, LocalDate.class);
      case BYTES -> row.getBytes(index);
      default -> row.getString(index);
    }
  }

  /**
   * What {@link #read} returned in the class of {@link ValueType}. Not-a-number and infinities stay
   * floating, bytes are hexadecimal.
   */
  public final Object value(Object read) {
    if (read instanceof Double || read instanceof Float) {
      return Double.isFinite(((Number) read).doubleValue())
          ? new BigDecimal(read.toString())
          : read;
    }
    if (read instanceof OffsetDateTime time) {
      return time.toInstant();
    }
    if (read instanceof LocalDateTime time) {
      return time.toInstant(ZoneOffset.UTC);
    }
    if (read instanceof LocalDate day) {
      return day.atStartOfDay().toInstant(ZoneOffset.UTC);
    }
    if (read instanceof byte[] bytes) {
      return "\\x" + HexFormat.of().formatHex(bytes);
    }
    if (kind == Kind.PADDED && read != null) {
      return withoutBlanks((String) read);
    }
    return kind == Kind.JSON && read != null ? JsonParser.parseString((String) read) : read;
  }
}
