package io.shardload.driver.jdbc.statements.types;

import com.google.gson.JsonArray;
import io.shardload.workload.statements.port.Values;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/**
 * What a column keeps of a value that is stored in it.
 *
 * @param precision characters or digits, 0 where the type has no limit
 * @param scale digits after the point; of times, of their seconds
 */
public record Kept(SqlType type, int precision, int scale) {
  private static final int MICROS_SCALE = 6;

  /** Whether the column, as {@link SqlType#value} returns it, holds this value. */
  boolean holds(Object column, Object value) {
    if ((value instanceof String || value instanceof UUID) && value.equals(column)) {
      return true;
    }
    if (type.kind() == SqlType.Kind.ARRAY && value instanceof JsonArray list) {
      return type.holds(column, list);
    }
    return Values.same(column, value == null ? null : of(value));
  }

  /** Whether the type rounds by a limit, and this column has none. */
  public boolean unlimited() {
    return switch (type.kind()) {
      case NUMERIC -> precision == 0;
      case TIMESTAMP, TIMESTAMPTZ -> scale >= MICROS_SCALE;
      default -> false;
    };
  }

  private Object of(Object value) {
    if (value instanceof String text) {
      return text(text);
    }
    if (value instanceof Instant time) {
      return type.kind() == SqlType.Kind.DATE
          ? time.truncatedTo(ChronoUnit.DAYS)
          : type.kept(time, scale);
    }
    if ((value instanceof Long || value instanceof Integer) && !type.rounds()) {
      return value;
    }
    return value instanceof Number number ? number(new BigDecimal(number.toString())) : value;
  }

  private String text(String text) {
    boolean cut = precision > 0 && text.codePointCount(0, text.length()) > precision;
    String kept = cut ? text.substring(0, text.offsetByCodePoints(0, precision)) : text;
    return type.kind() == SqlType.Kind.PADDED ? SqlType.withoutBlanks(kept) : kept;
  }

  private BigDecimal number(BigDecimal number) {
    return switch (type.kind()) {
      case INT2, INT4, INT8 -> number.setScale(0, RoundingMode.HALF_UP);
      case NUMERIC -> precision == 0 ? number : number.setScale(scale, RoundingMode.HALF_UP);
      case FLOAT4 -> new BigDecimal(Float.toString(number.floatValue()));
      case FLOAT8 -> new BigDecimal(Double.toString(number.doubleValue()));
      default -> number;
    };
  }
}
