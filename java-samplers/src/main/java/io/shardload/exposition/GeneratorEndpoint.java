package io.shardload.exposition;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.metrics.Recording;
import io.shardload.metrics.SecondListener;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What a generator serves, and how a store finds it. Nothing here fails: errors are recorded in the
 * generator's last ledger line, and the run continues without metrics.
 */
public final class GeneratorEndpoint implements SecondListener, AutoCloseable {
  private static final Logger LOG = Logger.getLogger(GeneratorEndpoint.class.getName());

  /** How long a generator waits for the last scrape, at most. */
  public static final Duration LAST_SCRAPE = Duration.ofSeconds(15);

  // The next run waits ten seconds for the engines of load hosts.
  private static final Duration LAST_SCRAPE_ON_HOST = Duration.ofSeconds(5);

  private final Duration lastScrape;
  private final AtomicReference<String> error = new AtomicReference<>("");
  private GeneratorMetrics metrics;
  private MetricsEndpoint endpoint;
  private DiscoveryFile file;

  private GeneratorEndpoint(Duration lastScrape) {
    this.lastScrape = lastScrape;
  }

  /** The endpoint of a generator that serves nothing. */
  public static GeneratorEndpoint off() {
    return new GeneratorEndpoint(Duration.ZERO);
  }

  /**
   * Begins to serve.
   *
   * @param labels of all series: {@code run_id}, {@code generator} and others
   * @param transactions names of the mix, in its order
   * @param shared whether others belong to the run, on machines of their own; then the controller
   *     writes the discovery files
   * @param due arrivals that became due so far, by transaction; null in the closed model. Asked by
   *     the thread that delivers the seconds
   */
  public static GeneratorEndpoint open(
      MetricsConfig config,
      Map<String, String> labels,
      List<String> transactions,
      boolean shared,
      Supplier<long[]> due) {
    GeneratorEndpoint opened = new GeneratorEndpoint(shared ? LAST_SCRAPE_ON_HOST : LAST_SCRAPE);
    try {
      opened.metrics = new GeneratorMetrics(labels, transactions, shared, due);
      // Errors appear now, and the first scrape finds all classes loaded.
      opened.metrics.page().render(OutputStream.nullOutputStream());
      opened.endpoint =
          MetricsEndpoint.open(
              config.listen(),
              config.port(),
              opened.metrics.page(),
              e -> opened.failed("cannot make the metrics page: " + e),
              opened.metrics.ownCpu(),
              System::nanoTime);
      if (!shared && config.discovery().isPresent()) {
        String name =
            "%s-generator-%s.json".formatted(labels.get("run_id"), labels.get("generator"));
        opened.file =
            DiscoveryFile.write(config.discovery().get(), name, opened.endpoint.address());
      }
    } catch (ConfigException e) {
      opened.failed(e.getMessage());
    } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
      opened.failed(e.toString());
    }
    return opened;
  }

  /** The first error counts: those after it are often its consequences. */
  private void failed(String why) {
    if (error.compareAndSet("", why)) {
      LOG.log(Level.WARNING, "metrics: {0}", why);
    }
  }

  /** What went wrong first, or empty. */
  public String error() {
    return error.get();
  }

  @Override
  public void second(JsonObject line, List<Recording.Interval> histograms) {
    if (endpoint == null) {
      return;
    }
    try {
      metrics.second(line, histograms);
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      failed("cannot add a second's figures to the metrics: " + e);
    }
  }

  private void finish() {
    try {
      metrics.finish();
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      failed("cannot add the last second's figures to the metrics: " + e);
    }
  }

  /** Ends the wait in {@link #close}, if any. */
  public void stopWaiting() {
    if (endpoint != null) {
      endpoint.stopWaiting();
    }
  }

  /** Serves nothing any more. */
  @Override
  public void close() {
    close(Duration.ZERO);
  }

  /**
   * Waits until every scraper has read the last values, and then serves nothing any more.
   *
   * @param atMost how long to wait; on load hosts never longer than the next run can wait
   */
  public void close(Duration atMost) {
    if (endpoint != null) {
      finish();
      endpoint.awaitLastScrape(atMost.compareTo(lastScrape) < 0 ? atMost : lastScrape);
    }
    if (file != null) {
      file.close();
    }
    if (endpoint != null) {
      endpoint.close();
    }
  }
}
