package io.shardload.timeseries.hosts;

import io.shardload.bundle.hosts.HostSeries;
import io.shardload.timeseries.client.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A machine that the store scrapes.
 *
 * @param exporter its series of {@code node_uname_info} with the most samples
 * @param others addresses of other exporters that report the same machine
 */
record Machine(Series exporter, List<String> others) {

  /** The machines that have samples, by name. */
  static List<Machine> of(List<Series> series) {
    Map<String, Machine> machines = new TreeMap<>();
    for (Series each : series) {
      if (each.values().length > 0) {
        machines.merge(each.label("host"), new Machine(each, List.of()), Machine::with);
      }
    }
    return List.copyOf(machines.values());
  }

  private Machine with(Machine other) {
    boolean isMore = other.exporter.values().length > exporter.values().length;
    Machine most = isMore ? other : this;
    Machine least = isMore ? this : other;
    if (most.instance().equals(least.instance())) {
      return most; // Its kernel or its name changed.
    }
    List<String> all = new ArrayList<>(most.others);
    all.addAll(least.others);
    all.add(least.instance());
    return new Machine(most.exporter, all);
  }

  String host() {
    return exporter.label("host");
  }

  String instance() {
    return exporter.label("instance");
  }

  String role() {
    return exporter.label("role").isEmpty() ? HostSeries.GENERATOR : exporter.label("role");
  }

  boolean isServer() {
    return !role().equals(HostSeries.GENERATOR);
  }

  /** The median distance of two scrapes; 0 if there is only one. */
  double scrapeSeconds() {
    double[] times = exporter.seconds();
    double[] distances = new double[times.length - 1];
    Arrays.setAll(distances, i -> times[i + 1] - times[i]);
    Arrays.sort(distances);
    return distances.length == 0 ? 0 : distances[distances.length / 2];
  }

  double lastScrape() {
    return exporter.seconds()[exporter.seconds().length - 1];
  }
}
