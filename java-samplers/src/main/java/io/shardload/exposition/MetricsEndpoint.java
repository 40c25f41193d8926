package io.shardload.exposition;

import com.sun.net.httpserver.HttpServer;
import io.shardload.Daemons;
import io.shardload.config.ConfigException;
import io.shardload.config.OwnAddresses;
import io.shardload.monitoring.Reading;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Serves {@code /metrics} until it is closed. All its threads are daemons. */
public final class MetricsEndpoint implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(MetricsEndpoint.class.getName());
  private static final int THREADS = 4;

  private final HttpServer server;
  private final ExecutorService executor =
      Executors.newFixedThreadPool(THREADS, Daemons.named("shardload-metrics"));
  private final Scrapers scrapers;

  private MetricsEndpoint(HttpServer server, Scrapers scrapers, Page page) {
    this.server = server;
    this.scrapers = scrapers;
    server.createContext("/", page);
    server.setExecutor(executor);
    // The server's own thread becomes a daemon if its creator is one.
    CompletableFuture<Void> started = new CompletableFuture<>();
    Daemons.start(() -> start(started), "shardload-metrics-start");
    try {
      started.join();
    } catch (CompletionException e) {
      close();
      throw e;
    }
  }

  private void start(CompletableFuture<Void> started) {
    try {
      server.start();
      started.complete(null);
    } catch (RuntimeException | OutOfMemoryError e) {
      started.completeExceptionally(e);
    }
  }

  /**
   * Serves readings, which are asked for at each scrape.
   *
   * @param host a name or address of this machine, 0.0.0.0 for all
   * @param port 0 for any free one
   * @param commonLabels of all readings
   * @param readings called by one thread at a time; those of one name agree in kind and help. If it
   *     fails, the scraper is answered with the reason
   * @throws io.shardload.config.ConfigException it cannot listen there
   */
  public static MetricsEndpoint open(
      String host, int port, Map<String, String> commonLabels, Supplier<List<Reading>> readings) {
    return open(
        host,
        port,
        new ReadingsPage(commonLabels, readings),
        firstOnly(e -> LOG.log(Level.WARNING, "cannot serve the metrics: {0}", e.toString())),
        new Page.OwnCpu(),
        System::nanoTime);
  }

  /**
   * @param failed receives the reason why a page could not be made
   */
  static MetricsEndpoint open(
      String host,
      int port,
      Page.Source metrics,
      Consumer<Throwable> failed,
      Page.OwnCpu ownCpu,
      LongSupplier nanoTime) {
    Scrapers scrapers = new Scrapers(nanoTime);
    Page page = new Page(metrics, scrapers, failed, ownCpu);
    return new MetricsEndpoint(ListenSocket.bind(host, port), scrapers, page);
  }

  /** A scraper comes every second. */
  private static Consumer<Throwable> firstOnly(Consumer<Throwable> action) {
    AtomicBoolean done = new AtomicBoolean();
    return e -> {
      if (!done.getAndSet(true)) {
        action.accept(e);
      }
    };
  }

  /** Where it listens, also if any free port was asked for. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** Where it listens, as a scraper on this machine writes it. */
  public String address() {
    InetSocketAddress address = server.getAddress();
    String host = address.getAddress().getHostAddress().replaceAll("%.*", "");
    if (address.getAddress().isAnyLocalAddress()) {
      host = "127.0.0.1";
    }
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /**
   * Waits until every scraper of the last minute has scraped again after this call; returns at once
   * without scrapers. It never fails.
   */
  public void awaitLastScrape(Duration atMost) {
    try {
      scrapers.awaitOneEach(atMost);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the wait, if any. */
  void stopWaiting() {
    scrapers.stopWaiting();
  }

  /** Stops listening; may be called again. */
  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }

  /**
   * A page of readings, which are asked for at each scrape and may be others each time. A metric
   * whose readings contradict each other is left out and named once in the log; the others are
   * served.
   */
  private static final class ReadingsPage implements Page.Source {
    private static final Logger LOG = Logger.getLogger(ReadingsPage.class.getName());

    private final Map<String, String> common;
    private final Supplier<List<Reading>> readings;
    private final Set<String> refused = new HashSet<>();

    /**
     * @param common labels of every reading; a label of the reading itself goes first
     */
    ReadingsPage(Map<String, String> common, Supplier<List<Reading>> readings) {
      this.common = common;
      this.readings = readings;
    }

    @Override
    public void render(OutputStream out) throws IOException {
      Map<String, List<Reading>> byName = new TreeMap<>();
      for (Reading reading : readings.get()) {
        // What is not a number is not known.
        if (Double.isFinite(reading.value())) {
          byName.computeIfAbsent(reading.name(), name -> new ArrayList<>()).add(reading);
        }
      }
      SeriesPage page = new SeriesPage(common);
      List<Double> values = new ArrayList<>();
      byName.values().forEach(ofName -> add(page, ofName, values));
      page.publish(values.stream().mapToDouble(each -> each).toArray());
      page.render(out);
    }

    /** Adds a metric with its series in the order of their labels. */
    private void add(SeriesPage page, List<Reading> readings, List<Double> values) {
      Reading first = readings.get(0);
      Map<String, Reading> byLabels = new TreeMap<>();
      readings.forEach(reading -> byLabels.put(key(reading), reading));
      if (byLabels.size() < readings.size()
          || readings.stream().anyMatch(r -> r.kind() != first.kind())) {
        if (refused.add(first.name())) {
          LOG.log(Level.WARNING, "metric {0} is left out: its readings contradict", first.name());
        }
        return;
      }
      boolean counts = first.kind() == Reading.Kind.COUNTER;
      SeriesPage.Family family =
          page.family(
              first.name() + (counts ? "_total" : ""), counts ? "counter" : "gauge", first.help());
      for (Reading reading : byLabels.values()) {
        family.series(
            reading.labels().entrySet().stream()
                .flatMap(label -> Stream.of(label.getKey(), label.getValue()))
                .toArray(String[]::new));
        values.add(reading.value());
      }
    }

    private static String key(Reading reading) {
      return new TreeMap<>(reading.labels())
          .entrySet().stream().map(Object::toString).collect(Collectors.joining("\n"));
    }
  }

  /** Binds an HTTP server, or says in one line why it cannot be bound. */
  static final class ListenSocket {
    static final String KEY = "target.metrics.listen";

    private static final Map<String, String> LIMITS =
        Map.of(
            "sun.net.httpserver.maxReqTime", "5",
            "sun.net.httpserver.maxRspTime", "10",
            "jdk.httpserver.maxConnections", "64");

    private ListenSocket() {}

    /**
     * Sets time and connection limits, which the JDK's server lacks by default: a client that sends
     * half a request must not occupy a thread for ever. The limits hold for the whole JVM, from its
     * first server on. A system property that is already set stays.
     */
    private static void limitClients() {
      LIMITS.forEach(
          (name, value) -> {
            if (System.getProperty(name) == null) {
              System.setProperty(name, value);
            }
          });
    }

    static HttpServer bind(String host, int port) {
      limitClients();
      InetAddress address = address(host);
      try {
        return HttpServer.create(new InetSocketAddress(address, port), 0);
      } catch (IOException e) {
        throw new ConfigException(KEY, reason(host, address, port, e));
      }
    }

    private static InetAddress address(String host) {
      try {
        return InetAddress.getByName(host);
      } catch (UnknownHostException e) {
        throw new ConfigException(KEY, "unknown host name %s".formatted(host));
      }
    }

    private static String reason(String host, InetAddress address, int port, IOException cause) {
      if (!binds(address)) {
        return "%s is not an address of this machine; its addresses are %s"
            .formatted(host, OwnAddresses.text());
      }
      if (cause instanceof java.net.BindException
          && String.valueOf(cause.getMessage()).contains("in use")) {
        return "port %d is in use".formatted(port);
      }
      return "cannot listen on port %d: %s".formatted(port, cause.getMessage());
    }

    private static boolean binds(InetAddress address) {
      try (ServerSocket socket = new ServerSocket(0, 1, address)) {
        return socket.isBound();
      } catch (IOException e) {
        return false;
      }
    }
  }

  /**
   * Who scrapes an endpoint, and when each began the last scrape that has ended. A scraper is its
   * address and its user agent. Thread-safe.
   */
  static final class Scrapers {
    /** A scraper that has been silent for longer is not awaited. */
    static final long EXPECTED_NANOS = Duration.ofMinutes(1).toNanos();

    private static final long STEP_MILLIS = 20;

    /** Limit of known scrapers: a client that varies its user agent must not fill the heap. */
    private static final int MOST = 32;

    private static final int LONGEST_NAME = 100;

    private final LongSupplier nanoTime;
    private final Map<String, Long> lastBegunNanos = new HashMap<>();
    private int givenUp;

    Scrapers(LongSupplier nanoTime) {
      this.nanoTime = nanoTime;
    }

    /** When a scrape begins, to be handed to {@link #ended}. */
    long begun() {
      return nanoTime.getAsLong();
    }

    /** A scrape has been answered, or could not be. */
    synchronized void ended(String scraper, long begunNanos) {
      long now = nanoTime.getAsLong();
      lastBegunNanos.values().removeIf(begun -> now - begun > 2 * EXPECTED_NANOS);
      String name = scraper.substring(0, Math.min(LONGEST_NAME, scraper.length()));
      if (lastBegunNanos.size() < MOST || lastBegunNanos.containsKey(name)) {
        lastBegunNanos.merge(name, begunNanos, Math::max);
      }
      notifyAll();
    }

    /** How many scrapers are known. */
    synchronized int known() {
      return lastBegunNanos.size();
    }

    /**
     * Waits until each scraper of the last minute has received an answer to a scrape that began
     * after this call.
     *
     * @return whether all had it in time
     */
    synchronized boolean awaitOneEach(Duration atMost) throws InterruptedException {
      long from = nanoTime.getAsLong();
      int before = givenUp;
      Set<String> expected = new HashSet<>();
      lastBegunNanos.forEach(
          (scraper, begun) -> {
            if (from - begun <= EXPECTED_NANOS) {
              expected.add(scraper);
            }
          });
      while (true) {
        // A scraper that was removed in the meantime has been silent for too long.
        expected.removeIf(scraper -> lastBegunNanos.getOrDefault(scraper, from) - from >= 0);
        if (expected.isEmpty()) {
          return true;
        }
        if (givenUp != before || nanoTime.getAsLong() - from >= atMost.toNanos()) {
          return false;
        }
        wait(STEP_MILLIS);
      }
    }

    /** Ends the wait, if any. */
    synchronized void stopWaiting() {
      givenUp++;
      notifyAll();
    }
  }
}
