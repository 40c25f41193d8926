package io.shardload.driver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Passes connections on to a server, and hangs up instead of passing on the server's answer to the
 * first message that contains a word. The server has done then what it was asked for.
 */
public final class SwallowingProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final int serverPort;
  private final String word;
  private final AtomicBoolean swallowed = new AtomicBoolean();

  /**
   * @param word in ASCII, in the message whose answer is swallowed
   */
  public SwallowingProxy(int serverPort, String word) throws IOException {
    this.serverPort = serverPort;
    this.word = word;
    this.listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    daemon(
        () -> {
          while (true) {
            pass(listener.accept());
          }
        });
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Whether the answer was swallowed already. */
  public boolean swallowed() {
    return swallowed.get();
  }

  private void pass(Socket client) throws IOException {
    Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    AtomicBoolean swallow = new AtomicBoolean();
    daemon(() -> questions(client, server, swallow));
    daemon(() -> answers(server, client, swallow));
  }

  private void questions(Socket client, Socket server, AtomicBoolean swallow) throws IOException {
    try (client;
        server) {
      byte[] bytes = new byte[1 << 16];
      InputStream in = client.getInputStream();
      OutputStream out = server.getOutputStream();
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        String text = new String(bytes, 0, n, StandardCharsets.ISO_8859_1);
        if (text.contains(word) && swallowed.compareAndSet(false, true)) {
          swallow.set(true);
        }
        out.write(bytes, 0, n);
      }
    }
  }

  private static void answers(Socket server, Socket client, AtomicBoolean swallow)
      throws IOException {
    try (client;
        server) {
      byte[] bytes = new byte[1 << 16];
      InputStream in = server.getInputStream();
      OutputStream out = client.getOutputStream();
      for (int n = in.read(bytes); n >= 0 && !swallow.get(); n = in.read(bytes)) {
        out.write(bytes, 0, n);
      }
    }
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
            },
            "swallowing-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
