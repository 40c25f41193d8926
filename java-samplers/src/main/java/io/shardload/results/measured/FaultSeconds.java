package io.shardload.results.measured;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.json.Json;
import java.util.Collection;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The seconds of a run with faults: what was due, what was answered and how fast. In a run of over
 * an hour its intervals are longer; they take the place of seconds. Times are nanoseconds since the
 * start of the load.
 */
final class FaultSeconds implements Distributions.Listener {
  static final long NEVER = Long.MAX_VALUE;

  /** So many calls are needed to know a p99. */
  private static final long WINDOW_CALLS = Percentiles.P99.samplesNeeded();

  /** So many windows in a row must be good. */
  private static final int WINDOWS = 3;

  private static final double MOST_P99 = 1.5;

  private final boolean open;
  private final String series;

  /** By their begin. */
  private final NavigableMap<Long, Second> seconds = new TreeMap<>();

  /** One interval of all generators, or several together. */
  private static final class Second {
    long fromNanos;
    long toNanos;
    long due;
    long waiting;
    Counts counts = new Counts();
    SlotCounts latencies = new SlotCounts();

    void add(Second more) {
      fromNanos = toNanos == 0 ? more.fromNanos : fromNanos;
      toNanos = more.toNanos;
      due += more.due;
      waiting = Math.max(waiting, more.waiting);
      counts.add(more.counts);
      latencies = latencies.plus(more.latencies);
    }

    Long p99Nanos() {
      return latencies.total() < WINDOW_CALLS
          ? null
          : Long.valueOf(latencies.percentileNanos(Percentiles.P99.inverseTail()));
    }

    double answeredPerSecond() {
      return counts.answered() / ((toNanos - fromNanos) / 1e9);
    }
  }

  /**
   * The load before a fault.
   *
   * @param p99Nanos null if there were too few calls
   * @param waiting the most arrivals that were due and not begun at the end of a second
   */
  record Before(Long p99Nanos, double answeredPerSecond, long waiting) {
    /**
     * Ten times the mean time between two answers; at random, one of 22,000 times is longer. At
     * least what generators report.
     */
    double leastSilenceSeconds() {
      double shortest = GeneratorLog.SHORTEST_SILENCE_NANOS / 1e9;
      return answeredPerSecond > 0 ? Math.max(shortest, 10 / answeredPerSecond) : shortest;
    }
  }

  FaultSeconds(Bundle bundle) {
    open = bundle.open();
    series = open ? "response" : "service";
    Distributions.intervals(bundle).forEach(stream -> stream.forEachJson(this::count));
  }

  private void count(JsonObject line) {
    Second second = seconds.computeIfAbsent(Json.integer(line, "from_ns", 0), from -> new Second());
    second.fromNanos = Json.integer(line, "from_ns", 0);
    second.toNanos = Math.max(second.toNanos, Json.integer(line, "to_ns", 0));
    second.waiting += Json.integer(line, "backlog", 0);
    for (JsonElement due : Json.object(line, "due").asMap().values()) {
      second.due += due.getAsLong();
    }
    for (JsonElement segment : Json.object(line, "segments").asMap().values()) {
      for (JsonElement part : segment.getAsJsonObject().asMap().values()) {
        second.counts.add(Counts.parse(part.getAsJsonObject()));
      }
    }
  }

  @Override
  public void interval(HistogramLines.Interval interval, SlotCounts counts) {
    var second = seconds.floorEntry(Math.round(interval.midSeconds() * 1e9));
    if (second != null && interval.series().equals(series)) {
      second.getValue().latencies = second.getValue().latencies.plus(counts);
    }
  }

  @Override
  public void until(double seconds) {}

  long endNanos() {
    return seconds.isEmpty() ? 0 : seconds.lastEntry().getValue().toNanos;
  }

  /** When the second of a moment began. */
  long beginOf(long nanos) {
    Long from = seconds.floorKey(nanos);
    return from == null ? nanos : from;
  }

  /** The seconds that touch a part of the load. */
  private Collection<Second> touching(long fromNanos, long toNanos) {
    long from = beginOf(fromNanos);
    return seconds.subMap(from, Math.max(from, toNanos)).values();
  }

  /** What whole seconds between two moments were like. */
  Before before(long fromNanos, long toNanos) {
    Second sum = new Second();
    seconds.subMap(fromNanos, Math.max(fromNanos, toNanos)).values().stream()
        .filter(second -> second.toNanos <= toNanos)
        .forEach(sum::add);
    return new Before(sum.p99Nanos(), sum.toNanos == 0 ? 0 : sum.answeredPerSecond(), sum.waiting);
  }

  /**
   * When rate and p99 were back: the begin of the first of three good windows in a row.
   *
   * @return {@link #NEVER} if there are none
   */
  long backNanos(long begunNanos, long untilNanos, Before before) {
    Second window = new Second();
    int good = 0;
    long first = 0;
    for (Second second : touching(begunNanos, untilNanos)) {
      if (second.toNanos > untilNanos) {
        break;
      }
      window.add(second);
      if (window.latencies.total() >= WINDOW_CALLS) {
        first = good == 0 ? window.fromNanos : first;
        good = isGood(window, before) ? good + 1 : 0;
        window = new Second();
      }
      if (good == WINDOWS) {
        return first;
      }
    }
    return NEVER;
  }

  private boolean isGood(Second window, Before before) {
    boolean rate =
        open
            ? window.counts.answered() * 100 >= window.due * Limits.REACHED_PERCENT
            : window.answeredPerSecond() * 100 >= before.answeredPerSecond * Limits.REACHED_PERCENT;
    return rate && (before.p99Nanos == null || window.p99Nanos() <= MOST_P99 * before.p99Nanos);
  }

  /** When as few arrivals waited as before; null if they never did, or if that is not known. */
  Long drainedNanos(long beginNanos, long untilNanos, Before before) {
    boolean waited = false;
    for (Second second : touching(beginNanos, untilNanos)) {
      if (waited && second.waiting <= before.waiting) {
        return second.toNanos;
      }
      waited |= second.waiting > before.waiting;
    }
    return open && !waited ? Long.valueOf(beginNanos) : null;
  }

  FaultEffect.Errors errors(long fromNanos, long toNanos) {
    Counts sum = new Counts();
    touching(fromNanos, toNanos).forEach(second -> sum.add(second.counts));
    return new FaultEffect.Errors(sum.get(Field.FAILED), sum.get(Field.UNKNOWN), sum.errors());
  }
}
