package io.shardload.driver.postgresql;

import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases.Database;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Forwards connections to a server and counts the clients' messages by type. */
public final class CountingProxy implements AutoCloseable {
  public final Map<Character, Integer> counts = new ConcurrentHashMap<>();
  private final ServerSocket listener;
  private final int serverPort;

  public CountingProxy(int serverPort) throws IOException {
    this.serverPort = serverPort;
    this.listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    daemon(
        () -> {
          while (true) {
            forward(listener.accept());
          }
        });
  }

  /** The database through this proxy; {@code ssl} has to be disabled, or nothing can be read. */
  public TargetConfig config(Database database, String options, String schema) {
    TargetConfig direct = database.config(options, schema);
    return new TargetConfig(
        direct.name(),
        direct.driver(),
        "",
        "postgresql://127.0.0.1:" + listener.getLocalPort() + "/" + database.name(),
        direct.user(),
        "",
        direct.options(),
        direct.schema());
  }

  private void forward(Socket client) throws IOException {
    Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    daemon(() -> forwardMessages(client, server));
    daemon(() -> server.getInputStream().transferTo(client.getOutputStream()));
  }

  private void forwardMessages(Socket client, Socket server) throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
    OutputStream out = server.getOutputStream();
    // The start-up message has no type.
    forwardBody(in, out, -1);
    while (true) {
      int type = in.read();
      if (type < 0) {
        server.close();
        return;
      }
      counts.merge((char) type, 1, Integer::sum);
      forwardBody(in, out, type);
    }
  }

  private static void forwardBody(DataInputStream in, OutputStream out, int type)
      throws IOException {
    int length = in.readInt();
    byte[] message = new byte[length + (type < 0 ? 0 : 1)];
    int at = 0;
    if (type >= 0) {
      message[at++] = (byte) type;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
      message[at++] = (byte) (length >>> shift);
    }
    in.readFully(message, at, length - Integer.BYTES);
    out.write(message);
    out.flush();
  }

  private interface Job {
    void run() throws IOException;
  }

  private static void daemon(Job job) {
    Thread thread =
        new Thread(
            () -> {
              try {
                job.run();
              } catch (IOException e) {
                // A closed socket ends the thread.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
