package io.shardload.results.hosts;

import io.shardload.bundle.Counts;
import io.shardload.results.measured.Segment;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What the machines of the servers did over the time of a run, all together: the use in buckets of
 * time, the last of which may be shorter. NaN where it is not known.
 */
public final class ServerCurves {
  private ServerCurves() {}

  /**
   * A figure over time.
   *
   * @param figure what to take of a bucket's use
   */
  public static double[] of(
      ServerMachines machines,
      double widthSeconds,
      double endSeconds,
      ToDoubleFunction<ServerUse> figure) {
    double[] values = new double[(int) Math.max(1, Math.ceil(endSeconds / widthSeconds))];
    Arrays.setAll(
        values,
        i -> {
          List<Segment> bucket = List.of(bucket(i, widthSeconds, endSeconds));
          ServerUse use = ServerUse.of(machines, bucket, new Counts());
          return use == null ? Double.NaN : figure.applyAsDouble(use);
        });
    return values;
  }

  private static Segment bucket(int number, double widthSeconds, double endSeconds) {
    long from = Math.round(number * widthSeconds * 1e9);
    long to = Math.round(Math.min(endSeconds, (number + 1) * widthSeconds) * 1e9);
    return new Segment("", "", Double.NaN, Double.NaN, from, to, to);
  }
}
