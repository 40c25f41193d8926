package io.shardload.metrics;

/**
 * What a generator's JIT compilers used in some time.
 *
 * @param jitNanos CPU time of the compilers
 * @param cpuNanos CPU time of the whole process
 * @param elapsedNanos the length of the time
 */
public record JitUse(double jitNanos, double cpuNanos, double elapsedNanos) {
  public static final JitUse UNKNOWN = new JitUse(Double.NaN, Double.NaN, Double.NaN);

  /** A smaller share of the generator's CPU time changes no rate and no cost that is shown. */
  private static final double MOST_PERCENT = 2;

  /**
   * A smaller share of one core leaves the cores to the workers. A generator that makes few calls
   * uses little CPU time, so compilers that hardly work have a large share of it for minutes.
   */
  private static final double MOST_OF_CORE = 0.05;

  /** Share of the process's CPU time; NaN where there is none. */
  public double percent() {
    return cpuNanos > 0 ? 100 * jitNanos / cpuNanos : Double.NaN;
  }

  /** Whether figures are not those of the steady state, because compilers take CPU time. */
  public boolean busy() {
    return percent() > MOST_PERCENT && jitNanos > MOST_OF_CORE * elapsedNanos;
  }
}
