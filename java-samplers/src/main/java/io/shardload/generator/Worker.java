package io.shardload.generator;

import io.shardload.bundle.ArrivalSum;
import io.shardload.bundle.Counts.Field;
import io.shardload.data.Draws;
import io.shardload.generator.schedule.Arrival;
import io.shardload.generator.schedule.Schedule;
import io.shardload.generator.schedule.Segment;
import io.shardload.metrics.Lateness;
import io.shardload.metrics.Measurement;
import io.shardload.metrics.Series;
import io.shardload.metrics.Tally;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Repeats;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * One of the threads that make load: takes the next arrival, prepares its transaction (untimed),
 * waits until it is due, runs the call, records it.
 *
 * <p>It works in slices, so that its owner (a JMeter thread) regains control regularly. An arrival
 * that it has claimed waits across slices. Used by one thread.
 *
 * @param <P> the workload's port
 */
final class Worker<P> {
  /** What one slice did. */
  record Slice(long transactions, long errors, boolean over) {}

  private static final long NEVER_CALLED = -1;
  private static final VarHandle UNFINISHED_SINCE = unfinishedSince();

  private final LoadRun<P> run;
  private final long number;
  private final Draws draws = new Draws();
  private final Measurement measurement;
  private final Attempts<P> attempts;
  private final ArrivalSum begun = new ArrivalSum();
  private final ArrivalSum dropped = new ArrivalSum();
  private Arrival arrival;
  private int transaction;
  private long fingerprint;
  private Call<P> call;
  private long claimedNanos;
  private final Lateness lateness = new Lateness();
  private int busySegment;
  private long busyNanos;
  private long endNanos;
  private long mayCallNanos = NEVER_CALLED;
  private boolean exhausted;

  /** Whether what this worker holds, and all that follows, keeps its due time. */
  private boolean settled;

  private Outcome lastOutcome;
  private long lastServiceNanos;

  /** Written by this worker without a fence, read by the recorder; both through the handle. */
  @SuppressWarnings("UnusedVariable")
  private long unfinishedSinceNanos = Long.MAX_VALUE;

  /**
   * @param index of this worker among those of its generator, from 0
   */
  Worker(LoadRun<P> run, int index) {
    this.run = run;
    this.number = (long) index * run.load.generators() + run.load.generator();
    this.measurement = new Measurement(run.clock::nanoTime);
    this.attempts = new Attempts<>(run, measurement, draws);
  }

  /**
   * Runs transactions until a time, or so many, or the end of the run.
   *
   * @param untilNanos since the start of the run
   */
  Slice work(long untilNanos, long atMost) {
    long transactions = 0;
    long errors = 0;
    try {
      while (transactions < atMost) {
        Step step = step(untilNanos);
        if (step == Step.RAN) {
          transactions++;
          errors += lastOutcome.answered() ? 0 : 1;
        } else {
          return new Slice(transactions, errors, step == Step.OVER);
        }
        if (run.sinceStart(endNanos) >= untilNanos) {
          break;
        }
      }
      return new Slice(transactions, errors, false);
    } catch (InterruptedException e) {
      // JMeter's "stop now" interrupts all threads: the run ends here, not at its planned end.
      Thread.currentThread().interrupt();
      run.stop();
      giveBack();
      return new Slice(transactions, errors, true);
    }
  }

  private enum Step {
    RAN,
    NOT_YET,
    OVER
  }

  private Step step(long untilNanos) throws InterruptedException {
    if (arrival == null && !claim(untilNanos)) {
      return run.now() >= run.claimsEndNanos() || exhausted ? Step.OVER : Step.NOT_YET;
    }
    long now = run.now();
    if (now < arrival.dueNanos() && !run.isOver(arrival, now)) {
      lateness.ready();
      run.sleepUntil(Math.min(arrival.dueNanos(), Math.min(untilNanos, run.endNanos())));
      now = run.now();
    }
    followSchedule(now);
    if (run.isOver(arrival, now)) {
      giveBack();
      return Step.OVER;
    }
    if (now < arrival.dueNanos()) {
      return Step.NOT_YET;
    }
    if (!run.mayWrite()) {
      giveBack();
      return Step.OVER;
    }
    execute(now);
    return Step.RAN;
  }

  /** What this worker holds is due later if the warm-up was prolonged meanwhile. */
  private void followSchedule(long now) {
    if (settled) {
      return;
    }
    Schedule schedule = run.plan.schedule();
    schedule.settle(now);
    settled = schedule.isSettled();
    Arrival current = schedule.current(arrival);
    if (!current.equals(arrival)) {
      arrival = current;
      Draws own = new Draws();
      fingerprint = run.plan.fingerprint(arrival, run.plan.transaction(arrival, own), own);
      UNFINISHED_SINCE.setOpaque(this, arrival.dueNanos());
    }
  }

