package io.shardload.calibrate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Requests a page of metrics every second, whether or not a server is listening. */
final class Scraper implements AutoCloseable {
  private static final long INTERVAL_MILLIS = 1000;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final HttpClient client = HttpClient.newHttpClient();
  private final HttpRequest request;
  private final Thread thread;
  private final AtomicLong pages = new AtomicLong();
  private volatile String last = "";

  private Scraper(int port) {
    request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
            .timeout(PATIENCE)
            .build();
    thread = new Thread(this::run, "scraper");
    thread.setDaemon(true);
  }

  static Scraper start(int port) {
    Scraper scraper = new Scraper(port);
    scraper.thread.start();
    return scraper;
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(INTERVAL_MILLIS);
        scrape();
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private void scrape() throws InterruptedException {
    try {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() == 200) {
        last = answer.body();
        pages.incrementAndGet();
      }
    } catch (IOException e) {
      // Between two rounds no server is listening.
    }
  }

  /** How many pages arrived. */
  long pages() {
    return pages.get();
  }

  /** CPU time for the metrics over all other CPU time, by the last page, in percent. */
  double percentOfCpu() {
    double metrics = value("shardload_generator_metrics_cpu_seconds_total");
    return 100 * metrics / (value("shardload_generator_cpu_seconds_total") - metrics);
  }

  private double value(String metric) {
    return last.lines()
        .filter(line -> line.startsWith(metric + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElse(Double.NaN);
  }

  /** How many series the last page had. */
  long series() {
    return last.lines().filter(line -> !line.startsWith("#")).count();
  }

  /** The length of the last page. */
  long bytes() {
    return last.length();
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
