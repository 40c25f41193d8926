package io.shardload.config;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write and read them. The Python side has the same two functions ({@code
 * config/values/quantities.py}); both are tested with the same cases.
 */
public final class Durations {
  private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([a-z]*)\\s*");
  private static final Map<String, Long> NANOS =
      Map.of(
          "ns", 1L,
          "us", 1_000L,
          "ms", 1_000_000L,
          "s", 1_000_000_000L,
          "m", 60_000_000_000L,
          "h", 3_600_000_000_000L,
          "d", 86_400_000_000_000L);

  private Durations() {}

  /**
   * Reads {@code 500us}, {@code 10s}, {@code 1m30s} or {@code 10}, which is seconds.
   *
   * @return empty if the text is not a duration, or not a whole number of nanoseconds
   */
  public static Optional<Duration> parse(String text) {
    String rest = text.strip().toLowerCase(Locale.ROOT);
    Matcher part = PART.matcher(rest);
    BigDecimal nanos = BigDecimal.ZERO;
    int position = 0;
    do {
      part.region(position, rest.length());
      if (!part.lookingAt()) {
        return Optional.empty();
      }
      Long unit = NANOS.get(part.group(2).isEmpty() ? "s" : part.group(2));
      if (unit == null) {
        return Optional.empty();
      }
      nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unit)));
      position = part.end();
    } while (position < rest.length());
    try {
      return Optional.of(Duration.ofNanos(nanos.longValueExact()));
    } catch (ArithmeticException e) {
      return Optional.empty();
    }
  }

  /** As for a double. */
  public static String show(long nanos) {
    return show((double) nanos);
  }

  /** Shows a latency with three digits in the unit that fits: {@code 1.09 ms}. */
  public static String show(double nanos) {
    // What rounds to 1000 of one unit is 1.00 of the next.
    double share = 0.9995;
    double size =
        nanos >= 1e9 * share ? 1e9 : nanos >= 1e6 * share ? 1e6 : nanos >= 1e3 * share ? 1e3 : 1;
    String unit = size == 1e9 ? "s" : size == 1e6 ? "ms" : size == 1e3 ? "us" : "ns";
    double value = nanos / size;
    int decimals = size == 1 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return new BigDecimal(value).setScale(decimals, RoundingMode.HALF_UP).toPlainString()
        + " "
        + unit;
  }
}
