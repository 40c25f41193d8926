package io.shardload.config;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them. A bare number has no unit and is refused. */
public final class Units {
  private static final Pattern QUANTITY =
      Pattern.compile("\\s*(\\d+(?:\\.\\d+)?)\\s*([A-Za-z]+)\\s*");
  private static final Map<String, Long> BYTES =
      Map.of("B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30, "TiB", 1L << 40);

  private Units() {}

  /** {@code 2KiB} and the like, in bytes; empty when it is none. */
  public static Optional<Long> bytes(String text) {
    Matcher matcher = QUANTITY.matcher(text);
    if (!matcher.matches() || !BYTES.containsKey(matcher.group(2))) {
      return Optional.empty();
    }
    BigDecimal value = new BigDecimal(matcher.group(1));
    try {
      return Optional.of(
          value.multiply(BigDecimal.valueOf(BYTES.get(matcher.group(2)))).longValueExact());
    } catch (ArithmeticException e) {
      return Optional.empty();
    }
  }
}
