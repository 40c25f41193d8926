package io.shardload.metrics;

import com.google.gson.JsonObject;
import io.shardload.bundle.Counts.Field;
import io.shardload.workload.Outcome;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Everything counted and timed of one transaction in one segment. Workers write; one thread takes
 * the differences once a second.
 */
// The ordinals index arrays: this is the hot path of every transaction.
@SuppressWarnings("EnumOrdinal")
public final class Tally {
  /** The counters that are incremented; the schedule provides the other. */
  private static final Set<Field> COUNTED =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(Field.SCHEDULED)));

  private final LongAdder[] counters = new LongAdder[Field.values().length];
  private final long[] taken = new long[Field.values().length];
  private final Latencies[] latencies = new Latencies[Series.values().length];
  private final Map<String, LongAdder> errors = new ConcurrentHashMap<>();
  private final Map<String, Long> errorsTaken = new TreeMap<>();
  private final long[] overflowTaken = new long[Series.values().length];

  public Tally() {
    for (int i = 0; i < counters.length; i++) {
      counters[i] = new LongAdder();
    }
    for (int i = 0; i < latencies.length; i++) {
      latencies[i] = new Latencies();
    }
  }

  public void add(Field count, long n) {
    counters[count.ordinal()].add(n);
  }

  public long get(Field count) {
    return counters[count.ordinal()].sum();
  }

  public void record(Series series, long nanos) {
    latencies[series.ordinal()].record(nanos);
  }

  /**
   * Records how long a call took that asked the database something.
   *
   * @param series that its whole time belongs to; only of {@link Series#SERVICE} there are phases
   * @param phases the marks of its last attempt, which ended at {@code endNanos} of their clock
   */
  public void durations(Series series, long serviceNanos, Measurement phases, long endNanos) {
    record(series, serviceNanos);
    if (series == Series.SERVICE) {
      phase(Series.CONNECT, phases.connectNanos());
      phase(Series.SEARCH, phases.searchNanos());
      phase(Series.FETCH, phases.fetchNanos(endNanos));
    }
  }

  /**
   * Records what counts from the due time.
   *
   * @param served whether the call has a service time
   */
  public void sinceDue(boolean served, long waitNanos, long responseNanos) {
    record(Series.WAIT, waitNanos);
    if (served) {
      record(Series.RESPONSE, responseNanos);
    }
  }

  /** A negative duration says that the phase did not occur. */
  private void phase(Series phase, long nanos) {
    if (nanos >= 0) {
      record(phase, nanos);
    }
  }

  /** A due transaction that was never begun, and how long it had been waiting. */
  public void dropped(long waitedNanos) {
    add(Field.DROPPED, 1);
    record(Series.DROPPED, waitedNanos);
  }

  /**
   * Counts an outcome.
   *
   * @param asked whether the call asked the database anything
   * @param inTime whether it ended within its segment
   */
  public void outcome(Outcome outcome, boolean asked, boolean inTime) {
    addIf(!asked, Field.UNASKED);
    addIf(asked && inTime && outcome.answered(), Field.ON_TIME);
    if (outcome instanceof Outcome.Done done) {
      add(Field.DONE, 1);
      add(Field.ROWS, done.rows());
      if (done.changed() > 0) {
        add(Field.CHANGED_ROWS, done.changed());
      }
      addIf(done.stale(), Field.STALE_READS);
    } else if (outcome instanceof Outcome.Missing missing) {
      add(Field.MISSING, 1);
      addIf(missing.stale(), Field.STALE_READS);
    } else if (outcome instanceof Outcome.Refused) {
      add(Field.REFUSED, 1);
    } else if (outcome instanceof Outcome.Failed failed) {
      add(Field.FAILED, 1);
      error(failed.kind());
    } else if (outcome instanceof Outcome.Unknown unknown) {
      add(Field.UNKNOWN, 1);
      error(unknown.kind());
    }
  }

  /** Adding 0 would cost the same write to shared memory as adding 1. */
  private void addIf(boolean condition, Field count) {
    if (condition) {
      add(count, 1);
    }
  }

  private void error(String kind) {
    errors.computeIfAbsent(kind, k -> new LongAdder()).increment();
  }

  Latencies latencies(Series series) {
    return latencies[series.ordinal()];
  }

  /** The ledger line of what happened since the last call, or null if nothing did. */
  JsonObject take() {
    JsonObject line = new JsonObject();
    boolean active = false;
    for (Field count : COUNTED) {
      long now = get(count);
      long difference = now - taken[count.ordinal()];
      taken[count.ordinal()] = now;
      line.addProperty(count.key(), difference);
      active |= difference != 0;
    }
    JsonObject errorsNow = takeErrors();
    JsonObject maxima = takeMaxima();
    line.add("overflow", takeOverflow());
    line.add("errors", errorsNow);
    line.add("max_ns", maxima);
    return active || errorsNow.size() + maxima.size() > 0 ? line : null;
  }

  /** The number of durations over 60 s of each series that has any. */
  private JsonObject takeOverflow() {
    JsonObject result = new JsonObject();
    for (Series series : Series.values()) {
      long now = latencies(series).overflow();
      long difference = now - overflowTaken[series.ordinal()];
      overflowTaken[series.ordinal()] = now;
      if (difference != 0) {
        result.addProperty(series.label(), difference);
      }
    }
    return result;
  }

  private JsonObject takeErrors() {
    JsonObject result = new JsonObject();
    errors.forEach(
        (kind, adder) -> {
          long now = adder.sum();
          long difference = now - errorsTaken.getOrDefault(kind, 0L);
          errorsTaken.put(kind, now);
          if (difference != 0) {
            result.addProperty(kind, difference);
          }
        });
    return result;
  }

  private JsonObject takeMaxima() {
    JsonObject result = new JsonObject();
    for (Series series : Series.values()) {
      long max = latencies(series).takeMax();
      if (max >= 0) {
        result.addProperty(series.label(), max);
      }
    }
    return result;
  }
}
