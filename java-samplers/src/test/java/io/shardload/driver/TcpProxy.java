package io.shardload.driver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Passes connections on to a server of this machine, and may change what it passes. */
public class TcpProxy implements AutoCloseable {
  private static final Way UNCHANGED = bytes -> bytes;

  private final int serverPort;
  private final int most;
  private final Supplier<Ways> ways;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final int port;
  private volatile ServerSocket listener;

  /** One direction of a connection. */
  public interface Way {
    /** Returns what to pass on of a piece that arrived; null ends the connection. */
    byte[] pass(byte[] piece) throws Exception;
  }

  /** What happens to a client's questions, and to the server's answers. */
  public record Ways(Way questions, Way answers) {
    public static Ways answers(Way answers) {
      return new Ways(UNCHANGED, answers);
    }
  }

  public TcpProxy(int serverPort) throws IOException {
    this(serverPort, Integer.MAX_VALUE);
  }

  /** Hangs up on connections beyond a number. */
  public TcpProxy(int serverPort, int most) throws IOException {
    this(serverPort, most, () -> Ways.answers(UNCHANGED));
  }

  /**
   * @param ways of each connection
   */
  public TcpProxy(int serverPort, Supplier<Ways> ways) throws IOException {
    this(serverPort, Integer.MAX_VALUE, ways);
  }

  private TcpProxy(int serverPort, int most, Supplier<Ways> ways) throws IOException {
    this.serverPort = serverPort;
    this.most = most;
    this.ways = ways;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.port = listener.getLocalPort();
    daemon(this::accept);
  }

  public int port() {
    return port;
  }

  /** Listens again. */
  public void open() throws IOException {
    listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  /** Refuses new connections; those that exist go on. */
  public void refuse() throws IOException {
    listener.close();
  }

  /** Refuses new connections and ends those that exist. */
  public void cut() throws IOException {
    refuse();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** How many connections there are. */
  public int passing() {
    return (int) sockets.stream().filter(socket -> !socket.isClosed()).count() / 2;
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listener.accept();
      if (passing() >= most) {
        client.close();
        continue;
      }
      Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
      sockets.addAll(List.of(client, server));
      Ways own = ways.get();
      daemon(() -> pass(client, server, own.questions()));
      daemon(() -> pass(server, client, own.answers()));
    }
  }

  private static void pass(Socket from, Socket to, Way way) throws Exception {
    try (from;
        to) {
      to.setTcpNoDelay(true);
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] bytes = new byte[1 << 16];
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        byte[] passed = way.pass(Arrays.copyOf(bytes, n));
        if (passed == null) {
          return;
        }
        out.write(passed);
      }
    }
  }

  private interface Job {
    void run() throws Exception;
  }

  private static void daemon(Job job) {
    Thread thread =
        new Thread(
            () -> {
              try {
                job.run();
              } catch (Exception e) {
                // A closed socket ends the thread.
              }
            },
            "tcp-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    cut();
  }
}
