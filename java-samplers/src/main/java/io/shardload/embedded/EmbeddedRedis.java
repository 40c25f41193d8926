package io.shardload.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import redis.embedded.RedisServer;

/** A Redis server on 127.0.0.1 that keeps nothing on disk, for tests. Not thread-safe. */
public final class EmbeddedRedis implements AutoCloseable {
  private final RedisServer server;
  private final int port;

  private EmbeddedRedis(RedisServer server, int port) {
    this.server = server;
    this.port = port;
  }

  /** Starts a server without a password on any free port. */
  public static EmbeddedRedis start() {
    return start(freePort(), null);
  }

  /** Starts a server that asks for a password on any free port. */
  public static EmbeddedRedis start(String password) {
    return start(freePort(), password);
  }

  /** Starts a server on a port, which asks for the password unless that is null. */
  public static EmbeddedRedis start(int port, String password) {
    try {
      RedisServer server =
          RedisServer.newRedisServer()
              .port(port)
              .bind("127.0.0.1")
              .setting("save \"\"")
              .setting("appendonly no")
              .settingIf(password != null, "requirepass " + password)
              .build();
      server.start();
      return new EmbeddedRedis(server, port);
    } catch (IOException e) {
      throw new EmbeddedServerException("the embedded Redis does not start: " + e, e);
    }
  }

  /** Returns the URL as a target file has it. */
  public String url() {
    return "redis://127.0.0.1:" + port;
  }

  /** Returns the port on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Stops the server; its data are gone. */
  public void stop() {
    try {
      server.stop();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    stop();
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new EmbeddedServerException("no free port: " + e, e);
    }
  }
}
