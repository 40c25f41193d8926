package io.shardload.compare;

import io.shardload.config.Durations;
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
    return figure.endsWith("_bytes") ? bytes(value) : Durations.show(value);
  }

  private static String bytes(double value) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    double scaled = value;
    while (scaled >= 1024 && unit < units.length - 1) {
      scaled /= 1024;
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