  private static VarHandle unfinishedSince() {
    try {
      return MethodHandles.lookup().findVarHandle(Worker.class, "unfinishedSinceNanos", long.class);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the field is declared above", e);
    }
  }

  /**
   * When the arrival that this worker holds was or will be due, in the closed model when its call
   * began; {@link Long#MAX_VALUE} when it holds none.
   */
  long unfinishedSinceNanos() {
    return (long) UNFINISHED_SINCE.getOpaque(this);
  }

  private boolean claim(long untilNanos) throws InterruptedException {
    claimedNanos = run.now();
    run.plan.schedule().settle(claimedNanos);
    if (claimedNanos >= run.claimsEndNanos() || !active(untilNanos) || thinking(untilNanos)) {
      return false;
    }
    arrival = run.next();
    while (arrival != null && run.comesTooLate(arrival, claimedNanos)) {
      transaction = run.plan.transaction(arrival, draws);
      dropped.add(arrival.index(), run.plan.fingerprint(arrival, transaction, draws));
      run.dropLate(arrival, transaction);
      arrival = run.next();
    }
    if (arrival == null) {
      exhausted = true;
      return false;
    }
    if (!arrival.whenFree()) {
      UNFINISHED_SINCE.setOpaque(this, arrival.dueNanos());
    }
    transaction = run.plan.transaction(arrival, draws);
    fingerprint = run.plan.fingerprint(arrival, transaction, draws);
    call = run.prepare(transaction, draws);
    return true;
  }

  /**
   * Closed model: whether this worker is among the active ones; if not, it sleeps for the slice.
   */
  private boolean active(long untilNanos) throws InterruptedException {
    if (run.load.open()) {
      return true;
    }
    Segment segment =
        run.plan.schedule().segments().get(run.plan.schedule().segmentAt(claimedNanos));
    // The fractional worker joins early.
    if (number < Math.max(1, Math.ceil(segment.workersAt(claimedNanos)))) {
      return true;
    }
    run.sleepUntil(Math.min(untilNanos, run.endNanos()));
    return false;
  }

  /** Closed model: whether this worker still waits for its next call; it sleeps for the slice. */
  private boolean thinking(long untilNanos) throws InterruptedException {
    if (mayCallNanos == NEVER_CALLED) {
      mayCallNanos = claimedNanos + run.plan.firstThinkNanos(number, draws);
    }
    if (claimedNanos < mayCallNanos) {
      run.sleepUntil(Math.min(mayCallNanos, Math.min(untilNanos, run.endNanos())));
      claimedNanos = run.now();
    }
    return claimedNanos < mayCallNanos || claimedNanos >= run.claimsEndNanos();
  }

  /** Gives back an arrival that was claimed and not begun; once its thread has ended. */
  void giveBack() {
    if (arrival != null) {
      followSchedule(run.now());
      call.abandon();
      run.giveBack(arrival, transaction, fingerprint);
      UNFINISHED_SINCE.setOpaque(this, Long.MAX_VALUE);
      arrival = null;
      call = null;
    }
  }

  private void execute(long start) {
    boolean open = !arrival.whenFree();
    if (!open) {
      UNFINISHED_SINCE.setOpaque(this, start);
    }
    int segment = open ? arrival.segment() : run.plan.schedule().segmentAt(start);
    Tally tally = run.recording.tally(segment, transaction);
    begin(tally, segment, start);
    Error fatal = null;
    CallFailure failure;
    try {
      failure = attempts.make(call, tally, start);
    } catch (Error e) {
      // The error ends the worker. The call may have taken effect, so its outcome is recorded
      // first.
      fatal = e;
      failure = new CallFailure("internal-" + e.getClass().getSimpleName(), false, false, "" + e);
    }
    endNanos = run.clock.nanoTime();
    long end = run.sinceStart(endNanos);
    run.plan.schedule().settle(end);
    lastServiceNanos = end - start;
    lastOutcome = attempts.finish(call, failure);
    run.errorSamples.add(lastOutcome, failure);
    // Before the outcome: with the last one the histograms of an ended segment may be let go.
    Series series = Series.of(lastOutcome);
    if (call.asks()) {
      tally.durations(series, end - start, measurement, endNanos);
    }
    if (open) {
      boolean served = call.asks() && series == Series.SERVICE;
      tally.sinceDue(served, start - arrival.dueNanos(), end - arrival.dueNanos());
    }
    countOutcome(tally, segment, end);
    countBusy(segment, start, end);
    mayCallNanos = end + run.plan.thinkNanos(arrival, draws);
    UNFINISHED_SINCE.setOpaque(this, Long.MAX_VALUE);
    arrival = null;
    call = null;
    if (fatal != null) {
      throw fatal;
    }
  }

