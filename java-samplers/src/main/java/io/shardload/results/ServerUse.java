package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.Segment;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What the machines of the servers did in some segments, all together. NaN stands for unknown
 * figures. A figure of all machines is unknown if it is unknown for one machine.
 *
 * <p>The figures per operation are the rates of all machines, times the length of the segments,
 * divided by the operations that were answered within the segments ({@code on_time} and {@code
 * carried_in} of their ledgers). Operations that were answered later, failed or did not reach the
 * database are not counted. All other activity of the machines in this time is included.
 *
 * @param hosts the number of machines with figures
 * @param expected the number of all machines; where it is higher, no figure is known
 * @param shared a generator runs on one of them, so that its use is in the figures
 * @param seconds the length of the segments
 * @param operations those that the figures per operation divide by
 * @param values sums over the machines; of {@link Figure#CPU} and {@link Figure#DISK_BUSY} the
 *     highest mean of a machine, of latencies the mean over all operations. A figure that is not
 *     known is absent.
 * @param cpuHost the machine with the highest use of its processors; null if that is not known
 * @param diskBusyHost the machine with the busiest disk; null if that is not known
 */
public record ServerUse(
    int hosts,
    int expected,
    boolean shared,
    double seconds,
    long operations,
    Map<Figure, Double> values,
    String cpuHost,
    String diskBusyHost,
    double cpuSecondsPerOperation,
    double ioPerOperation,
    double ioBytesPerOperation) {

  private static final List<Figure> SUMS =
      List.of(
          Figure.READS,
          Figure.WRITES,
          Figure.READ_BYTES,
          Figure.WRITTEN_BYTES,
          Figure.RECEIVED_BYTES,
          Figure.SENT_BYTES);
  private static final List<Figure> LATENCIES = List.of(Figure.READ_LATENCY, Figure.WRITE_LATENCY);

  public ServerUse {
    values = Map.copyOf(values);
  }

  /**
   * The use in some segments.
   *
   * @param counts the ledger of the segments
   * @return null if nothing is known
   */
  public static ServerUse of(ServerMachines machines, List<Segment> segments, Counts counts) {
    List<HostSeries> servers = machines.known();
    if (servers.isEmpty()) {
      return null;
    }
    HostMeans means = new HostMeans(machines.metrics(), segments);
    Map<Figure, Double> values = new EnumMap<>(Figure.class);
    SUMS.forEach(figure -> put(values, figure, sum(means, servers, figure)));
    LATENCIES.forEach(figure -> put(values, figure, means.mean(servers, figure)));
    HostSeries busiest = highest(means, servers, Figure.CPU, values);
    HostSeries busiestDisk = highest(means, servers, Figure.DISK_BUSY, values);
    if (values.isEmpty()) {
      return null;
    }
    if (!machines.isWhole()) {
      return partial(machines, means.seconds());
    }
    // What refusals cost is part of the cost of what was done.
    long operations = counts.answeredWithin() - counts.get(Field.REFUSED);
    double secondsEach = operations > 0 ? means.seconds() / operations : Double.NaN;
    return new ServerUse(
        servers.size(),
        machines.expected(),
        machines.shared(),
        means.seconds(),
        operations,
        values,
        busiest == null ? null : busiest.name(),
        busiestDisk == null ? null : busiestDisk.name(),
        processorsInUse(means, servers) * secondsEach,
        both(values, Figure.READS, Figure.WRITES) * secondsEach,
        both(values, Figure.READ_BYTES, Figure.WRITTEN_BYTES) * secondsEach);
  }

  /** Some machines lack figures, so the sums are unknown. */
  private static ServerUse partial(ServerMachines machines, double seconds) {
    return new ServerUse(
        machines.known().size(),
        machines.expected(),
        machines.shared(),
        seconds,
        0,
        Map.of(),
        null,
        null,
        Double.NaN,
        Double.NaN,
        Double.NaN);
  }

  private static void put(Map<Figure, Double> values, Figure figure, double value) {
    if (!Double.isNaN(value)) {
      values.put(figure, value);
    }
  }

  private static double sum(HostMeans means, List<HostSeries> servers, Figure figure) {
    return servers.stream().mapToDouble(host -> means.mean(host, figure)).sum();
  }

  /** The mean number of processors in use; NaN if the number of a machine's is not known. */
  private static double processorsInUse(HostMeans means, List<HostSeries> servers) {
    return servers.stream()
        .mapToDouble(
            host -> host.cores() > 0 ? host.cores() * means.mean(host, Figure.CPU) : Double.NaN)
        .sum();
  }

  /** The machine with the highest mean, which goes into the values; null while one is not known. */
  private static HostSeries highest(
      HostMeans means, List<HostSeries> servers, Figure figure, Map<Figure, Double> values) {
    HostSeries highest = null;
    double most = Double.NEGATIVE_INFINITY;
    for (HostSeries host : servers) {
      double mean = means.mean(host, figure);
      if (Double.isNaN(mean)) {
        return null;
      }
      if (mean > most) {
        most = mean;
        highest = host;
      }
    }
    put(values, figure, most);
    return highest;
  }

  private static double both(Map<Figure, Double> values, Figure one, Figure other) {
    return values.getOrDefault(one, Double.NaN) + values.getOrDefault(other, Double.NaN);
  }

  /** Whether the figures of all machines are known. */
  public boolean isWhole() {
    return hosts >= expected;
  }

  /** One of {@code values}; NaN if it is not known. */
  public double value(Figure figure) {
    return values.getOrDefault(figure, Double.NaN);
  }

  /** Reads and writes per second. */
  public double iops() {
    return both(values, Figure.READS, Figure.WRITES);
  }

  /** As in summary.json. */
  public static JsonElement toJson(ServerUse use) {
    if (use == null) {
      return JsonNull.INSTANCE;
    }
    JsonObject json = new JsonObject();
    json.addProperty("hosts", use.hosts);
    json.addProperty("expected", use.expected);
    json.addProperty("shared", use.shared);
    json.add("cpu_ratio", Json.finite(use.value(Figure.CPU)));
    json.addProperty("cpu_host", use.cpuHost);
    json.add("iops", Json.finite(use.iops()));
    SUMS.forEach(figure -> json.add(figure.key(), Json.finite(use.value(figure))));
    LATENCIES.forEach(figure -> json.add(figure.key(), Json.finite(use.value(figure))));
    json.add("disk_busy_ratio", Json.finite(use.value(Figure.DISK_BUSY)));
    json.addProperty("disk_busy_host", use.diskBusyHost);
    json.add("cpu_seconds_per_operation", Json.finite(use.cpuSecondsPerOperation));
    json.add("io_per_operation", Json.finite(use.ioPerOperation));
    json.add("io_bytes_per_operation", Json.finite(use.ioBytesPerOperation));
    return json;
  }
}
