package io.shardload.remote.generator;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Passes connections on to a Redis, and shifts the clock that its answers to TIME show. */
final class ClockProxy implements AutoCloseable {
  private static final Pattern TIME = Pattern.compile("\\*2\r\n\\$10\r\n(\\d{10})\r\n");

  private final ServerSocket listener;
  volatile long aheadSeconds;

  ClockProxy(int serverPort) throws IOException {
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon(
        () -> {
          while (true) {
            Socket client = listener.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            daemon(() -> pass(client, server, false));
            daemon(() -> pass(server, client, true));
          }
        });
  }

  int port() {
    return listener.getLocalPort();
  }

  private void pass(Socket from, Socket to, boolean answers) throws IOException {
    try (from;
        to) {
      to.setTcpNoDelay(true);
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] bytes = new byte[1 << 16];
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        String text = new String(bytes, 0, n, StandardCharsets.ISO_8859_1);
        out.write((answers ? shifted(text) : text).getBytes(StandardCharsets.ISO_8859_1));
      }
    }
  }

  /** A short answer arrives in one piece; the number of digits does not change. */
  private String shifted(String answer) {
    return TIME.matcher(answer)
        .replaceAll(
            time -> "*2\r\n\\$10\r\n" + (Long.parseLong(time.group(1)) + aheadSeconds) + "\r\n");
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
            "clock-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
