package io.shardload.timeseries;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import io.shardload.hosts.HostRates;
import io.shardload.hosts.HostSample;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import java.util.function.UnaryOperator;

/** Fetches the window of a run from a store. */
final class StoreHosts {
  private static final int MOST_INTERVALS = 3600;
  private static final int MOST_GAPS_IN_WORDS = 3;

  /** Samples before and after the window cover its first and last interval. */
  private static final double MARGIN_SECONDS = 60;

  /** So much of one machine is in memory at once, as the store writes it. */
  private static final double CHUNK_SECONDS = 1800;

  /** From the time of a scrape until the store answers it. */
  private static final double VISIBLE_AFTER_SECONDS = 1.5;

  private static final double LONGEST_WAIT_SECONDS = 7;

  /**
   * How long all may take.
   *
   * @param reply for one reply; after the first missing reply nothing more is requested
   * @param total for all; later replies count as missing
   * @param waits whether to wait for the scrape after the end of the run
   */
  record Limits(Duration reply, Duration total, boolean waits) {
    static final Limits USUAL = new Limits(Duration.ofSeconds(5), Duration.ofSeconds(60), true);
    static final Limits HURRIED = new Limits(Duration.ofSeconds(2), Duration.ofSeconds(4), false);
  }

  private final Bundle bundle;
  private final RunWindow window;
  private final StoreClient client;
  private final Limits limits;
  private final DoubleSupplier clock;
  private final String target;
  private final List<String> missing = new ArrayList<>();
  private final long begin = System.nanoTime();

  private StoreHosts(
      Bundle bundle, RunWindow window, StoreClient client, Limits limits, DoubleSupplier clock) {
    this.bundle = bundle;
    this.window = window;
    this.client = client;
    this.limits = limits;
    this.clock = clock;
    target = Json.text(Json.object(bundle.run(), "target"), "name", "");
  }

  /**
   * Asks the store. All problems are in {@code missing}.
   *
   * @param store address and names of variables, of the checked configuration
   * @param environment values of environment variables, null where there is none
   * @param clock seconds since 1970
   */
  static HostMetrics read(
      Bundle bundle,
      JsonObject store,
      Limits limits,
      UnaryOperator<String> environment,
      DoubleSupplier clock) {
    String url = Json.text(store, "url", "");
    try {
      RunWindow window =
          RunWindow.of(bundle)
              .orElseThrow(
                  () -> new StoreException("no generator left a ledger with the times of the run"));
      StoreClient client =
          new StoreClient(url, Credentials.named(store, environment), limits.reply());
      return new StoreHosts(bundle, window, client, limits, clock).fetch();
    } catch (StoreException e) {
      return nothing(url, e.getMessage());
    }
  }

  /** Nothing is known, for one reason. */
  static HostMetrics nothing(String url, String why) {
    return new HostMetrics(HostMetrics.STORE, url, 1, List.of(), List.of(why));
  }

  private HostMetrics fetch() throws StoreException {
    List<Machine> machines = machines();
    if (awaitLastScrape(machines)) {
      machines = machines();
    }
    if (machines.isEmpty()) {
      return nothing(
          client.url(),
          "the store at %s has no machine series with target=\"%s\" for the time of the run;"
                  .formatted(client.url(), target)
              + " shardload scrape-config --target %s prints the scrape configuration that it needs"
                  .formatted(target));
    }
    double step = step(machines);
    List<HostSeries> hosts = new ArrayList<>();
    int fetched = 0;
    try {
      for (Machine machine : machines) {
        HostSeries series = series(machine, step);
        fetched++;
        if (!series.values().isEmpty()) {
          hosts.add(series);
        }
      }
    } catch (StoreException e) {
      List<String> unknown = machines.stream().map(Machine::host).skip(fetched).toList();
      missing.add(e.getMessage() + "; no figures for " + String.join(", ", unknown));
    }
    addAbsent(machines);
    return new HostMetrics(HostMetrics.STORE, client.url(), step, hosts, missing);
  }

  private List<Machine> machines() throws StoreException {
    double from = window.start() - MARGIN_SECONDS;
    String selector = "node_uname_info{target=%s}".formatted(quoted(target));
    List<Machine> machines =
        Machine.of(client.samples(selector, from, window.end() + MARGIN_SECONDS));
    // A machine that existed only before or after the run did nothing during it.
    return machines.stream().filter(this::isDuringTheRun).toList();
  }

  private boolean isDuringTheRun(Machine machine) {
    double[] times = machine.exporter().seconds();
    return times[0] <= window.end() && times[times.length - 1] >= window.start();
  }

  /**
   * Waits for the scrape after the end of the run if it is due: without it the last interval is
   * unknown, which is a quarter of a run of 20 s. A machine that is no longer scraped is not waited
   * for, nor is one whose next scrape is due too late. Most runs do not wait: they verify their
   * documents before.
   */
  private boolean awaitLastScrape(List<Machine> machines) throws StoreException {
    double now = clock.getAsDouble() - VISIBLE_AFTER_SECONDS;
    double seconds =
        machines.stream()
            .filter(machine -> machine.lastScrape() < window.end())
            .mapToDouble(machine -> machine.lastScrape() + machine.scrapeSeconds() - now)
            .filter(wait -> wait <= LONGEST_WAIT_SECONDS)
            .max()
            .orElse(0);
    if (!limits.waits() || seconds <= 0) {
      return false;
    }
    try {
      Thread.sleep(Math.round(seconds * 1000));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while waiting for the last scrape");
    }
    return true;
  }

