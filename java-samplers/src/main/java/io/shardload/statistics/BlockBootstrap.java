package io.shardload.statistics;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The uncertainty of the ratio of means of two single runs: a moving-block bootstrap over intervals
 * of one second.
 *
 * <p>Requests that are near in time resemble each other (a checkpoint slows thousands of them), so
 * they are not independent measurements, and an interval from their number would be far too narrow.
 * Whole blocks of neighbouring seconds are drawn instead, with replacement, until the run has its
 * length again; the 2.5 % and 97.5 % quantiles of the ratio over {@value #RESAMPLES} such draws are
 * the interval. Blocks are ceil(cube root of n) seconds long, at least 3.
 *
 * <p>The interval shows how the ratio of these two runs would vary if they had continued. It does
 * not include differences between runs (caches, layout on disk, the machine's neighbours), which is
 * commonly more; and for short runs it is known to be somewhat too narrow.
 */
public final class BlockBootstrap {
  /** Fewer seconds than this make no interval. */
  public static final int LEAST_SECONDS = 30;

  private static final int RESAMPLES = 2000;
  private static final int LEAST_BLOCK_SECONDS = 3;
  private static final long SEED = 1;

  private BlockBootstrap() {}

  /**
   * The interval of mean(side) / mean(base), or null where a run has under {@link #LEAST_SECONDS}
   * seconds or a mean is 0. Deterministic.
   *
   * @param base per second {@code {sum, count}}
   */
  public static Interval ratioOfMeans(double[][] base, double[][] side) {
    if (Math.min(base.length, side.length) < LEAST_SECONDS) {
      return null;
    }
    double ratio = mean(side) / mean(base);
    if (!(ratio > 0) || Double.isInfinite(ratio)) {
      return null;
    }
    SplittableRandom random = new SplittableRandom(SEED);
    double[] ratios = new double[RESAMPLES];
    for (int i = 0; i < RESAMPLES; i++) {
      ratios[i] = resampled(side, random) / resampled(base, random);
    }
    Arrays.sort(ratios);
    return new Interval(
        ratio,
        ratios[(int) (0.025 * RESAMPLES)],
        ratios[(int) (0.975 * RESAMPLES) - 1],
        Math.min(base.length, side.length));
  }

  static int blockSeconds(int seconds) {
    return Math.max(LEAST_BLOCK_SECONDS, (int) Math.ceil(Math.cbrt(seconds)));
  }

  private static double mean(double[][] seconds) {
    double sum = 0;
    double count = 0;
    for (double[] second : seconds) {
      sum += second[0];
      count += second[1];
    }
    return sum / count;
  }

  private static double resampled(double[][] seconds, SplittableRandom random) {
    int block = blockSeconds(seconds.length);
    double sum = 0;
    double count = 0;
    int drawn = 0;
    while (drawn < seconds.length) {
      int from = random.nextInt(seconds.length - block + 1);
      for (int i = 0; i < block && drawn < seconds.length; i++, drawn++) {
        sum += seconds[from + i][0];
        count += seconds[from + i][1];
      }
    }
    return sum / count;
  }
}
