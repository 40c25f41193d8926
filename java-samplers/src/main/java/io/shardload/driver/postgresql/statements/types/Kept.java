package io.shardload.driver.postgresql.statements.types;

import com.google.gson.JsonArray;
import io.shardload.workload.statements.port.Values;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What a column keeps of a value that is stored in it.
 *
 * @param precision characters or digits, 0 where the type has no limit
 * @param scale digits after the point; of times, of their seconds
 */
record Kept(ServerType type, int precision, int scale) {
  /** The server rounds halves of a second's parts away from this time. */
  private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");

  private static final int MICROS_SCALE = 6;

  /** Of {@code numeric}, the driver returns eleven bits of which one is a sign. */
  private static final int SCALE_MASK = 0x7FF;

  private static final int SCALE_SIGN = 0x400;

  /** Whether the column, as {@link ServerType#value} returns it, holds this value. */
  boolean holds(Object column, Object value) {
    if (type == ServerType.ARRAY && value instanceof JsonArray list) {
      return column != null && ArrayText.holds(ArrayText.read((String) column), list);
    }
    return Values.same(column, value == null ? null : of(value));
  }

  /** Whether the type rounds by a limit, and this column has none. */
  boolean unlimited() {
    return switch (type) {
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
      return time(time);
    }
    if ((value instanceof Long || value instanceof Integer) && !type.rounds()) {
      return value;
    }
    return value instanceof Number number ? number(new BigDecimal(number.toString())) : value;
  }

  private String text(String text) {
    boolean cut = precision > 0 && text.codePointCount(0, text.length()) > precision;
    String kept = cut ? text.substring(0, text.offsetByCodePoints(0, precision)) : text;
    return type == ServerType.BPCHAR ? ServerType.withoutBlanks(kept) : kept;
  }

  private BigDecimal number(BigDecimal number) {
    return switch (type) {
      case INT2, INT4, INT8 -> number.setScale(0, RoundingMode.HALF_UP);
      case NUMERIC -> {
        int digits = ((scale & SCALE_MASK) ^ SCALE_SIGN) - SCALE_SIGN;
        yield precision == 0 ? number : number.setScale(digits, RoundingMode.HALF_UP);
      }
      case FLOAT4 -> new BigDecimal(Float.toString(number.floatValue()));
      case FLOAT8 -> new BigDecimal(Double.toString(number.doubleValue()));
      default -> number;
    };
  }

  private Instant time(Instant time) {
    if (type == ServerType.DATE) {
      return time.truncatedTo(ChronoUnit.DAYS);
    }
    if (scale >= MICROS_SCALE && time.getNano() % 1000 == 0) {
      return time;
    }
    // What is sent has microseconds.
    BigDecimal seconds =
        BigDecimal.valueOf(time.getEpochSecond() - EPOCH.getEpochSecond())
            .add(BigDecimal.valueOf(time.getNano(), 9))
            .setScale(MICROS_SCALE, RoundingMode.HALF_UP)
            .setScale(Math.min(scale, MICROS_SCALE), RoundingMode.HALF_UP);
    return EPOCH.plusSeconds(seconds.longValue()).plusNanos(fraction(seconds));
  }

  private static long fraction(BigDecimal seconds) {
    return seconds.remainder(BigDecimal.ONE).movePointRight(9).longValue();
  }
}
