package io.shardload.driver.postgresql.statements.plain;

import io.shardload.driver.postgresql.statements.types.ServerType;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;

/** A value in the class that the column has, with the setter that one would write for it. */
@FunctionalInterface
interface PlainValue {
  void set(PreparedStatement statement, int index) throws SQLException;

  /** The value of a parameter for a place of this type. */
  static PlainValue of(ServerType type, Object value) {
    if (value == null) {
      return (statement, index) -> statement.setNull(index, Types.NULL);
    }
    if (value instanceof Long number) {
      return ofInteger(type, number);
    }
    if (value instanceof BigDecimal number) {
      return ofDecimal(type, number);
    }
    if (value instanceof Instant instant) {
      return ofInstant(type, instant);
    }
    if (value instanceof Boolean flag) {
      boolean is = flag;
      return (statement, index) -> statement.setBoolean(index, is);
    }
    if (value instanceof UUID) {
      return (statement, index) -> statement.setObject(index, value);
    }
    String text = value.toString();
    return type == ServerType.TEXT
        ? (statement, index) -> statement.setString(index, text)
        : (statement, index) -> statement.setObject(index, text, Types.OTHER);
  }

  private static PlainValue ofInteger(ServerType type, long value) {
    if (type == ServerType.INT4 && value == (int) value) {
      int number = (int) value;
      return (statement, index) -> statement.setInt(index, number);
    }
    if (type == ServerType.INT2 && value == (short) value) {
      short number = (short) value;
      return (statement, index) -> statement.setShort(index, number);
    }
    return switch (type) {
      case NUMERIC, FLOAT4, FLOAT8 -> ofDecimal(type, BigDecimal.valueOf(value));
      default -> (statement, index) -> statement.setLong(index, value);
    };
  }

  private static PlainValue ofDecimal(ServerType type, BigDecimal value) {
    double number = value.doubleValue();
    return switch (type) {
      case FLOAT8 -> (statement, index) -> statement.setDouble(index, number);
      case FLOAT4 -> (statement, index) -> statement.setFloat(index, (float) number);
      default -> (statement, index) -> statement.setBigDecimal(index, value);
    };
  }

  private static PlainValue ofInstant(ServerType type, Instant value) {
    LocalDateTime local = LocalDateTime.ofInstant(value, ZoneOffset.UTC);
    LocalDate day = local.toLocalDate();
    OffsetDateTime time = value.atOffset(ZoneOffset.UTC);
    return switch (type) {
      case TIMESTAMP -> (statement, index) -> statement.setObject(index, local);
      case DATE -> (statement, index) -> statement.setObject(index, day);
      default -> (statement, index) -> statement.setObject(index, time);
    };
  }
}
