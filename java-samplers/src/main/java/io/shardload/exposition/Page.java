package io.shardload.exposition;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;

/**
 * Answers scrapes. It compresses for scrapers on other machines; on this one that would only cost
 * processor time.
 */
final class Page implements HttpHandler {
  static final String PATH = "/metrics";
  private static final String TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int FAILED = 500;
  private static final int INITIAL_BYTES = 1 << 16;

  /** What is served. */
  interface Source {
    /** Writes the page in the text format; called by one thread at a time. */
    void render(OutputStream out) throws IOException;
  }

  /** CPU time that threads spend on the metrics themselves. Thread-safe. */
  static final class OwnCpu {
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final LongAdder nanos = new LongAdder();

    /** Call it before a piece of work, and pass the result to {@link #ended} in the same thread. */
    long begun() {
      return threads.getCurrentThreadCpuTime();
    }

    void ended(long begun) {
      nanos.add(threads.getCurrentThreadCpuTime() - begun);
    }

    long nanos() {
      return nanos.sum();
    }
  }

  private final Source metrics;
  private final MetricsEndpoint.Scrapers scrapers;
  private final Consumer<Throwable> failed;
  private final OwnCpu ownCpu;

  /** Used again: a page is as long as the one before. Null while it is in use. */
  private final AtomicReference<ByteArrayOutputStream> spare = new AtomicReference<>();

  /**
   * @param failed receives the reason why a page could not be made; the answer contains it too
   * @param ownCpu receives what the answers cost
   */
  Page(
      Source metrics,
      MetricsEndpoint.Scrapers scrapers,
      Consumer<Throwable> failed,
      OwnCpu ownCpu) {
    this.metrics = metrics;
    this.scrapers = scrapers;
    this.failed = failed;
    this.ownCpu = ownCpu;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        answer(exchange, NOT_FOUND, "the metrics are at /metrics\n");
      } else if (!exchange.getRequestMethod().equals("GET")) {
        answer(exchange, METHOD_NOT_ALLOWED, "only GET is supported\n");
      } else {
        scrape(exchange);
      }
    }
  }

  private void scrape(HttpExchange exchange) throws IOException {
    long begun = scrapers.begun();
    long cpu = ownCpu.begun();
    try {
      serve(exchange);
    } finally {
      ownCpu.ended(cpu);
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
    boolean compressed =
        encodings(exchange).contains("gzip")
            && !exchange.getRemoteAddress().getAddress().isLoopbackAddress();
    ByteArrayOutputStream body = spare.getAndSet(null);
    body = body == null ? new ByteArrayOutputStream(INITIAL_BYTES) : body;
    body.reset();
    try {
      render(body, compressed);
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      failed.accept(e);
      answer(exchange, FAILED, "cannot make the metrics page: " + e + "\n");
      return;
    }
    exchange.getResponseHeaders().set("Content-Type", TEXT_FORMAT);
    if (compressed) {
      exchange.getResponseHeaders().set("Content-Encoding", "gzip");
    }
    exchange.sendResponseHeaders(OK, body.size());
    // In pieces: the server copies what it is given at once into a buffer of that size.
    body.writeTo(new Pieces(exchange.getResponseBody()));
    spare.set(body);
  }

  private synchronized void render(OutputStream body, boolean compressed) throws IOException {
    try (OutputStream out = compressed ? new GZIPOutputStream(body) : body) {
      metrics.render(out);
    }
  }

  private static String encodings(HttpExchange exchange) {
    List<String> values = exchange.getRequestHeaders().get("Accept-Encoding");
    return values == null ? "" : String.join(",", values);
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  /** Hands on large arrays piece by piece. */
  private static final class Pieces extends FilterOutputStream {
    private static final int BYTES = 1 << 15;

    Pieces(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      for (int done = 0; done < length; done += BYTES) {
        out.write(bytes, from + done, Math.min(BYTES, length - done));
      }
    }
  }
}
