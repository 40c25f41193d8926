package io.shardload.exposition;

import com.sun.net.httpserver.HttpServer;
import io.shardload.monitoring.Reading;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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

/** Serves {@code /metrics} until it is closed. All its threads are daemons. */
public final class MetricsEndpoint implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(MetricsEndpoint.class.getName());
  private static final int THREADS = 4;

  private final HttpServer server;
  private final ExecutorService executor =
      Executors.newFixedThreadPool(THREADS, task -> daemon(task, "shardload-metrics"));
  private final Scrapers scrapers;

  private MetricsEndpoint(HttpServer server, Scrapers scrapers, Page page) {
    this.server = server;
    this.scrapers = scrapers;
    server.createContext("/", page);
    server.setExecutor(executor);
    // The server's own thread becomes a daemon if its creator is one.
    CompletableFuture<Void> started = new CompletableFuture<>();
    daemon(() -> start(started), "shardload-metrics-start").start();
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

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
