package io.shardload.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations and sizes as people write them. A bare number has no unit and is refused. */
public final class Units {
  private static final Pattern QUANTITY =
      Pattern.compile("\\s*(\\d+(?:\\.\\d+)?)\\s*([A-Za-z]+)\\s*");
  private static final Map<String, Long> NANOS =
      Map.of(
          "ns", 1L,
          "us", 1_000L,
          "ms", 1_000_000L,
          "s", 1_000_000_000L,
          "m", 60_000_000_000L,
          "h", 3_600_000_000_000L,
          "d", 86_400_000_000_000L);
  private static final Map<String, Long> BYTES =
      Map.of("B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30, "TiB", 1L << 40);

  private Units() {}

  /** {@code 1.5s} and the like; empty when it is none. */
  public static Optional<Duration> duration(String text) {
    return quantity(text, NANOS).map(Duration::ofNanos);
  }

  /** {@code 2KiB} and the like, in bytes; empty when it is none. */
  public static Optional<Long> bytes(String text) {
    return quantity(text, BYTES);
  }

  private static Optional<Long> quantity(String text, Map<String, Long> units) {
    Matcher matcher = QUANTITY.matcher(text);
    if (!matcher.matches() || !units.containsKey(matcher.group(2))) {
      return Optional.empty();
    }
    BigDecimal value = new BigDecimal(matcher.group(1));
    try {
      return Optional.of(
          value.multiply(BigDecimal.valueOf(units.get(matcher.group(2)))).longValueExact());
    } catch (ArithmeticException e) {
      return Optional.empty();
    }
  }
}
