package io.shardload.compare;

import io.shardload.bundle.Counts;
import io.shardload.bundle.hosts.Figure;
import io.shardload.results.RecordedRun;
import io.shardload.results.ServerMachines;
import io.shardload.results.ServerUse;
import io.shardload.results.measured.Segment;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What the machines of a run's servers did, as one figure.
 *
 * @param key ends in its unit
 * @param value what it is of the use
 * @param weight of a run among others: what the figure is a mean over
 */
public record ServerFigure(
    String key, ToDoubleFunction<ServerUse> value, ToDoubleFunction<ServerUse> weight) {

  /** Those with a value at each moment. */
  static final List<ServerFigure> DRAWN =
      List.of(
          plain("server_cpu_ratio", Figure.CPU),
          new ServerFigure("server_io_per_second", ServerUse::iops, ServerUse::seconds),
          plain("server_read_bytes_per_second", Figure.READ_BYTES),
          plain("server_written_bytes_per_second", Figure.WRITTEN_BYTES),
          latency("server_read_latency_seconds", Figure.READ_LATENCY, Figure.READS),
          latency("server_write_latency_seconds", Figure.WRITE_LATENCY, Figure.WRITES));

  private static final List<ServerFigure> PER_OPERATION =
      List.of(
          perOperation("server_cpu_seconds_per_operation", ServerUse::cpuSecondsPerOperation),
          perOperation("server_io_per_operation", ServerUse::ioPerOperation),
          perOperation("server_io_bytes_per_operation", ServerUse::ioBytesPerOperation));

  /** All that are compared. */
  public static final List<ServerFigure> ALL =
      Stream.of(PER_OPERATION, DRAWN).flatMap(List::stream).toList();

  private static ServerFigure plain(String key, Figure figure) {
    return new ServerFigure(key, use -> use.value(figure), ServerUse::seconds);
  }

  private static ServerFigure latency(String key, Figure figure, Figure operations) {
    return new ServerFigure(
        key, use -> use.value(figure), use -> use.seconds() * use.value(operations));
  }

  private static ServerFigure perOperation(String key, ToDoubleFunction<ServerUse> value) {
    return new ServerFigure(key, value, ServerUse::operations);
  }

  /**
   * Of runs together, each with the weight of its time, or of its operations where the figure is a
   * mean over these; NaN if a run does not have it.
   */
  public double of(List<RecordedRun> runs) {
    double weighted = 0;
    double weights = 0;
    for (RecordedRun run : runs) {
      if (run.serverUse() == null) {
        return Double.NaN;
      }
      double each = runs.size() == 1 ? 1 : weight.applyAsDouble(run.serverUse());
      // Without operations their mean does not exist, and nothing is lacking.
      weighted += each == 0 ? 0 : each * value.applyAsDouble(run.serverUse());
      weights += each;
    }
    return weights > 0 ? weighted / weights : Double.NaN;
  }

  /** In buckets of time; nothing where the machines are not known. */
  double[] overTime(RecordedRun run, double widthSeconds) {
    if (run.hosts() == null) {
      return new double[0];
    }
    return serverCurve(run.serverMachines(), widthSeconds, run.curves().endSeconds(), value);
  }

  /**
   * What the machines of the servers did over the time of a run, all together: the use in buckets
   * of time, the last of which may be shorter. NaN where it is not known.
   *
   * <p>A figure over time.
   *
   * @param figure what to take of a bucket's use
   */
  public static double[] serverCurve(
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
