package io.shardload.workload.statements.parameters;

import io.shardload.data.Draws;

/**
 * Whole numbers of a normal distribution (Box-Muller), cut off at both ends: a number outside is
 * drawn again. Equal on every machine, because {@link StrictMath} is.
 *
 * @param mean of the distribution before it is cut; from {@code min} to {@code max}
 * @param deviation the standard deviation before; above 0, at most {@code max - min}
 */
public record Normal(long min, long max, double mean, double deviation) {
  /**
   * With the bounds above, a draw is outside with a probability of at most 2/3: practically never
   * all of them.
   */
  private static final int MOST_DRAWS = 100;

  /** The next number of the distribution. */
  public long draw(Draws draws) {
    for (int i = 0; i < MOST_DRAWS; i++) {
      // 1 - u is never 0, whose logarithm is not finite.
      double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - draws.nextDouble()));
      double angle = 2 * Math.PI * draws.nextDouble();
      double value = Math.rint(mean + deviation * radius * StrictMath.cos(angle));
      if (value >= min && value <= max) {
        return (long) value;
      }
    }
    return Math.round(mean);
  }
}
