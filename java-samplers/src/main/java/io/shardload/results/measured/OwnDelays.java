package io.shardload.results.measured;

import io.shardload.bundle.Bundle;
import io.shardload.config.Durations;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * What response times would be without the delays that the generators themselves added: arrivals
 * that began late although a worker was ready.
 *
 * <p>A generator records how late its arrivals began and how long calls took, but not which belong
 * together. A delay and the call that follows it are taken as independent: an arrival that began d
 * late is above x with probability P(service > x - d), and without the delay with P(service > x).
 * The sum of the differences is how many responses are above x because of the generators alone. The
 * wait for a busy worker is the target's and is not in the service time, so the sum is rather too
 * small, and the target gets the blame rather than the generator.
 */
public final class OwnDelays {
  /** None are known, or the harness itself is measured. */
  public static final OwnDelays NONE =
      new OwnDelays(null, new Tails(null), 0, Tolerance.OWN_MACHINE);

  /**
   * The delay that is always allowed, and the allowed share of the response time at the same
   * percentile; the larger one applies.
   */
  public record Tolerance(double leastNanos, double share) {
    public static final Tolerance OWN_MACHINE = new Tolerance(1_000_000, 0.1);
    public static final Tolerance SHARED_MACHINE = new Tolerance(10_000_000, 0.5);

    public static Tolerance of(boolean sharesMachine) {
      return sharesMachine ? SHARED_MACHINE : OWN_MACHINE;
    }

    public double at(double responseNanos) {
      return Math.max(leastNanos, share * responseNanos);
    }
  }

  /** How many values of a histogram lie above a value. */
  private static final class Tails {
    private final long[] values;
    private final long[] upTo;

    Tails(Histogram histogram) {
      int n = 0;
      long[] all = new long[16];
      long[] counts = new long[16];
      if (histogram != null) {
        for (HistogramIterationValue value : histogram.recordedValues()) {
          if (n == all.length) {
            all = Arrays.copyOf(all, 2 * n);
            counts = Arrays.copyOf(counts, 2 * n);
          }
          all[n] = value.getValueIteratedTo();
          counts[n++] = value.getTotalCountToThisValue();
        }
      }
      values = Arrays.copyOf(all, n);
      upTo = Arrays.copyOf(counts, n);
    }

    long total() {
      return upTo.length == 0 ? 0 : upTo[upTo.length - 1];
    }

    long above(double nanos) {
      int at = Arrays.binarySearch(values, (long) Math.floor(nanos));
      int until = at >= 0 ? at : -at - 2;
      return until < 0 ? total() : total() - upTo[until];
    }

    double shareAbove(double nanos) {
      return total() == 0 ? 0 : (double) above(nanos) / total();
    }
  }

  private final Histogram late;
  private final Tails service;
  private final double share;
  private final Tolerance tolerance;

  private OwnDelays(Histogram late, Tails service, double share, Tolerance tolerance) {
    this.late = late;
    this.service = service;
    this.share = share;
    this.tolerance = tolerance;
  }

  /**
   * The delays in one part of a run.
   *
   * @param histograms by series, of all transactions
   */
  public static OwnDelays of(Bundle bundle, Function<String, Histogram> histograms) {
    Histogram late = bundle.keepsData() ? histograms.apply(Distributions.LATE) : null;
    return late == null
        ? NONE
        : new OwnDelays(
            late, new Tails(histograms.apply("service")), 1, Tolerance.of(bundle.sharesMachine()));
  }

  /** Those of a share of the arrivals, such as one transaction's: a pause meets all alike. */
  public OwnDelays of(double part, Histogram itsService) {
    return this == NONE ? NONE : new OwnDelays(late, new Tails(itsService), part, tolerance);
  }

  /**
   * The response time of a rank without these delays; null if they do not decide it, because it
   * would not be shorter by more than the tolerance.
   *
   * @param members of the distribution, of which some may be above all samples
   */
  Double without(Histogram responses, double measured, long rank, long members) {
    if (late == null || measured <= tolerance.leastNanos()) {
      return null;
    }
    Tails all = new Tails(responses);
    int from = 0;
    int to = all.values.length - 1;
    while (from < to) {
      int middle = (from + to) / 2;
      double above = members - all.upTo[middle] - lifted((double) all.values[middle]);
      if (above <= members - rank + 0.5) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return decided(measured, all.values.length == 0 ? measured : all.values[from]);
  }

  /** The mean response time without these delays; null if they do not decide it. */
  public Double withoutInMean(double measured, long members) {
    return late == null || members == 0
        ? null
        : decided(measured, measured - share * late.getMean() * late.getTotalCount() / members);
  }

  private Double decided(double measured, double without) {
    return measured - without > tolerance.at(measured) ? Double.valueOf(without) : null;
  }

  /** How many responses are above a value because of the delays alone. */
  private double lifted(double nanos) {
    double anyway = service.shareAbove(nanos);
    double sum = 0;
    for (HistogramIterationValue delay : late.recordedValues()) {
      double above = nanos < delay.getValueIteratedTo() ? 1 : 0;
      if (above == 0) {
        above = service.shareAbove(nanos - delay.getValueIteratedTo());
      }
      sum += delay.getCountAddedInThisIterationStep() * (above - anyway);
    }
    return share * sum;
  }

  /** Whether some delay is at least as long. */
  public boolean reach(double nanos) {
    return late != null && late.getTotalCount() > 0 && late.getMaxValue() >= nanos;
  }

  /** The value without them, in words. */
  public static String without(double nanos) {
    return Durations.show(nanos) + " without the generator's own delays";
  }

  /** Pause and share, in words: {@code 0.25 % of the arrivals began up to 1.50 s late ...}. */
  public String words(long arrivals) {
    return String.format(
        Locale.ROOT,
        "%.2f %% of the arrivals began up to %s late while a worker was ready",
        100.0 * late.getTotalCount() / Math.max(1, arrivals),
        Durations.show(late.getMaxValue()));
  }
}
