package io.shardload.driver.jdbc.client.pool;

import io.shardload.Daemons;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Brings connections back to a host that was down. Its thread exists only while the hosts' numbers
 * of connections differ by two or more. Once a second it tries to connect to the hosts that lack
 * some. What it gets is exchanged for a connection to the host with the most, which the worker that
 * borrowed it gives up before its call. So no call waits until a connection is opened, and nothing
 * is discarded before its replacement is there. Thread-safe.
 */
final class Rebalance implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Rebalance.class.getName());

  /** Between two attempts, and how long a replacement waits for a worker that takes it. */
  private static final long WAIT_MILLIS = Duration.ofSeconds(1).toMillis();

  private final SpreadSource spread;
  private Thread thread;
  private boolean closed;
  private Connection replacement;

  /** The host of which a connection is to be given up, or -1. */
  private volatile int surplus = -1;

  Rebalance(SpreadSource spread) {
    this.spread = spread;
  }

  /** Starts balancing, if it has not begun: to be called after a connection has been opened. */
  synchronized void look() {
    if (thread == null && !closed && spread.hosts().size() > 1 && uneven(spread.openNow())) {
      thread = Daemons.start(this::run, "shardload-rebalance");
    }
  }

  /** Whether a connection of some host is wanted; costs a read of a volatile field. */
  boolean wanted() {
    return surplus >= 0;
  }

  /**
   * Whether this connection is the one to give up. If so, its replacement is the next connection
   * that the source gives.
   */
  synchronized boolean takes(Connection connection) {
    if (surplus < 0 || spread.hostOf(connection) != surplus) {
      return false;
    }
    surplus = -1;
    spread.handOver(replacement);
    replacement = null;
    notifyAll();
    return true;
  }

  private static boolean uneven(int[] counts) {
    return counts[most(counts)] - counts[fewest(counts)] >= 2;
  }

  private static int most(int[] counts) {
    return IntStream.range(0, counts.length).reduce(0, (a, b) -> counts[b] > counts[a] ? b : a);
  }

  private static int fewest(int[] counts) {
    return IntStream.range(0, counts.length).reduce(0, (a, b) -> counts[b] < counts[a] ? b : a);
  }

  private void run() {
    long begin = System.nanoTime();
    LOG.warning("connections are not balanced: " + shown());
    try {
      while (goesOn()) {
        if (!exchange(spread.openNow())) {
          Thread.sleep(WAIT_MILLIS);
        }
      }
      LOG.info(
          String.format(
              Locale.ROOT,
              "connections are balanced again after %.1f s: %s",
              (System.nanoTime() - begin) / 1e9,
              shown()));
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private synchronized boolean goesOn() {
    boolean uneven = !closed && uneven(spread.openNow());
    thread = uneven ? thread : null;
    return uneven;
  }

  /** Tries the hosts that lack connections, the neediest first; false if all of these are down. */
  private boolean exchange(int[] counts) throws InterruptedException {
    int from = most(counts);
    List<Integer> needy =
        IntStream.range(0, counts.length)
            .filter(i -> counts[from] - counts[i] >= 2)
            .boxed()
            .sorted(Comparator.comparingInt(i -> counts[i]))
            .toList();
    for (int to : needy) {
      Connection opened;
      try {
        opened = spread.openTo(to);
      } catch (SQLException e) {
        continue;
      }
      offer(opened, from);
      return true;
    }
    return false;
  }

  /** Waits until a worker takes it for a connection of a host, and closes it if none does. */
  private synchronized void offer(Connection opened, int from) throws InterruptedException {
    replacement = opened;
    surplus = from;
    try {
      long deadline = System.nanoTime() + WAIT_MILLIS * 1_000_000;
      long left = deadline - System.nanoTime();
      while (!closed && surplus >= 0 && left > 0) {
        wait(left / 1_000_000 + 1);
        left = deadline - System.nanoTime();
      }
    } finally {
      surplus = -1;
      if (replacement != null) {
        close(replacement);
        replacement = null;
      }
    }
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.fine(() -> "cannot close a connection: " + e.getMessage());
    }
  }

  private String shown() {
    int[] counts = spread.openNow();
    List<String> hosts = spread.hosts();
    return IntStream.range(0, counts.length)
        .mapToObj(i -> hosts.get(i) + " " + counts[i])
        .collect(Collectors.joining(", "));
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (thread != null) {
      thread.interrupt();
    }
  }
}
