package io.shardload.exposition;

import java.util.Arrays;

/** Prints numbers into a fixed space, without creating objects. */
final class Numbers {
  /** Room for whole numbers, for seconds with nine decimals, and for dates in seconds with six. */
  static final int WIDTH = 20;

  private static final int DECIMALS = 9;
  private static final long UNIT = 1_000_000_000;
  private static final int FEWER_DECIMALS = 6;
  private static final long FEWER_UNIT = 1_000_000;
  // Beyond, what is printed would not fit.
  private static final double MOST = 9e18;
  private static final double MOST_WITH_DECIMALS = 9e8;
  private static final double MOST_WITH_FEWER_DECIMALS = 9e9;

  private Numbers() {}

  /** Prints a number so that it ends before {@code to}; blanks fill the room before it. */
  static void print(double value, byte[] into, int from, int to) {
    double size = Math.min(Math.abs(value), MOST);
    long whole = (long) size;
    int at = to;
    if (whole != size && size < MOST_WITH_FEWER_DECIMALS) {
      boolean all = size < MOST_WITH_DECIMALS;
      long unit = all ? UNIT : FEWER_UNIT;
      long parts = Math.round(size * unit);
      whole = parts / unit;
      at = decimals(parts % unit, all ? DECIMALS : FEWER_DECIMALS, into, at);
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

  private static int decimals(long parts, int digits, byte[] into, int to) {
    long rest = parts;
    int count = digits;
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
