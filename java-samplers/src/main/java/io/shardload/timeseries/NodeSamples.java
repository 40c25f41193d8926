package io.shardload.timeseries;

import io.shardload.hosts.Devices;
import io.shardload.hosts.HostSample;
import io.shardload.hosts.HostSample.Disk;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Turns series of node_exporter on one machine into samples of the machine. All series of one
 * scrape have the same time.
 *
 * <p>The time in which processors were in use is what is left of all time when they were not idle,
 * as on the dashboard Hosts: two series for each processor are enough. It never decreases while
 * they run: a scrape deviates from its time by some milliseconds, so that idle processors may seem
 * to have been idle for longer than the elapsed time.
 */
final class NodeSamples {
  private static final String CPU = "node_cpu_seconds_total";
  private static final String RECEIVED = "node_network_receive_bytes_total";
  private static final String SENT = "node_network_transmit_bytes_total";
  private static final String IDLE = "idle";
  private static final List<String> DISK =
      List.of(
          "node_disk_reads_completed_total",
          "node_disk_read_bytes_total",
          "node_disk_read_time_seconds_total",
          "node_disk_writes_completed_total",
          "node_disk_written_bytes_total",
          "node_disk_write_time_seconds_total",
          "node_disk_io_time_seconds_total");

  /** What {@code __name__} and {@code mode} of the series match; the mode is absent from others. */
  static final String MATCHERS =
      "__name__=~\"%s\",mode=~\"|idle|iowait\""
          .formatted(String.join("|", CPU, String.join("|", DISK), RECEIVED, SENT));

  private static final class Scrape {
    private final Map<String, Double> idle = new HashMap<>();
    private final Map<String, Double> wait = new HashMap<>();
    private final Map<String, double[]> disks = new HashMap<>();
    private final Map<String, Double> received = new HashMap<>();
    private final Map<String, Double> sent = new HashMap<>();
  }

  private final double start;
  private final Total received = new Total();
  private final Total sent = new Total();
  private Map<String, Double> lastIdle = Map.of();
  private double lastBusy;
  private double busyOffset;

  /**
   * For samples in order of time.
   *
   * @param start of the run, seconds since 1970
   */
  NodeSamples(double start) {
    this.start = start;
  }

  /** Passes the samples of the next part of the time on. */
  void read(List<Series> series, Consumer<HostSample> samples) {
    TreeMap<Double, Scrape> scrapes = new TreeMap<>();
    for (Series each : series) {
      for (int i = 0; i < each.values().length; i++) {
        if (Double.isFinite(each.values()[i])) {
          Scrape scrape = scrapes.computeIfAbsent(each.seconds()[i], time -> new Scrape());
          add(scrape, each, each.values()[i]);
        }
      }
    }
    scrapes.forEach((time, scrape) -> samples.accept(sample(time - start, scrape)));
  }

  private static void add(Scrape scrape, Series series, double value) {
    String name = series.label(Series.NAME);
    String device = series.label("device");
    int counter = DISK.indexOf(name);
    if (name.equals(CPU)) {
      boolean isIdle = series.label("mode").equals(IDLE);
      (isIdle ? scrape.idle : scrape.wait).put(series.label("cpu"), value);
    } else if (counter >= 0) {
      if (Devices.isDisk(device)) {
        scrape.disks.computeIfAbsent(device, key -> unknown())[counter] = value;
      }
    } else if (Devices.isNetwork(device)) {
      (name.equals(SENT) ? scrape.sent : scrape.received).put(device, value);
    }
  }

  private static double[] unknown() {
    double[] values = new double[DISK.size()];
    Arrays.fill(values, Double.NaN);
    return values;
  }

  private HostSample sample(double seconds, Scrape scrape) {
    Map<String, Disk> disks = new HashMap<>();
    scrape.disks.forEach(
        (name, of) -> disks.put(name, new Disk(of[0], of[1], of[2], of[3], of[4], of[5], of[6])));
    boolean known = !scrape.idle.isEmpty();
    return new HostSample(
        seconds,
        scrape.idle.size(),
        known ? busy(seconds, scrape) : Double.NaN,
        known ? sum(scrape.wait) : Double.NaN,
        disks,
        received.add(scrape.received),
        sent.add(scrape.sent));
  }

  private double busy(double seconds, Scrape scrape) {
    double used = scrape.idle.size() * seconds - sum(scrape.idle) - sum(scrape.wait);
    boolean restarted =
        !lastIdle.keySet().equals(scrape.idle.keySet()) || sum(scrape.idle) < sum(lastIdle);
    if (restarted) {
      // A counter that decreases is one that restarted: nothing is known between the two samples.
      lastBusy -= 1;
      busyOffset = lastBusy - used;
    }
    lastIdle = scrape.idle;
    lastBusy = Math.max(lastBusy, used + busyOffset);
    return lastBusy;
  }

  private static double sum(Map<String, Double> values) {
    return values.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /**
   * Sum over devices since the first scrape; one that appears or restarts adds nothing at first.
   */
  private static final class Total {
    private Map<String, Double> last = Map.of();
    private double sum;

    double add(Map<String, Double> now) {
      now.forEach((device, value) -> sum += Math.max(0, value - last.getOrDefault(device, value)));
      last = now;
      return now.isEmpty() ? Double.NaN : sum;
    }
  }
}
