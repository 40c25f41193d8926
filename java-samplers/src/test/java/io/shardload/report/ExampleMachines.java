package io.shardload.report;

import io.shardload.bundle.WholeFile;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.hosts.HostsFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/** Figures of machines beside the runs of {@link ExampleRuns}, one value per second. */
final class ExampleMachines {
  private ExampleMachines() {}

  /** A machine whose figures follow its processors; its disk waits a second in eight. */
  private static HostSeries machine(
      String host, String role, int cores, int seconds, IntToDoubleFunction cpu) {
    Map<Figure, double[]> values = new EnumMap<>(Figure.class);
    values.put(Figure.CPU, each(seconds, cpu));
    values.put(Figure.IO_WAIT, each(seconds, i -> 0.02));
    values.put(Figure.READS, each(seconds, i -> 10));
    values.put(Figure.WRITES, each(seconds, i -> 800 * cpu.applyAsDouble(i)));
    values.put(Figure.READ_BYTES, each(seconds, i -> 81_920));
    values.put(Figure.WRITTEN_BYTES, each(seconds, i -> 9e6 * cpu.applyAsDouble(i)));
    values.put(Figure.READ_LATENCY, each(seconds, i -> i % 8 == 0 ? Double.NaN : 0.000_2));
    values.put(Figure.WRITE_LATENCY, each(seconds, i -> i % 8 == 0 ? 0.02 : 0.000_9));
    values.put(Figure.DISK_BUSY, each(seconds, i -> 0.7 * cpu.applyAsDouble(i)));
    values.put(Figure.RECEIVED_BYTES, each(seconds, i -> 2e6 * cpu.applyAsDouble(i)));
    values.put(Figure.SENT_BYTES, each(seconds, i -> 6e6 * cpu.applyAsDouble(i)));
    return new HostSeries(host, role, !role.equals(HostSeries.GENERATOR), cores, values);
  }

  private static double[] each(int seconds, IntToDoubleFunction value) {
    double[] all = new double[seconds];
    Arrays.setAll(all, value);
    return all;
  }

  private static Path write(Path run, HostMetrics metrics) throws IOException {
    WholeFile.write(run.resolve("hosts.json"), out -> HostsFile.write(metrics, out));
    return run;
  }

  /** Half a minute of {@link ExampleRuns#hosts}: no samples of one, another without disks. */
  static Path cluster(Path run) throws IOException {
    HostSeries coordinator =
        machine("coord", "coordinator", 8, 29, i -> i >= 12 && i < 16 ? Double.NaN : 0.35);
    HostSeries first = machine("db1", "worker", 16, 29, i -> 0.8);
    HostSeries second = machine("db2", "worker", 16, 29, i -> 0.6);
    Map<Figure, double[]> withoutDisks = new EnumMap<>(second.values());
    withoutDisks
        .keySet()
        .retainAll(List.of(Figure.CPU, Figure.IO_WAIT, Figure.RECEIVED_BYTES, Figure.SENT_BYTES));
    HostSeries third = new HostSeries("db3", "worker", true, 16, withoutDisks);
    HostSeries load = machine("10.9.0.2:1099", HostSeries.GENERATOR, 4, 29, i -> 0.4);
    return write(
        run,
        new HostMetrics(
            HostMetrics.STORE,
            "http://127.0.0.1:8428",
            1,
            List.of(coordinator, first, second, third, load),
            List.of("coord (coordinator): no samples from 12 to 16 s", "db3 <b>: no disks")));
  }

  /** {@link ExampleRuns#capacity}: processors that fill up step by step, until the seventh. */
  static Path shared(Path run) throws IOException {
    HostSeries one =
        machine(
            "db1", "primary", 2, 95, i -> Math.min(0.96, i < 5 ? 0.12 : 0.137 * ((i - 5) / 8 + 1)));
    HostMetrics metrics = new HostMetrics(HostMetrics.LOCAL, "", 1, List.of(one), List.of());
    return write(run, metrics);
  }

  /** The store did not answer. */
  static Path none(Path run) throws IOException {
    String missing = "the store http://127.0.0.1:8428 does not answer";
    return write(
        run,
        new HostMetrics(
            HostMetrics.STORE, "http://127.0.0.1:8428", 1, List.of(), List.of(missing)));
  }
}
