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
 * <p>A generator that is alone decides itself. One that meets others reports that it is busy, and
 * their controller decides for all.
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
  private final boolean decides;
  private final long mostNanos;
  private final Deque<Reading> readings = new ArrayDeque<>();
  private JitUse use = JitUse.UNKNOWN;

  WarmUp(LoadRun<?> run, boolean decides) {
    this.run = run;
    this.decides = decides;
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
    if (decides && left <= DECIDED_NANOS && use.busy()) {
      run.prolongWarmUp(Math.min(run.plan.schedule().prolongedNanos() + SECOND, mostNanos));
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
   * Adds to a ledger line whether the compilers are busy in the warm-up, and the length of a
   * prolonged one. Readers add it to the schedule of the configuration.
   */
  void describe(JsonObject line) {
    if (use.busy() && !run.plan.schedule().isSettled()) {
      line.addProperty("jit_busy", true);
    }
    // Read once: it may grow meanwhile.
    long prolonged = run.plan.schedule().prolongedNanos();
    if (prolonged > 0) {
      line.addProperty("warm_up_ns", run.load.warmUpNanos() + prolonged);
      line.addProperty("prolonged_ns", prolonged);
      line.addProperty("jit_percent", Math.round(10 * use.percent()) / 10.0);
    }
  }
}
