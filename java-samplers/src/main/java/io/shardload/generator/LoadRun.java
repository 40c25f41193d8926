package io.shardload.generator;

import io.shardload.bundle.ArrivalSum;
import io.shardload.bundle.Counts.Field;
import io.shardload.data.Draws;
import io.shardload.driver.Clock;
import io.shardload.generator.schedule.Arrival;
import io.shardload.generator.schedule.Arrivals;
import io.shardload.generator.schedule.DueCounter;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Plan;
import io.shardload.keys.Keys;
import io.shardload.metrics.ErrorSamples;
import io.shardload.metrics.Recording;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Transaction;
import io.shardload.workload.Unprepared;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What the workers of one generator share: the stream of arrivals, the clock, the end, the tallies.
 *
 * <p>The ledger closes because every arrival that was due before the actual end is either started,
 * or dropped by the worker that had claimed it or took it {@link #comesTooLate too late}, or
 * dropped by {@link #close} which goes through the rest of the stream.
 *
 * @param <P> the workload's port
 */
final class LoadRun<P> {
  /**
   * How long workers go on to begin what is overdue: after the end by schedule, and what was due
   * before the results after their start.
   */
  static final long GRACE_NANOS = 100_000_000;

  /** An arrival that a worker had claimed and did not begin. */
  private record Unbegun(Arrival arrival, int transaction, long fingerprint) {}

  final Plan plan;
  final LoadConfig load;
  final Keys keys;
  final Recording recording;
  final ErrorSamples errorSamples = new ErrorSamples();
  final P port;
  final Clock clock;

  /** How long all workers together were in calls, by segment in which that was. */
  final AtomicLongArray busyNanos;

  private final Arrivals arrivals;
  private final Queue<Unbegun> unbegun = new ConcurrentLinkedQueue<>();
  private final AtomicLong lastBegunDue = new AtomicLong(-1);
  private final ArrivalSum dropped = new ArrivalSum();
  private DueCounter dueCounter;
  private volatile long startNanos;
  private volatile boolean started;
  private volatile long endNanos;
  private volatile boolean stopped;
  private volatile boolean leaseLost;
  private MeetingPoint.Lease lease = MeetingPoint.Lease.UNLIMITED;

  /** The transactions of the mix, by index. */
  private final List<Transaction<P>> transactions;

  LoadRun(
      Plan plan,
      LoadConfig load,
      Model<P> model,
      Keys keys,
      Recording recording,
      P port,
      Clock clock) {
    this.plan = plan;
    this.load = load;
    this.keys = keys;
    this.recording = recording;
    this.port = port;
    this.clock = clock;
    this.arrivals = plan.schedule().arrivals();
    this.busyNanos = new AtomicLongArray(plan.schedule().segments().size());
    this.endNanos = plan.schedule().endNanos();
    this.transactions = plan.mix().names().stream().map(model::transaction).toList();
  }

  /** Sets the lease that permits calls; before the first worker begins. */
  void permittedBy(MeetingPoint.Lease newLease) {
    lease = newLease;
  }

  /** Whether a call may be sent now; if not, the run ends. */
  boolean mayWrite() {
    if (lease.holds()) {
      return true;
    }
    leaseLost = true;
    stop();
    return false;
  }

  /** Whether {@link #mayWrite} was denied. */
  boolean isLeaseLost() {
    return leaseLost;
  }

  boolean isStopped() {
    return stopped;
  }

  /** Sets the moment that all due times count from. */
  void startAt(long clockNanos) {
    startNanos = clockNanos;
    started = true;
  }

  /** Nanoseconds since the start of the run. */
  long now() {
    return sinceStart(clock.nanoTime());
  }

  /** Nanoseconds since the start of the run, 0 before it. */
  long elapsed() {
    return started ? Math.max(0, now()) : 0;
  }

  long sinceStart(long clockNanos) {
    return clockNanos - startNanos;
  }

  /** The clock's own reading at a time since the start of the run. */
  long onClock(long nanosSinceStart) {
    return startNanos + nanosSinceStart;
  }

  void sleepUntil(long nanosSinceStart) throws InterruptedException {
    clock.sleepUntil(onClock(nanosSinceStart));
  }

  /** When the run ends: by schedule, or earlier once {@link #stop} was called. */
  long endNanos() {
    return endNanos;
  }

  /** Whether the planned end has come, however the run was ended. */
  boolean isScheduleOver() {
    return elapsed() >= plan.schedule().endNanos();
  }

  /** Ends the run now; calls in flight continue; claimed arrivals are given back. */
  synchronized void stop() {
    endNanos = Math.min(endNanos, elapsed());
    stopped = true;
  }

  /**
   * Prolongs the warm-up until it is so much longer than configured, unless the run was stopped.
   *
   * @return false if it was over before
   */
  synchronized boolean prolongWarmUp(long totalNanos) {
    long more = totalNanos - plan.schedule().prolongedNanos();
    if (stopped || more <= 0) {
      return true;
    }
    boolean prolonged = plan.schedule().prolong(more);
    endNanos += prolonged ? more : 0;
    return prolonged;
  }

  /**
   * Until when workers claim arrivals. Threads wake up some 100 microseconds late. This delay must
   * not drop arrivals at the scheduled end, so overdue arrivals are claimed during a grace period.
   */
  long claimsEndNanos() {
    return load.open() && !stopped ? endNanos + GRACE_NANOS : endNanos;
  }

  /** Whether a claimed arrival is to be given back rather than begun at this time. */
  boolean isOver(Arrival arrival, long nowNanos) {
    // In the closed model a worker took it before the end, so it is begun.
    return stopped
        ? nowNanos >= endNanos
        : arrival.dueNanos() >= endNanos && plan.schedule().isSettled();
  }

  Arrival next() {
    return arrivals.next();
  }

  /**
   * Whether an arrival of the warm-up, or of the ramp before the results, is still waiting when the
   * grace is over. Such arrivals are dropped: otherwise an overloaded target would serve the
   * backlog of the warm-up for the whole hold, and no arrival of the hold would begin.
   */
  boolean comesTooLate(Arrival arrival, long nowNanos) {
    long resultsStart = plan.schedule().resultsStartNanos();
    return !arrival.whenFree()
        && arrival.dueNanos() < resultsStart
        && nowNanos >= resultsStart + GRACE_NANOS;
  }

  /** Drops such an arrival. */
  void dropLate(Arrival arrival, int transaction) {
    recording
        .tally(arrival.segment(), transaction)
        .dropped(plan.schedule().resultsStartNanos() + GRACE_NANOS - arrival.dueNanos());
  }

  /**
   * What a worker will call.
   *
   * @param draws of the arrival, after its transaction was drawn
   */
  Call<P> prepare(int transaction, Draws draws) {
    try {
      return transactions.get(transaction).prepare(draws, keys);
    } catch (RuntimeException e) {
      // No new ordinals are available, for example because the database is down. The arrival is due
      // nevertheless.
      return new Unprepared<>(new CallFailure("not-prepared", true, false, e.toString()));
    }
  }

  /** A worker begins a transaction. */
  void begun(Arrival arrival) {
    long due = arrival.dueNanos();
    long seen = lastBegunDue.get();
    while (due > seen && !lastBegunDue.compareAndSet(seen, due)) {
      seen = lastBegunDue.get();
    }
  }

  /** A worker gives back an arrival that it did not begin. */
  void giveBack(Arrival arrival, int transaction, long fingerprint) {
    unbegun.add(new Unbegun(arrival, transaction, fingerprint));
  }

  /**
   * Accounts for everything that was due and never begun. Called once, after the last worker.
   *
   * @return the actual end: no arrival due at or after it was begun, all before it are accounted
   *     for
   */
  long close() {
    long end = Math.max(endNanos, lastBegunDue.get() + 1);
    long givenUp = Math.min(elapsed(), Math.max(end, claimsEndNanos()));
    for (Unbegun u : unbegun) {
      drop(u, end, givenUp);
    }
    if (load.open()) {
      Draws draws = new Draws();
      Arrival arrival;
      while ((arrival = arrivals.next()) != null && arrival.dueNanos() < end) {
        int transaction = plan.transaction(arrival, draws);
        long fingerprint = plan.fingerprint(arrival, transaction, draws);
        drop(new Unbegun(arrival, transaction, fingerprint), end, givenUp);
      }
    }
    return end;
  }

  private void drop(Unbegun unbegun, long end, long givenUp) {
    Arrival arrival = unbegun.arrival();
    if (arrival.dueNanos() >= end) {
      return;
    }
    dropped.add(arrival.index(), unbegun.fingerprint());
    if (arrival.whenFree()) {
      recording.tally(plan.schedule().segmentAt(end), unbegun.transaction()).dropped(0);
    } else {
      recording
          .tally(arrival.segment(), unbegun.transaction())
          .dropped(Math.max(0, givenUp - arrival.dueNanos()));
    }
  }

  /** Arrivals that were due before the end and not begun; after {@link #close}. */
  ArrivalSum dropped() {
    return dropped;
  }

  /**
   * Counts what has become due in an open model; called by the thread that writes the ledger.
   * Nothing becomes due after the end.
   */
  DueCounter countDue(long nowNanos) {
    if (dueCounter == null) {
      dueCounter = new DueCounter(plan);
    }
    dueCounter.countUntil(Math.min(nowNanos, endNanos));
    return dueCounter;
  }

  /**
   * How many arrivals became due so far, by transaction, as the ledger has them; null in the closed
   * model. Called by the thread that writes the ledger.
   */
  long[] dueByTransaction() {
    if (!load.open()) {
      return null;
    }
    long[] sums = new long[transactions.size()];
    if (dueCounter != null) {
      for (long[] ofSegment : dueCounter.counts()) {
        Arrays.setAll(sums, t -> sums[t] + ofSegment[t]);
      }
    }
    return sums;
  }

  /** How many arrivals are scheduled up to the actual end, by segment and transaction. */
  long[][] scheduled(long actualEnd) {
    if (load.open()) {
      DueCounter counter = countDue(actualEnd);
      counter.countUntil(actualEnd);
      // A stop may be slightly earlier than arrivals that were already counted.
      counter.takeBackFrom(actualEnd);
      return counter.counts();
    }
    // Closed model: an arrival is scheduled when a worker takes it.
    int segments = plan.schedule().segments().size();
    long[][] counts = new long[segments][transactions.size()];
    for (int s = 0; s < segments; s++) {
      for (int t = 0; t < transactions.size(); t++) {
        counts[s][t] =
            recording.tally(s, t).get(Field.STARTED) + recording.tally(s, t).get(Field.DROPPED);
      }
    }
    return counts;
  }
}
