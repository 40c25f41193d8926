package io.shardload.timeseries;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Map;

/**
 * A series with its values, in order of time; NaN where it has none.
 *
 * @param labels sorted by their names
 */
// The arrays are passed on, never kept.
@SuppressWarnings("ArrayRecordComponent")
record Points(String name, Map<String, String> labels, long[] epochMillis, double[] values) {
  private static final int DECIMALS = 9;

  /** The last value, 0 without any. */
  double last() {
    for (int i = values.length - 1; i >= 0; i--) {
      if (!Double.isNaN(values[i])) {
        return values[i];
      }
    }
    return 0;
  }

  /** How many values there are. */
  long count() {
    return Arrays.stream(values).filter(value -> !Double.isNaN(value)).count();
  }

  /** A value as text: whole numbers as such, others to the billionth, as the pages have them. */
  static String text(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    BigDecimal rounded = BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_EVEN);
    return rounded.stripTrailingZeros().toPlainString();
  }
}
