package io.shardload.config;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write and read them. A bare number has no unit and is refused. */
public final class Units {
  private static final Pattern QUANTITY =
      Pattern.compile("\\s*(\\d+(?:\\.\\d+)?)\\s*([A-Za-z]+)\\s*");
  private static final Map<String, Long> BYTES =
      Map.of("B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30, "TiB", 1L << 40);

  private static final List<String> SIZES = List.of("B", "KiB", "MiB", "GiB", "TiB");
  private static final List<String> RATES = List.of("B/s", "kB/s", "MB/s", "GB/s", "TB/s");

  private Units() {}

  /** {@code 2KiB} and the like, in bytes; empty if the text is not a size. */
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

  /** Bytes with three digits in the unit that fits, in powers of 1024: {@code 1.50 GiB}. */
  public static String show(double bytes) {
    return scaled(bytes, 1024, SIZES);
  }

  /** Bytes per second in powers of 1000: {@code 12.5 MB/s}. */
  public static String showRate(double bytesPerSecond) {
    return scaled(bytesPerSecond, 1000, RATES);
  }

  private static String scaled(double value, int base, List<String> units) {
    int unit = 0;
    double scaled = value;
    while (scaled >= base && unit < units.size() - 1) {
      scaled /= base;
      unit++;
    }
    int decimals = unit == 0 || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + decimals + "f %s", scaled, units.get(unit));
  }
}
