package io.shardload.driver.postgresql.statements.types;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * What a column holds of its type: texts up to a length, numbers up to a size.
 *
 * @param serverName of the type
 * @param modifier of the type as {@code pg_attribute} has it; negative where the column has none
 */
public record Limit(String serverName, int modifier) {
  private static final int HEADER = 4;
  private static final int PRECISION_SHIFT = 16;
  private static final int PRECISION_MASK = 0xFFFF;
  private static final int SCALE_MASK = 0x7FF;
  private static final int SCALE_SIGN = 0x400;

  /** Whether there is any. */
  public boolean any() {
    return switch (serverName) {
      case "int2", "int4" -> true;
      case "varchar", "bpchar", "numeric" -> modifier >= HEADER;
      default -> false;
    };
  }

  /**
   * How a value exceeds the limit, such as "has 58 characters"; empty if it fits, or if the limit
   * does not apply.
   */
  public String excess(Object value) {
    if (!any()) {
      return "";
    }
    if (value instanceof String text && isText()) {
      // The server cuts off blanks.
      int characters = text.stripTrailing().codePointCount(0, text.stripTrailing().length());
      return characters > modifier - HEADER ? "has " + characters + " characters" : "";
    }
    if (value instanceof Long || value instanceof Integer) {
      long number = ((Number) value).longValue();
      return fits(BigDecimal.valueOf(number)) ? "" : "is " + number;
    }
    if (value instanceof BigDecimal number) {
      return fits(number) ? "" : "is " + number.toPlainString();
    }
    return "";
  }

  private boolean isText() {
    return serverName.equals("varchar") || serverName.equals("bpchar");
  }

  private boolean fits(BigDecimal number) {
    return switch (serverName) {
      case "int2" -> within(number, Short.MIN_VALUE, Short.MAX_VALUE);
      case "int4" -> within(number, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case "numeric" -> fitsDigits(number);
      default -> true;
    };
  }

  private static boolean within(BigDecimal number, long least, long most) {
    return number.compareTo(BigDecimal.valueOf(least)) >= 0
        && number.compareTo(BigDecimal.valueOf(most)) <= 0;
  }

  private boolean fitsDigits(BigDecimal number) {
    BigDecimal rounded = number.setScale(scale(), RoundingMode.HALF_UP);
    return rounded.abs().compareTo(BigDecimal.ONE.scaleByPowerOfTen(precision() - scale())) < 0;
  }

  private int precision() {
    return ((modifier - HEADER) >> PRECISION_SHIFT) & PRECISION_MASK;
  }

  /** Eleven bits with a sign, since PostgreSQL 15; before, never negative. */
  private int scale() {
    int bits = (modifier - HEADER) & SCALE_MASK;
    return (bits ^ SCALE_SIGN) - SCALE_SIGN;
  }

  @Override
  public String toString() {
    String name = ServerType.readable(serverName);
    if (!any() || modifier < HEADER) {
      return name;
    }
    return isText()
        ? name + "(" + (modifier - HEADER) + ")"
        : name + "(" + precision() + ", " + scale() + ")";
  }
}
