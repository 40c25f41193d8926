package io.shardload.exposition;

import com.sun.net.httpserver.HttpServer;

/** HTTP servers for tests, on any free port of the loopback address. */
public final class LoopbackServer {
  private LoopbackServer() {}

  /**
   * A server that listens and is not started. It is bound as those of the product are: the first
   * HTTP server of a JVM decides the time limits of all, which other tests of this JVM may need.
   */
  public static HttpServer bind() {
    return MetricsEndpoint.ListenSocket.bind("127.0.0.1", 0);
  }
}
