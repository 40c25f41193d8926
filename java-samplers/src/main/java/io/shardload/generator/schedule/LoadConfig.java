package io.shardload.generator.schedule;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Section {@code load} of the configuration: how hard and how long, already divided into segments.
 *
 * @param open transactions arrive by a schedule; otherwise workers go as fast as they can
 * @param workers of this generator
 * @param retries further attempts after a transient failure
 * @param sampleEach one JMeter sample per transaction rather than per slice
 * @param thinkTime between the calls of a worker; none in the open model
 */
public record LoadConfig(
    boolean open,
    boolean poisson,
    int workers,
    int generator,
    int generators,
    List<Segment> segments,
    int retries,
    Duration statementTimeout,
    boolean sampleEach,
    ThinkTime thinkTime) {

  private static final long MOST_PROLONGED_NANOS = 30_000_000_000L;

  public LoadConfig {
    segments = List.copyOf(segments);
    if (segments.isEmpty()) {
      throw new ConfigException("load.segments", "is empty");
    }
  }

  /** Without think time. */
  public LoadConfig(
      boolean open,
      boolean poisson,
      int workers,
      int generator,
      int generators,
      List<Segment> segments,
      int retries,
      Duration statementTimeout,
      boolean sampleEach) {
    this(
        open,
        poisson,
        workers,
        generator,
        generators,
        segments,
        retries,
        statementTimeout,
        sampleEach,
        ThinkTime.NONE);
  }

  /** How long the warm-up is to be; 0 without one. */
  public long warmUpNanos() {
    Segment first = segments.get(0);
    return first.kind() == Segment.Kind.WARM_UP ? first.endNanos() : 0;
  }

  /** By how much the warm-up may be prolonged. */
  public long mostProlongedNanos() {
    return Math.min(MOST_PROLONGED_NANOS, warmUpNanos());
  }

  public static LoadConfig read(Options load) {
    boolean open = load.choice("model", "open", List.of("open", "closed")).equals("open");
    int generators = (int) load.integer("generators", 1, 1, 10_000);
    LoadConfig config =
        new LoadConfig(
            open,
            load.choice("arrivals", "constant", List.of("constant", "poisson")).equals("poisson"),
            (int) load.integer("workers", 1, 1, 100_000),
            (int) load.integer("generator", 0, 0, generators - 1),
            generators,
            segments(load.sections("segments"), open),
            (int) load.integer("retries", 0, 0, 1000),
            Duration.ofNanos(
                (long) (load.number("statement_timeout_seconds", 10, 0.001, 86_400) * 1e9)),
            load.choice("samples", "slice", List.of("slice", "each")).equals("each"),
            ThinkTime.read(load, open));
    prolongedNanos(load);
    load.subtree("limits");
    load.flag("rate_profile", true);
    load.text("stop_after_failed_steps");
    load.rejectUnknown();
    return config;
  }

  /** Only in the configuration of a run that has ended, as its bundle's reader returns it. */
  static long prolongedNanos(Options load) {
    return load.integer("prolonged_ns", 0, 0, MOST_PROLONGED_NANOS);
  }

  /** The segments as configured: the warm-up as long as it was to be. */
  private static List<Segment> segments(List<Options> sections, boolean open) {
    List<Segment> segments = new ArrayList<>();
    double seconds = 0;
    for (Options s : sections) {
      double is = s.number("seconds", 0, 1e-6, 1e8);
      double end = seconds + s.number("asked_seconds", is, 1e-6, 1e8);
      Segment segment =
          new Segment(
              s.requiredText("name"),
              kind(s),
              Math.round(seconds * 1e9),
              Math.round(end * 1e9),
              open ? s.number("from_rate", 0, 0, 1e9) : 0,
              open ? s.number("to_rate", 0, 0, 1e9) : 0,
              s.number("from_workers", 1, 0, 100_000),
              s.number("to_workers", 1, 0, 100_000));
      // Known keys in the closed model too, where they are null.
      s.text("from_rate");
      s.text("to_rate");
      s.rejectUnknown();
      segments.add(segment);
      seconds = end;
    }
    return segments;
  }

  private static Segment.Kind kind(Options segment) {
    String kind =
        segment.choice("kind", "hold", List.of("warm-up", "ramp", "step", "stage", "hold"));
    return Segment.Kind.valueOf(kind.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /**
   * How long a worker of the closed model waits between the end of a call and its next one. The
   * wait after an arrival is a pure function of the seed and the arrival's index.
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
}
