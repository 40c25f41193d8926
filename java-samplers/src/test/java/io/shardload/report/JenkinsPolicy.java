package io.shardload.report;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.shardload.exposition.LoopbackServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Serves a folder as Jenkins serves archived files: under the policy that it has by default. */
public final class JenkinsPolicy implements AutoCloseable {
  /** {@code hudson.model.DirectoryBrowserSupport}, its default value. */
  private static final String POLICY =
      "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';";

  private final HttpServer server;
  private final Path folder;
  private final List<String> served = new CopyOnWriteArrayList<>();

  public JenkinsPolicy(Path folder) throws IOException {
    this.folder = folder;
    server = LoopbackServer.bind();
    server.createContext("/", this::serve);
    server.start();
  }

  public URI page(String name) {
    InetSocketAddress address = server.getAddress();
    return URI.create("http://127.0.0.1:%d/%s".formatted(address.getPort(), name));
  }

  /** The files that were asked for and are there, in this order. */
  public List<String> served() {
    return List.copyOf(served);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String name = exchange.getRequestURI().getPath().substring(1);
      Path file = folder.resolve(name);
      if (!Files.isRegularFile(file)) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      served.add(name);
      byte[] content = Files.readAllBytes(file);
      exchange
          .getResponseHeaders()
          .set("Content-Type", name.endsWith(".css") ? "text/css" : "text/html;charset=utf-8");
      for (String header : List.of("Content-Security-Policy", "X-WebKit-CSP")) {
        exchange.getResponseHeaders().set(header, POLICY);
      }
      exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
      exchange.sendResponseHeaders(200, content.length);
      exchange.getResponseBody().write(content);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
