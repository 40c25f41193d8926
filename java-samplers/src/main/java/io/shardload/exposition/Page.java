package io.shardload.exposition;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;

/**
 * Answers scrapes with the text format or OpenMetrics, whichever the scraper accepts. It compresses
 * for scrapers on other machines; on this one that would only cost processor time.
 */
final class Page implements HttpHandler {
  static final String PATH = "/metrics";
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int FAILED = 500;
  private static final int INITIAL_BYTES = 1 << 16;

  private final ExpositionFormats formats = ExpositionFormats.init();
  private final Supplier<MetricSnapshots> metrics;
  private final Scrapers scrapers;
  private final Consumer<Throwable> failed;
  // Reused: a page is as long as the one before.
  private final ByteArrayOutputStream page = new ByteArrayOutputStream(INITIAL_BYTES);

  /**
   * @param failed is told why a page could not be made; the scraper gets the reason as well
   */
  Page(Supplier<MetricSnapshots> metrics, Scrapers scrapers, Consumer<Throwable> failed) {
    this.metrics = metrics;
    this.scrapers = scrapers;
    this.failed = failed;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        answer(exchange, NOT_FOUND, "the metrics are at /metrics\n");
      } else if (!exchange.getRequestMethod().equals("GET")) {
        answer(exchange, METHOD_NOT_ALLOWED, "");
      } else {
        scrape(exchange);
      }
    }
  }

  private void scrape(HttpExchange exchange) throws IOException {
    long begun = scrapers.begun();
    try {
      serve(exchange);
    } finally {
      // Before the answer is sent to its end the endpoint must not be closed.
      exchange.close();
      scrapers.ended(name(exchange), begun);
    }
  }

  private static String name(HttpExchange exchange) {
    return exchange.getRemoteAddress().getAddress().getHostAddress()
        + " "
        + exchange.getRequestHeaders().getFirst("User-Agent");
  }

  private void serve(HttpExchange exchange) throws IOException {
    String accepted = header(exchange, "Accept");
    boolean open = formats.getOpenMetricsTextFormatWriter().accepts(accepted);
    ExpositionFormatWriter writer =
        open ? formats.getOpenMetricsTextFormatWriter() : formats.getPrometheusTextFormatWriter();
    boolean compressed =
        header(exchange, "Accept-Encoding").contains("gzip")
            && !exchange.getRemoteAddress().getAddress().isLoopbackAddress();
    byte[] body;
    try {
      body = render(writer, compressed);
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      failed.accept(e);
      answer(exchange, FAILED, "the page cannot be made: " + e + "\n");
      return;
    }
    exchange.getResponseHeaders().set("Content-Type", writer.getContentType());
    if (compressed) {
      exchange.getResponseHeaders().set("Content-Encoding", "gzip");
    }
    send(exchange, OK, body);
  }

  private synchronized byte[] render(ExpositionFormatWriter writer, boolean compressed)
      throws IOException {
    page.reset();
    try (OutputStream out = compressed ? new GZIPOutputStream(page) : page) {
      writer.write(out, metrics.get());
    }
    return page.toByteArray();
  }

  private static String header(HttpExchange exchange, String name) {
    List<String> values = exchange.getRequestHeaders().get(name);
    return values == null ? "" : String.join(",", values);
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    send(exchange, status, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    if (body.length > 0) {
      exchange.getResponseBody().write(body);
    }
  }
}
