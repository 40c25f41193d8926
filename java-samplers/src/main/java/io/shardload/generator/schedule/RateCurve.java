package io.shardload.generator.schedule;

import java.util.List;

/**
 * The arrival rate over time, piecewise linear, and the inverse of its integral: the time at which
 * a given number of arrivals has been reached. Immutable, pure.
 *
 * <p>With {@code A(t)} the integral of the rate from 0 to t, a constant-rate arrival i is due at
 * {@code A^-1(i)}, and a Poisson process of that rate has its arrivals at {@code A^-1(E_i)}, E_i
 * being the sums of unit exponentials (time change; Cinlar, "Introduction to Stochastic Processes",
 * 1975).
 */
final class RateCurve {
  private final List<Segment> segments;
  private final double[] before;

  RateCurve(List<Segment> segments) {
    this.segments = List.copyOf(segments);
    this.before = new double[segments.size() + 1];
    for (int i = 0; i < segments.size(); i++) {
      before[i + 1] = before[i] + segments.get(i).arrivals();
    }
  }

  /** Expected arrivals over the whole schedule. */
  double total() {
    return before[before.length - 1];
  }

  /** Expected arrivals up to the end of a segment. */
  double totalUntil(int segment) {
    return before[segment + 1];
  }

  /**
   * Nanoseconds since the start at which the integral reaches x, for 0 <= x < total; a time inside
   * the segment of x, and never less for a larger x.
   */
  long timeOf(double x) {
    return timeOf(x, segmentOf(x));
  }

  /**
   * The same for a position whose segment is known.
   *
   * @param segment as {@link #segmentOf} says
   */
  long timeOf(double x, int segment) {
    Segment s = segments.get(segment);
    long time = s.startNanos() + (long) (secondsInto(s, x - before[segment]) * 1e9);
    return Math.min(time, s.endNanos() - 1);
  }

  /** The smallest x whose {@link #timeOf} is not before a time; the total if there is none. */
  double positionAt(long nanos) {
    double low = 0;
    double high = total();
    if (high == 0 || timeOf(low) >= nanos) {
      return low;
    }
    for (double middle = high / 2; low < middle && middle < high; middle = (low + high) / 2) {
      if (timeOf(middle) >= nanos) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return high;
  }

  /** The index of the segment in which the integral reaches x. */
  int segmentOf(double x) {
    int low = 0;
    int high = segments.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (x < before[middle + 1]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /**
   * Solves from*t + (to-from)/(2T)*t^2 = count for t, in the form that is stable near from = to.
   */
  private static double secondsInto(Segment s, double count) {
    double slope = (s.toRate() - s.fromRate()) / s.seconds();
    if (slope == 0) {
      return count / s.fromRate();
    }
    double root = Math.sqrt(Math.max(0, s.fromRate() * s.fromRate() + 2 * slope * count));
    double denominator = s.fromRate() + root;
    return denominator == 0 ? 0 : 2 * count / denominator;
  }
}
