package io.shardload.driver.jdbc.statements.types;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * What a column holds of its type: texts up to a length, numbers up to a size.
 *
 * @param precision characters or digits; 0 where the column has no limit
 * @param scale digits after the point
 */
public record Limit(SqlType type, int precision, int scale) {
  /** Whether there is any. */
  public boolean any() {
    return switch (type.kind()) {
      case INT2, INT4 -> true;
      case TEXT, PADDED, NUMERIC -> precision > 0;
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
    if (value instanceof String text && type.isText()) {
      // The server cuts off blanks.
      int characters = text.stripTrailing().codePointCount(0, text.stripTrailing().length());
      return characters > precision ? "has " + characters + " characters" : "";
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

  private boolean fits(BigDecimal number) {
    return switch (type.kind()) {
      case INT2 -> within(number, Short.MIN_VALUE, Short.MAX_VALUE);
      case INT4 -> within(number, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case NUMERIC -> fitsDigits(number);
      default -> true;
    };
  }

  private static boolean within(BigDecimal number, long least, long most) {
    return number.compareTo(BigDecimal.valueOf(least)) >= 0
        && number.compareTo(BigDecimal.valueOf(most)) <= 0;
  }

  private boolean fitsDigits(BigDecimal number) {
    BigDecimal rounded = number.setScale(scale, RoundingMode.HALF_UP);
    return rounded.abs().compareTo(BigDecimal.ONE.scaleByPowerOfTen(precision - scale)) < 0;
  }

  @Override
  public String toString() {
    if (!any() || precision == 0) {
      return type.readable();
    }
    return type.readable()
        + (type.isText() ? "(" + precision + ")" : "(" + precision + ", " + scale + ")");
  }
}