  private void begin(Tally tally, int segment, long start) {
    run.begun(arrival);
    begun.add(arrival.index(), fingerprint);
    tally.add(Field.STARTED, 1);
    long late = arrival.whenFree() ? 0 : lateness.begun(arrival.dueNanos(), start);
    if (late > 0) {
      tally.add(Field.LATE_IDLE, 1);
      run.recording.late(segment, late);
    }
  }

  private void countOutcome(Tally tally, int segment, long end) {
    List<Segment> segments = run.plan.schedule().segments();
    boolean inTime = end <= segments.get(segment).endNanos();
    tally.outcome(lastOutcome, call.asks(), inTime);
    // Nothing is carried into a segment that the run did not reach.
    if (!inTime && end <= run.endNanos() && lastOutcome.answered() && call.asks()) {
      int later = segment + 1;
      while (end > segments.get(later).endNanos()) {
        later++;
      }
      run.recording.tally(later, transaction).add(Field.CARRIED_IN, 1);
    }
  }

  /** Adds a call to the time in calls of each segment that it spans, up to the end of the run. */
  private void countBusy(int segment, long start, long end) {
    List<Segment> segments = run.plan.schedule().segments();
    long until = Math.min(end, run.endNanos());
    int s = segment;
    long from = start;
    while (from < until) {
      while (segments.get(s).endNanos() <= from) {
        s++;
      }
      if (s != busySegment) {
        handOverBusy();
        busySegment = s;
      }
      long to = Math.min(until, segments.get(s).endNanos());
      busyNanos += to - from;
      from = to;
    }
  }

  /** Once its thread has ended, and by itself when a segment is over. */
  void handOverBusy() {
    run.busyNanos.addAndGet(busySegment, busyNanos);
    busyNanos = 0;
  }

  /** What this worker has begun; once its thread has ended. */
  ArrivalSum begun() {
    return begun;
  }

  /** What this worker has dropped; once its thread has ended. */
  ArrivalSum dropped() {
    return dropped;
  }

  /** Nanoseconds since the start of the run. */
  long now() {
    return run.now();
  }

  /** Name of the transaction that ran last. */
  String lastTransaction() {
    return run.plan.mix().names().get(transaction);
  }

  Outcome lastOutcome() {
    return lastOutcome;
  }

  /** Duration of the last call. */
  long lastServiceNanos() {
    return lastServiceNanos;
  }

  /** Marks of the last call. */
  Measurement lastMeasurement() {
    return measurement;
  }

  /**
   * The attempts of one transaction: its call, repeated after transient failures as often as the
   * call or the profile allows. Used by one thread.
   *
   * @param <P> the workload's port
   */
  private static final class Attempts<P> {
    private final LoadRun<P> run;
    private final Measurement measurement;
    private final Draws draws;

    /** An attempt before the last one may have taken effect. */
    private boolean unknownBefore;

    Attempts(LoadRun<P> run, Measurement measurement, Draws draws) {
      this.run = run;
      this.measurement = measurement;
      this.draws = draws;
    }

    /**
     * Runs the call until it succeeds or may not be tried again; returns the last failure or null.
     *
     * @param start of the first attempt, since the start of the run
     */
    CallFailure make(Call<P> call, Tally tally, long start) {
      unknownBefore = false;
      long begin = start;
      for (int retries = 0; ; retries++) {
        measurement.attempt(run.onClock(begin));
        CallFailure failure = attempt(call);
        if (failure == null
            || !call.repeats().follow(failure, retries, unknownBefore, run.load.retries())
            || !call.mayRepeat(unknownBefore || !failure.effectExcluded())
            || !waited(call.repeats())) {
          return failure;
        }
        begin = run.now();
        if (begin >= run.endNanos() || !run.mayWrite()) {
          return failure;
        }
        unknownBefore |= !failure.effectExcluded();
        tally.add(Field.RETRIES, 1);
      }
    }

    /** Whether the wait before the next attempt ended as planned. */
    private boolean waited(Repeats repeats) {
      if (repeats.mostWaitNanos() > 0) {
        try {
          run.sleepUntil(Math.min(run.now() + repeats.waitNanos(draws), run.endNanos()));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return false;
        }
      }
      return true;
    }

    /** The outcome of the call, over all its attempts. */
    Outcome finish(Call<P> call, CallFailure failure) {
      try {
        return call.finish(failure, unknownBefore);
      } catch (RuntimeException e) {
        // The state of the database is not known now.
        call.leaveUnknown();
        return new Outcome.Unknown("internal-" + e.getClass().getSimpleName());
      }
    }

    private CallFailure attempt(Call<P> call) {
      try {
        call.run(run.port, measurement);
        return null;
      } catch (CallFailure failure) {
        return failure;
      } catch (RuntimeException e) {
        // A defect of a driver must not end the worker: it becomes an outcome that the ledger
        // shows.
        return new CallFailure(
            "internal-" + e.getClass().getSimpleName(), false, false, e.toString());
      }
    }
  }
}
