package io.shardload.results.measured;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.metrics.JitUse;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How busy a generator's cores were, CPU time per elapsed time and core, how long its garbage
 * collection stopped it, per elapsed time, and what its JIT compilers used, per CPU time; all in
 * percent.
 *
 * <p>A ledger line carries the times of the process since it began, so the first line gives no
 * difference; an interval that lies across the edge of a segment is divided by time.
 */
public final class Cpu {
  /** Where time was spent. */
  private record Place(int generator, String segment) {}

  /** Nanoseconds. */
  private record Time(double used, double collecting, double compiling, double elapsed) {
    static final Time NONE = new Time(0, 0, 0, 0);

    Time plus(Time other) {
      return new Time(
          used + other.used,
          collecting + other.collecting,
          compiling + other.compiling,
          elapsed + other.elapsed);
    }
  }

  private final Bundle bundle;
  private final Map<Place, Time> times = new HashMap<>();

  private Cpu(Bundle bundle) {
    this.bundle = bundle;
  }

  /** Reads the ledgers of all generators. */
  public static Cpu of(Bundle bundle, Segments segments) {
    Cpu cpu = new Cpu(bundle);
    for (GeneratorLog generator : bundle.generators()) {
      GeneratorLog.Line[] before = new GeneratorLog.Line[1];
      generator.forEachLine(
          line -> {
            if (before[0] != null) {
              cpu.add(generator.generator(), before[0], line, segments);
            }
            before[0] = line;
          });
    }
    return cpu;
  }

  private void add(
      int generator, GeneratorLog.Line before, GeneratorLog.Line line, Segments segments) {
    double length = line.toNanos() - line.fromNanos();
    for (Segment segment : segments.all()) {
      double shared =
          Math.min(line.toNanos(), segment.toNanos())
              - Math.max(line.fromNanos(), segment.fromNanos());
      if (length > 0 && shared > 0) {
        double used = (line.cpuNanos() - before.cpuNanos()) * shared / length;
        double collecting = used(before.gcNanos(), line.gcNanos()) * shared / length;
        double compiling = used(before.jitNanos(), line.jitNanos()) * shared / length;
        times.merge(
            new Place(generator, segment.name()),
            new Time(used, collecting, compiling, shared),
            Time::plus);
      }
    }
  }

  private static double used(long before, long now) {
    return before >= 0 && now >= 0 ? now - before : Double.NaN;
  }

  /** Percent of a generator's cores in some segments; NaN where nothing is known. */
  public double percent(int generator, List<Segment> segments) {
    Time time = time(generator, segments);
    long cpus = Json.integer(bundle.machine(generator), "cpus", 0);
    return time.elapsed() == 0 || cpus <= 0
        ? Double.NaN
        : 100 * time.used() / (time.elapsed() * cpus);
  }

  /** Percent of the time in which garbage collection stopped a generator; NaN where not known. */
  public double collectingPercent(int generator, List<Segment> segments) {
    Time time = time(generator, segments);
    return time.elapsed() == 0 ? Double.NaN : 100 * time.collecting() / time.elapsed();
  }

  /** What the JIT compilers used that had the largest share of their generator's CPU time. */
  public JitUse jit(List<Segment> segments) {
    return bundle.generators().stream()
        .map(generator -> time(generator.generator(), segments))
        .map(time -> new JitUse(time.compiling(), time.used(), time.elapsed()))
        .filter(use -> !Double.isNaN(use.percent()))
        .max(Comparator.comparingDouble(JitUse::percent))
        .orElse(JitUse.UNKNOWN);
  }

  private Time time(int generator, List<Segment> segments) {
    Time time = Time.NONE;
    for (Segment segment : segments) {
      time = time.plus(times.getOrDefault(new Place(generator, segment.name()), Time.NONE));
    }
    return time;
  }

  /** The busiest generator's percentage; NaN where nothing is known. */
  public double highest(List<Segment> segments) {
    double highest = Double.NaN;
    for (GeneratorLog generator : bundle.generators()) {
      double percent = percent(generator.generator(), segments);
      if (!(percent <= highest)) {
        highest = Double.isNaN(percent) ? highest : percent;
      }
    }
    return highest;
  }
}
