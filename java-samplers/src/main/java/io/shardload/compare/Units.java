package io.shardload.compare;

import io.shardload.compare.effect.Effect;
import io.shardload.compare.effect.Measured;
import io.shardload.config.Durations;
import java.util.Locale;

/** Figures and verdicts in words, by the figure's key. */
final class Units {
  private Units() {}

  /** As {@link #show(String, double)}; a bound with its sign. */
  static String show(String figure, Measured value) {
    return (value.isKnown() && value.atLeast() ? ">= " : "") + show(figure, value.value());
  }

  /** Three significant digits in the unit that suits; a dash for unknown values. */
  static String show(String figure, double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    if (figure.endsWith("_bytes_per_second")) {
      return io.shardload.config.Units.showRate(value);
    }
    if (figure.endsWith("_per_second")) {
      return String.format(Locale.ROOT, "%.1f/s", value);
    }
    if (figure.endsWith("_percent") || figure.endsWith("_ratio")) {
      double percent = figure.endsWith("_ratio") ? 100 * value : value;
      return String.format(Locale.ROOT, "%.1f %%", percent);
    }
    if (figure.endsWith("_bytes") || figure.endsWith("_bytes_per_operation")) {
      return io.shardload.config.Units.show(value);
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

  /** A longer time is slower; of everything else there is more or less. */
  static String verdict(Effect.Verdict verdict, String figure) {
    boolean time = Metrics.isLatency(figure) || figure.endsWith("_latency_seconds");
    return switch (verdict) {
      case HIGHER -> time ? "slower" : "more";
      case LOWER -> time ? "faster" : "less";
      default -> verdict.words;
    };
  }
}
