package io.shardload.driver.mongodb.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes connections on to a server, knows how many there are, and hangs up on those beyond a
 * number.
 */
public final class CountingProxy implements AutoCloseable {
  private final ServerSocket socket;
  private final Address server;
  private final int most;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  public CountingProxy(String url, int most) {
    this.server = Address.parse(url);
    this.most = most;
    try {
      socket = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon(this::accept);
  }

  public String url() {
    return "mongodb://127.0.0.1:" + socket.getLocalPort() + "/" + server.database();
  }

  /** How many are open. */
  public int connections() {
    return open.size();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = socket.accept();
        if (open.size() >= most) {
          client.close();
          continue;
        }
        open.add(client);
        Socket onward =
            new Socket(server.hosts().all().get(0).name(), server.hosts().all().get(0).port());
        daemon(() -> pass(client, onward, client));
        daemon(() -> pass(onward, client, client));
      }
    } catch (IOException e) {
      // Closed: the test is over.
    }
  }

  private void pass(Socket from, Socket to, Socket client) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // One side hung up, so the other does.
    } finally {
      open.remove(client);
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "counting-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      socket.close();
      for (Socket each : open) {
        each.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
