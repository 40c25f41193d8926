package io.shardload.exposition;

import java.util.Arrays;

/** Prints numbers into a fixed space, without creating objects. */
final class Numbers {
  /** Room for every number up to 2^53, and for seconds with nine decimals. */
  static final int WIDTH = 20;

  private static final int DECIMALS = 9;
  private static final long UNIT = 1_000_000_000;
  // Beyond, what is printed would not fit.
  private static final double MOST = 9e15;
  private static final double MOST_WITH_DECIMALS = 9e8;

  private Numbers() {}

  /** Prints a number so that it ends before {@code to}; blanks fill the room before it. */
  static void print(double value, byte[] into, int from, int to) {
    double size = Math.min(Math.abs(value), MOST);
    long whole = (long) size;
    int at = to;
    if (whole != size && size < MOST_WITH_DECIMALS) {
      long nanos = Math.round(size * UNIT);
      whole = nanos / UNIT;
      at = decimals(nanos % UNIT, into, at);
    }
    do {
      into[--at] = (byte) ('0' + whole % 10);
      whole /= 10;
    } while (whole > 0);
    if (value < 0) {
      into[--at] = '-';
    }
    Arrays.fill(into, from, at, (byte) ' ');
  }

  private static int decimals(long nanos, byte[] into, int to) {
    long rest = nanos;
    int count = DECIMALS;
    while (count > 1 && rest % 10 == 0) {
      rest /= 10;
      count--;
    }
    int at = to;
    for (int i = 0; i < count; i++) {
      into[--at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    into[--at] = '.';
    return at;
  }
}
