package io.shardload.exposition;

import com.sun.net.httpserver.HttpServer;
import io.shardload.config.ConfigException;
import io.shardload.config.OwnAddresses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.Map;

/** Binds an HTTP server, or says in one line why it cannot be bound. */
final class ListenSocket {
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
