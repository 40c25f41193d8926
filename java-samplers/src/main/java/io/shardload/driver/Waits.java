package io.shardload.driver;

import java.time.Duration;
import java.util.function.IntSupplier;

/** What every driver waits for. */
public final class Waits {
  private static final long LOOK_AT_POOL_MILLIS = 2;
  private static final long LOOK_AT_CLIENTS_MILLIS = 50;

  /**
   * A look at the servers.
   *
   * @param <E> why they cannot be asked
   */
  @FunctionalInterface
  public interface Look<E extends Exception> {
    boolean findsAny() throws E;
  }

  private Waits() {}

  /**
   * Waits as long as connections keep coming.
   *
   * @param patience how long to wait for one more
   * @param opened how many there are
   * @return how many have come: all, or fewer if none came for that long. An interrupted thread
   *     gets all at once
   */
  public static int forConnections(int all, Duration patience, IntSupplier opened) {
    int got = -1;
    long deadline = 0;
    for (int now = opened.getAsInt(); now < all; now = opened.getAsInt()) {
      if (now > got) {
        got = now;
        deadline = System.nanoTime() + patience.toNanos();
      } else if (System.nanoTime() > deadline) {
        return got;
      }
      if (!sleep(LOOK_AT_POOL_MILLIS)) {
        return all;
      }
    }
    return all;
  }

  /**
   * Waits until no client is connected. Two looks in a row must find none: one may be between two
   * connections.
   *
   * @return whether it came to that in time, and the thread was not interrupted
   */
  public static <E extends Exception> boolean untilNone(Duration atMost, Look<E> clients) throws E {
    long deadline = System.nanoTime() + atMost.toNanos();
    int quietLooks = 0;
    while (true) {
      quietLooks = clients.findsAny() ? 0 : quietLooks + 1;
      if (quietLooks == 2) {
        return true;
      }
      if (System.nanoTime() > deadline || !sleep(LOOK_AT_CLIENTS_MILLIS)) {
        return false;
      }
    }
  }

  private static boolean sleep(long millis) {
    try {
      Thread.sleep(millis);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
