package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Segment;
import io.shardload.metrics.JitTime;
import io.shardload.metrics.JitUse;
import io.shardload.metrics.ProcessUse;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Prolongs the warm-up of a run while the JIT compilers of the generator are busy: by a second at a
 * time, decided in its last second, and at most until it is twice as long as configured.
 *
 * <p>Only a generator that is alone in its run does this. Several generators measure at the same
 * time, and none of them knows in time what the others need.
 *
 * <p>Used by the thread that writes the ledger lines.
 */
final class WarmUp {
  private static final long SECOND = 1_000_000_000;
  private static final long MOST_NANOS = 30 * SECOND;

  /** Compilers work in bursts: the figure is that of the last seconds, as far as there are any. */
  private static final int WINDOW_SECONDS = 3;

  /** What was used up to a time of the run. */
  private record Reading(long nanos, ProcessUse use) {}

  private final LoadRun<?> run;
  private final long mostNanos;
  private final Deque<Reading> readings = new ArrayDeque<>();
  private JitUse use = new JitUse(0, 0, 0);

  WarmUp(LoadRun<?> run) {
    this.run = run;
    this.mostNanos = mostNanos(run.load);
  }

  /** By how much the warm-up of a run may be prolonged. */
  static long mostNanos(LoadConfig load) {
    Segment first = load.segments().get(0);
    return first.kind() == Segment.Kind.WARM_UP && load.generators() == 1
        ? Math.min(MOST_NANOS, first.endNanos())
        : 0;
  }

  /** Looks at what the process has used so far, and prolongs the warm-up if that is due. */
  void look(long nowNanos, ProcessUse used) {
    if (run.plan.schedule().isSettled()) {
      return;
    }
    run.plan.schedule().settle(nowNanos);
    readings.add(new Reading(nowNanos, used));
    if (readings.size() > WINDOW_SECONDS + 1) {
      readings.remove();
    }
    use = use(readings.getFirst(), readings.getLast());
    long left = run.plan.schedule().warmUpEndNanos() - nowNanos;
    if (left <= SECOND && use.busy()) {
      long more = Math.min(SECOND, mostNanos - run.plan.schedule().prolongedNanos());
      run.prolongWarmUp(more);
    }
  }

  private static JitUse use(Reading from, Reading to) {
    boolean known =
        from.use().jitNanos() != JitTime.UNKNOWN && to.use().jitNanos() != JitTime.UNKNOWN;
    return new JitUse(
        known ? to.use().jitNanos() - from.use().jitNanos() : 0,
        to.use().cpuNanos() - from.use().cpuNanos(),
        to.nanos() - from.nanos());
  }

  /**
   * Adds the length of a prolonged warm-up to a ledger line. Readers add it to the schedule of the
   * configuration.
   */
  void describe(JsonObject line) {
    long prolonged = run.plan.schedule().prolongedNanos();
    if (prolonged > 0) {
      line.addProperty("warm_up_ns", run.plan.schedule().warmUpEndNanos());
      line.addProperty("prolonged_ns", prolonged);
      line.addProperty("jit_percent", Math.round(10 * use.percent()) / 10.0);
    }
  }
}
