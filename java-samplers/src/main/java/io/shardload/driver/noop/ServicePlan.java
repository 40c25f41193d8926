package io.shardload.driver.noop;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How long each call takes and whether it fails: a pure function of its index and of when it began.
 *
 * @param serviceNanos time that every call takes
 * @param jitterNanos uniform extra, from 0 to this
 * @param stalls in ascending order, without overlap
 * @param errorsPercent share of calls that fail
 */
record ServicePlan(long serviceNanos, long jitterNanos, List<Stall> stalls, double errorsPercent) {
  private static final long SEED = 1;

  /**
   * A time in which nothing is answered, relative to the begin of the first call. A call that
   * begins in it is served after its end.
   */
  record Stall(long fromNanos, long toNanos) {}

  /** Reads section {@code target.options}. */
  static ServicePlan read(Options options) {
    ServicePlan plan =
        new ServicePlan(
            options.duration("service-time", Duration.ZERO).toNanos(),
            options.duration("jitter", Duration.ZERO).toNanos(),
            readStalls(options.sections("stalls")),
            options.number("errors-percent", 0, 0, 100));
    options.rejectUnknown();
    return plan;
  }

  private static List<Stall> readStalls(List<Options> sections) {
    List<Stall> stalls = new ArrayList<>();
    for (Options section : sections) {
      long from = section.duration("at", Duration.ZERO).toNanos();
      section.requiredText("for");
      stalls.add(new Stall(from, from + section.duration("for", Duration.ZERO).toNanos()));
      section.rejectUnknown();
    }
    stalls.sort(Comparator.comparingLong(Stall::fromNanos));
    for (int i = 1; i < stalls.size(); i++) {
      if (stalls.get(i).fromNanos() < stalls.get(i - 1).toNanos()) {
        throw new ConfigException("target.options.stalls", "two stalls overlap");
      }
    }
    return List.copyOf(stalls);
  }

  /** The options as they are written into the bundle. */
  Map<String, String> describe() {
    Map<String, String> all = new TreeMap<>();
    all.put("service-time", serviceNanos / 1e6 + "ms");
    all.put("jitter", jitterNanos / 1e6 + "ms");
    all.put("errors-percent", Double.toString(errorsPercent));
    all.put(
        "stalls",
        stalls.stream()
            .map(stall -> stall.fromNanos() / 1e6 + "ms to " + stall.toNanos() / 1e6 + "ms")
            .collect(Collectors.joining(", ")));
    return all;
  }

  /** Whether every call succeeds at once, so that no clock need be read. */
  boolean immediate() {
    return serviceNanos == 0 && jitterNanos == 0 && stalls.isEmpty() && errorsPercent == 0;
  }

  /** When a call ends that began then; both relative to the begin of the first call. */
  long endNanos(long beginNanos, long index) {
    long end = beginNanos;
    for (Stall stall : stalls) {
      if (beginNanos >= stall.fromNanos() && beginNanos < stall.toNanos()) {
        end = stall.toNanos();
      }
    }
    long jitter = jitterNanos == 0 ? 0 : new Draws().at(SEED, index).next(jitterNanos + 1);
    return end + serviceNanos + jitter;
  }

  boolean fails(long index) {
    return errorsPercent > 0 && new Draws().at(~SEED, index).nextDouble() * 100 < errorsPercent;
  }
}
