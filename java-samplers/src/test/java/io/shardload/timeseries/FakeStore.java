package io.shardload.timeseries;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.shardload.exposition.LoopbackServer;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/**
 * A fake of a store: answers what a test tells it to. The replies in its constants are recorded:
 * VictoriaMetrics 1.79 and Prometheus 2.42 gave them.
 */
public final class FakeStore implements AutoCloseable {
  public static final String ONE_IN_PROMETHEUS =
      "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[1795358467.268,\"1\"]}}";
  public static final String ONE_IN_VICTORIA_METRICS =
      "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":"
          + "[{\"metric\":{},\"value\":[1795358467,\"1\"]}]}}";
  static final String BAD_QUERY_IN_PROMETHEUS =
      "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"invalid parameter"
          + " \\\"query\\\": 1:4: parse error: unexpected end of input\"}";
  static final String NO_PATH_IN_VICTORIA_METRICS =
      "remoteAddr: \"127.0.0.1:45224\"; requestURI: /nothing/api/v1/query?query=1;"
          + " unsupported path requested: \"/nothing/api/v1/query\"\n";
  static final String SAMPLES =
      "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{\"__name__\":"
          + "\"node_cpu_seconds_total\",\"host\":\"h1\",\"mode\":\"idle\"},\"values\":"
          + "[[1795358464.525,\"17874.41\"],[1795358465.525,\"+Inf\"],[1795358466.525,\"NaN\"]]}]}}";

  /** What comes back. */
  public interface Handler {
    void handle(HttpExchange exchange) throws IOException;
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, String> asked = new ConcurrentHashMap<>();

  public FakeStore(Handler handler) throws IOException {
    server = LoopbackServer.bind();
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          asked.put("path", exchange.getRequestURI().toString());
          for (String header : new String[] {"Authorization", "Content-Type"}) {
            String value = exchange.getRequestHeaders().getFirst(header);
            asked.put(header, value == null ? "" : value);
          }
          handler.handle(exchange);
          exchange.close();
        });
    server.start();
  }

  /** Always answers the same. */
  public static FakeStore answering(int status, String body, String... headers) throws IOException {
    return new FakeStore(
        exchange -> {
          for (int i = 0; i < headers.length; i += 2) {
            exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
          }
          answer(exchange, status, body);
        });
  }

  /** Reads the body and answers. */
  public static String answer(HttpExchange exchange, int status, String text) throws IOException {
    String[] received = new String[1];
    answer(exchange, status, text, body -> received[0] = body);
    return received[0];
  }

  /** The same; the body is given before the client has its answer, so that a test may look then. */
  static void answer(HttpExchange exchange, int status, String text, Consumer<String> received)
      throws IOException {
    received.accept(body(exchange));
    byte[] bytes = text.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
  }

  private static String body(HttpExchange exchange) throws IOException {
    boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
    InputStream in = exchange.getRequestBody();
    return new String((zipped ? new GZIPInputStream(in) : in).readAllBytes(), UTF_8);
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** The path or a header of the last request. */
  String asked(String what) {
    return asked.get(what);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
