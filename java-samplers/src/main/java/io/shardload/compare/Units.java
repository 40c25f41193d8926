package io.shardload.compare;

import java.util.Locale;

/** Figures and verdicts in words, by the figure's key. */
final class Units {
  private Units() {}

  /** Three significant digits in the unit that suits; a dash for what is not known. */
  static String show(String figure, double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    if (figure.endsWith("_per_second")) {
      return String.format(Locale.ROOT, "%.1f/s", value);
    }
    if (figure.endsWith("_percent")) {
      return String.format(Locale.ROOT, "%.1f %%", value);
    }
    return figure.endsWith("_bytes")
        ? scaled(value, 1024, "B", "KiB", "MiB", "GiB", "TiB")
        : scaled(value, 1000, "ns", "us", "ms", "s");
  }

  private static String scaled(double value, double step, String... units) {
    int unit = 0;
    double scaled = value;
    while (scaled >= step && unit < units.length - 1) {
      scaled /= step;
      unit++;
    }
    int decimals = unit == 0 || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + decimals + "f %s", scaled, units[unit]);
  }

  /** A longer time is slower; of everything else there is more or less. */
  static String verdict(Effect.Verdict verdict, String figure) {
    boolean time = figure.contains("_ns.");
    return switch (verdict) {
      case HIGHER -> time ? "slower" : "more";
      case LOWER -> time ? "faster" : "less";
      default -> verdict.words;
    };
  }
}