  /** Whole seconds: as many as lie between two scrapes, and more if these are too many. */
  private double step(List<Machine> machines) {
    double scrape = machines.stream().mapToDouble(Machine::scrapeSeconds).max().orElse(0);
    double least = Math.ceil(window.seconds() / MOST_INTERVALS);
    return Math.max(1, Math.max(least, Math.rint(scrape)));
  }

  private HostSeries series(Machine machine, double step) throws StoreException {
    HostRates rates = new HostRates(step, (int) Math.ceil(window.seconds() / step));
    NodeSamples samples = new NodeSamples(window.start());
    int[] cores = new int[1];
    double[] lastSeconds = {Double.NEGATIVE_INFINITY};
    double first = Math.max(window.start() - MARGIN_SECONDS, machine.exporter().seconds()[0]);
    double last = machine.lastScrape();
    for (double from = first; from <= last; from += CHUNK_SECONDS) {
      checkTime();
      double to = Math.min(from + CHUNK_SECONDS, last);
      samples.read(
          client.samples(selector(machine), from, to),
          sample -> {
            cores[0] = Math.max(cores[0], sample.cores());
            addNext(rates, sample, lastSeconds);
          });
    }
    Map<Figure, double[]> values = rates.values();
    addMissing(machine, rates, values);
    return new HostSeries(machine.host(), machine.role(), machine.isServer(), cores[0], values);
  }

  private static void addNext(HostRates rates, HostSample sample, double[] last) {
    // A part begins where the one before it ended.
    if (sample.seconds() > last[0]) {
      rates.add(sample);
      last[0] = sample.seconds();
    }
  }

  private void checkTime() throws StoreException {
    if (System.nanoTime() - begin > limits.total().toNanos()) {
      throw new StoreException(
          "the store at %s took more than %d s"
              .formatted(client.url(), limits.total().toSeconds()));
    }
  }

  private String selector(Machine machine) {
    return "{%s,target=%s,host=%s,instance=%s,job=%s}"
        .formatted(
            NodeSamples.MATCHERS,
            quoted(target),
            quoted(machine.host()),
            quoted(machine.instance()),
            quoted(machine.exporter().label("job")));
  }

  private static String quoted(String value) {
    String escaped = value.replace("\\", "\\\\").replace("\"", "\\\"");
    return '"' + escaped.replace("\n", "\\n") + '"';
  }

  private void addMissing(Machine machine, HostRates rates, Map<Figure, double[]> values) {
    String host = machine.host();
    if (!machine.others().isEmpty()) {
      missing.add(
          "%s: the store has its figures from %s and from %s; shardload uses the first"
              .formatted(host, machine.instance(), String.join(", ", machine.others())));
    }
    if (values.isEmpty()) {
      missing.add(host + ": no samples for the time of the run");
      return;
    }
    Map.of(Figure.CPU, "processors", Figure.READS, "disks", Figure.RECEIVED_BYTES, "network")
        .forEach(
            (figure, what) -> {
              if (!values.containsKey(figure)) {
                missing.add("%s: the store has no series of its %s".formatted(host, what));
              }
            });
    List<HostRates.Gap> gaps = rates.gaps();
    gaps.stream()
        .limit(MOST_GAPS_IN_WORDS)
        .map(gap -> "%s: no samples from %.0f s to %.0f s".formatted(host, gap.from(), gap.to()))
        .forEach(missing::add);
    if (gaps.size() > MOST_GAPS_IN_WORDS) {
      int others = gaps.size() - MOST_GAPS_IN_WORDS;
      missing.add("%s: %d more gaps without samples".formatted(host, others));
    }
  }

  /** The hosts that the target names and the store does not know. */
  private void addAbsent(List<Machine> machines) {
    for (JsonElement each : Json.array(bundle.run(), "server_hosts")) {
      String host = Json.text(each.getAsJsonObject(), "host", "");
      // With several exporters behind one address scrape-config gives names with the port.
      String address = "%s:%d".formatted(host, Json.integer(each.getAsJsonObject(), "port", 0));
      if (machines.stream().map(Machine::host).noneMatch(List.of(host, address)::contains)) {
        String role = Json.text(each.getAsJsonObject(), "role", "");
        missing.add(
            "%s (%s): the store has no samples for the time of the run".formatted(host, role));
      }
    }
  }

  /**
   * A machine that the store scrapes.
   *
   * @param exporter its series of {@code node_uname_info} with the most samples
   * @param others addresses of other exporters that report the same machine
   */
  private record Machine(Series exporter, List<String> others) {

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

  /**
   * When a run was: from the start of the first generator to the end of the last.
   *
   * @param start seconds since 1970
   * @param seconds how long it took
   */
  private record RunWindow(double start, double seconds) {
    private static final double MILLIS = 1e3;
    private static final double NANOS = 1e9;

    /** Empty if no generator left a ledger. */
    static Optional<RunWindow> of(Bundle bundle) {
      double start = Double.POSITIVE_INFINITY;
      double end = Double.NEGATIVE_INFINITY;
      for (GeneratorLog log : bundle.generators()) {
        double began = startOf(log);
        if (began > 0) {
          start = Math.min(start, began);
          end = Math.max(end, began + log.endNanos() / NANOS);
        }
      }
      return end > start ? Optional.of(new RunWindow(start, end - start)) : Optional.empty();
    }

    /** A generator that was killed has no final line; its last one has the time in both clocks. */
    private static double startOf(GeneratorLog log) {
      return log.end() != null
          ? log.end().startEpochMillis() / MILLIS
          : log.extent().lastEpochMillis() / MILLIS - log.extent().lastToNanos() / NANOS;
    }

    double end() {
      return start + seconds;
    }
  }
}
