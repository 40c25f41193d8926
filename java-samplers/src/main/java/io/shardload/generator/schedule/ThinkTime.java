package io.shardload.generator.schedule;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import java.util.List;
import java.util.Locale;

/**
 * How long a worker of the closed model waits between the end of a call and its next one. The wait
 * after an arrival is a pure function of the seed and the arrival's index.
 *
 * @param meanSeconds 0 for none
 */
public record ThinkTime(Distribution distribution, double meanSeconds) {
  public static final ThinkTime NONE = new ThinkTime(Distribution.CONSTANT, 0);

  private static final double MOST_SECONDS = 86_400;

  /** How waits vary around their mean. */
  public enum Distribution {
    /** All equal. */
    CONSTANT,
    /** From 0 to twice the mean, uniform. */
    UNIFORM,
    /** As between the events of a Poisson process. */
    EXPONENTIAL
  }

  static ThinkTime read(Options load, boolean open) {
    if (!load.has("think_time")) {
      return NONE;
    }
    Options section = load.section("think_time");
    if (open) {
      throw new ConfigException(
          "load.think_time", "is supported only in the closed model (without throughput)");
    }
    String distribution =
        section.choice("distribution", "constant", List.of("constant", "uniform", "exponential"));
    double mean = section.number("mean_seconds", 0, 0, MOST_SECONDS);
    section.rejectUnknown();
    return new ThinkTime(Distribution.valueOf(distribution.toUpperCase(Locale.ROOT)), mean);
  }

  boolean none() {
    return meanSeconds == 0;
  }

  /**
   * The wait that a draw stands for.
   *
   * @param draw uniform in [0, 1)
   */
  long nanos(double draw) {
    double ofMean =
        switch (distribution) {
          case CONSTANT -> 1;
          case UNIFORM -> 2 * draw;
          // The same on every kind of machine, unlike Math.log1p.
          case EXPONENTIAL -> -StrictMath.log1p(-draw);
        };
    return Math.round(ofMean * meanSeconds * 1e9);
  }
}
