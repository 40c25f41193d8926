package io.shardload.compare;

import io.shardload.config.Durations;
import java.util.List;
import java.util.Locale;

/** Figures and verdicts in words, by the figure's key. */
final class Units {
  private static final List<String> SIZES = List.of("B", "KiB", "MiB", "GiB", "TiB");
  private static final List<String> RATES = List.of("B/s", "kB/s", "MB/s", "GB/s", "TB/s");

  private Units() {}

  /** Three significant digits in the unit that suits; a dash for what is not known. */
  static String show(String figure, double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    if (figure.endsWith("_bytes_per_second")) {
      return scaled(value, 1000, RATES);
    }
    if (figure.endsWith("_per_second")) {
      return String.format(Locale.ROOT, "%.1f/s", value);
    }
    if (figure.endsWith("_percent") || figure.endsWith("_ratio")) {
      double percent = figure.endsWith("_ratio") ? 100 * value : value;
      return String.format(Locale.ROOT, "%.1f %%", percent);
    }
    if (figure.endsWith("_bytes") || figure.endsWith("_bytes_per_operation")) {
      return scaled(value, 1024, SIZES);
    }
    if (figure.endsWith("_io_per_operation")) {
      return number(value);
    }
    return Durations.show(figure.contains("_seconds") ? value * 1e9 : value);
  }

  /** Three significant digits, never in powers of ten. */
  private static String number(double value) {
    int before = value > 0 ? (int) Math.floor(Math.log10(value)) + 1 : 1;
    return String.format(Locale.ROOT, "%." + Math.max(0, Math.min(6, 3 - before)) + "f", value);
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

  /** A longer time is slower; of everything else there is more or less. */
  static String verdict(Effect.Verdict verdict, String figure) {
    boolean time = figure.contains("_ns.") || figure.endsWith("_latency_seconds");
    return switch (verdict) {
      case HIGHER -> time ? "slower" : "more";
      case LOWER -> time ? "faster" : "less";
      default -> verdict.words;
    };
  }
}
