package io.shardload.results;

import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.results.measured.Segment;
import java.util.ArrayList;
import java.util.List;

/**
 * Means of the machines' figures over some segments. An interval of the file weighs as much as time
 * of it lies in the segments; a latency weighs as many operations as there were in this time.
 * Intervals without a value do not count, and a figure that is known for less than half of the time
 * has no mean.
 */
public final class HostMeans {
  private static final double LEAST_KNOWN_SHARE = 0.5;

  /** Part of the segments in which an interval of the file lies. */
  private record Part(int interval, double seconds) {}

  /** Sums of weighted values and of weights. */
  private record Sum(double weighted, double weight) {
    static final Sum NOTHING = new Sum(0, 0);

    Sum plus(Sum other) {
      return new Sum(weighted + other.weighted, weight + other.weight);
    }

    double mean() {
      return weight > 0 ? weighted / weight : Double.NaN;
    }
  }

  private final List<Part> parts = new ArrayList<>();
  private final double seconds;

  public HostMeans(HostMetrics metrics, List<Segment> segments) {
    // A bundle may name a segment of centuries.
    int intervals = intervals(metrics);
    double all = 0;
    for (Segment segment : segments) {
      double from = segment.fromNanos() / 1e9;
      double to = segment.toNanos() / 1e9;
      all += Math.max(0, to - from);
      double step = metrics.stepSeconds();
      int first = (int) Math.max(0, Math.floor(from / step));
      for (int i = first; i < intervals && i * step < to; i++) {
        double shared = Math.min(to, (i + 1) * step) - Math.max(from, i * step);
        if (shared > 0) {
          parts.add(new Part(i, shared));
        }
      }
    }
    seconds = all;
  }

  private static int intervals(HostMetrics metrics) {
    return metrics.hosts().stream()
        .flatMap(host -> host.values().values().stream())
        .mapToInt(values -> values.length)
        .max()
        .orElse(0);
  }

  /** The segments' length. */
  public double seconds() {
    return seconds;
  }

  /** The mean of a machine; NaN if it is not known. */
  public double mean(HostSeries host, Figure figure) {
    return mean(List.of(host), figure);
  }

  /**
   * The mean over several machines, of a latency over their operations. NaN if that of a machine is
   * not known; a machine without operations adds nothing to a latency.
   */
  double mean(List<HostSeries> hosts, Figure figure) {
    Sum all = Sum.NOTHING;
    for (HostSeries host : hosts) {
      Sum possible = sum(host, operations(figure) == null ? figure : operations(figure), null);
      if (possible.weight == 0 || possible.weight < LEAST_KNOWN_SHARE * seconds) {
        return Double.NaN;
      }
      if (operations(figure) == null) {
        all = all.plus(possible);
        continue;
      }
      Sum own = sum(host, figure, operations(figure));
      if (own.weight < LEAST_KNOWN_SHARE * possible.weighted) {
        return Double.NaN;
      }
      all = all.plus(own);
    }
    return all.mean();
  }

  /** Over the intervals with a value, by time or by the number of operations. */
  private Sum sum(HostSeries host, Figure figure, Figure operations) {
    Sum sum = Sum.NOTHING;
    for (Part part : parts) {
      double value = host.at(figure, part.interval);
      double weight = part.seconds * (operations == null ? 1 : host.at(operations, part.interval));
      sum = Double.isNaN(value * weight) ? sum : sum.plus(new Sum(value * weight, weight));
    }
    return sum;
  }

  /** What a latency is the mean of; null for other figures. */
  private static Figure operations(Figure figure) {
    return switch (figure) {
      case READ_LATENCY -> Figure.READS;
      case WRITE_LATENCY -> Figure.WRITES;
      default -> null;
    };
  }
}
