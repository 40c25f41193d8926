package io.shardload.generator.schedule;

import io.shardload.bundle.ArrivalSum;
import io.shardload.data.Draws;
import java.util.Arrays;
import java.util.function.LongFunction;

/**
 * What each generator should have taken from a plan by the time at which it ended, counted without
 * the generators. Constant arrivals are counted by arithmetic, those of a Poisson process by their
 * blocks; only arrivals whose fingerprints are used are made.
 */
public final class PlanSums {
  private final Plan plan;
  private final int generators;
  private final ArrivalSum[] sums;
  private final long[][] bySegment;

  private PlanSums(Plan plan) {
    this.plan = plan;
    this.generators = plan.schedule().load().generators();
    this.sums = new ArrivalSum[generators];
    this.bySegment = new long[generators][plan.schedule().segments().size()];
  }

  /**
   * Counts the plan up to each generator's end.
   *
   * @param extents by generator: in the open model the nanoseconds at which it ended, all arrivals
   *     due before are counted; in the closed model how many arrivals it took. 0 for generators
   *     that are not requested.
   */
  public static PlanSums of(Plan plan, long[] extents) {
    PlanSums counted = new PlanSums(plan);
    counted.sum(
        plan.schedule().load().open() ? counted.ends(extents) : counted.endsOfNumbers(extents));
    return counted;
  }

  /** The index at which each generator's arrivals end; counts them by segment. */
  private long[] ends(long[] endNanos) {
    RateCurve curve = plan.schedule().curve();
    int segments = plan.schedule().segments().size();
    double[] cuts = new double[segments + endNanos.length];
    for (int s = 0; s < segments; s++) {
      cuts[s] = curve.totalUntil(s);
    }
    for (int g = 0; g < endNanos.length; g++) {
      cuts[segments + g] = curve.positionAt(endNanos[g]);
    }
    long[] indexes = indexesOf(cuts);
    for (int g = 0; g < endNanos.length; g++) {
      long end = indexes[segments + g];
      long before = 0;
      for (int s = 0; s < segments; s++) {
        long until = own(g, Math.min(end, indexes[s]));
        bySegment[g][s] = until - before;
        before = until;
      }
    }
    return Arrays.copyOfRange(indexes, segments, indexes.length);
  }

  /** The same in the closed model, whose arrivals are numbered as workers ask for them. */
  private long[] endsOfNumbers(long[] numbers) {
    long[] ends = new long[numbers.length];
    for (int g = 0; g < ends.length; g++) {
      ends[g] = numbers[g] == 0 ? 0 : (numbers[g] - 1) * generators + g + 1;
    }
    return ends;
  }

  /** Number, indexes and fingerprints of a generator's arrivals. */
  public ArrivalSum ofGenerator(int generator) {
    return sums[generator];
  }

  /** How many of a generator's arrivals belong to a segment; in the open model. */
  public long ofSegment(int generator, int segment) {
    return bySegment[generator][segment];
  }

  /** The index of the first arrival at or behind each position. */
  private long[] indexesOf(double[] cuts) {
    Integer[] order = new Integer[cuts.length];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (a, b) -> Double.compare(cuts[a], cuts[b]));
    Positions positions = plan.schedule().positions();
    long[] indexes = new long[cuts.length];
    for (int i : order) {
      indexes[i] = positions.before(cuts[i]);
    }
    return indexes;
  }

  /** How many of the indexes below an end are a generator's. */
  private long own(int generator, long end) {
    return Math.max(0, Math.floorDiv(end - generator + generators - 1, (long) generators));
  }

  /** Adds each generator's arrivals of indexes below its end. */
  private void sum(long[] ends) {
    long last = 0;
    for (int g = 0; g < generators; g++) {
      long number = own(g, ends[g]);
      long pairs = number % 2 == 0 ? number / 2 * (number - 1) : (number - 1) / 2 * number;
      sums[g] = new ArrivalSum(number, pairs * generators + number * g, 0);
      last = Math.max(last, ends[g]);
    }
    long[] fingerprints = new long[generators];
    LongFunction<Arrival> byIndex = plan.schedule().byIndex();
    Draws draws = new Draws();
    long every = 1L << plan.hashedShift();
    long hashed = Math.min(generators, every);
    for (long first = 0; first < last; first += every) {
      for (long index = first; index < Math.min(last, first + hashed); index++) {
        int g = (int) (index % generators);
        if (index < ends[g]) {
          Arrival arrival = byIndex.apply(index);
          int transaction = plan.transaction(arrival, draws);
          fingerprints[g] += plan.fingerprint(arrival, transaction, draws);
        }
      }
    }
    for (int g = 0; g < generators; g++) {
      sums[g].add(new ArrivalSum(0, 0, fingerprints[g]));
    }
  }
}
