package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.metrics.JitTime;
import io.shardload.metrics.JitUse;
import io.shardload.metrics.ProcessUse;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Prolongs the warm-up of a run while the JIT compilers of the generator are busy: by a second at a
 * time, decided shortly before its end, and at most until it is twice as long as configured.
 *
 * <p>Only a local generator that is alone in its run does this. Several generators measure at the
 * same time, and none of them knows in time what the others need.
 *
 * <p>Used by the thread that writes the ledger lines.
 */
final class WarmUp {
  private static final long SECOND = 1_000_000_000;

  /** More than a second, because the next look may be late on a busy machine. */
  private static final long DECIDED_NANOS = 3 * SECOND / 2;

  /** Compilers work in bursts: the figure covers the last seconds, as far as there are any. */
  private static final int WINDOW_SECONDS = 3;

  /** What was used up to a time of the run. */
  private record Reading(long nanos, ProcessUse use) {}

  private final LoadRun<?> run;
  private final long mostNanos;
  private final Deque<Reading> readings = new ArrayDeque<>();
  private JitUse use = JitUse.UNKNOWN;

  WarmUp(LoadRun<?> run) {
    this.run = run;
    this.mostNanos = run.load.mostProlongedNanos();
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
    if (left <= DECIDED_NANOS && use.busy()) {
      long more = Math.min(SECOND, mostNanos - run.plan.schedule().prolongedNanos());
      run.prolongWarmUp(more);
    }
  }

  private static JitUse use(Reading from, Reading to) {
    long before = from.use().jitNanos();
    long now = to.use().jitNanos();
    return before == JitTime.UNKNOWN || now == JitTime.UNKNOWN
        ? JitUse.UNKNOWN
        : new JitUse(
            now - before, to.use().cpuNanos() - from.use().cpuNanos(), to.nanos() - from.nanos());
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
