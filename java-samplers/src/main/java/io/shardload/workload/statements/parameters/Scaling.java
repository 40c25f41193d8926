package io.shardload.workload.statements.parameters;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** How many rows tables get if all are scaled in proportion. */
final class Scaling {
  private Scaling() {}

  /**
   * The rows of each table: together exactly the total; none for a table without rows, and at least
   * one for the others.
   *
   * @param rows of each table, not all 0
   * @param total at least the number of tables with rows
   */
  static List<Long> scaled(List<Long> rows, long total) {
    BigInteger sum =
        rows.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);
    List<Long> scaled = new ArrayList<>();
    List<BigInteger> rests = new ArrayList<>();
    long left = total;
    for (long one : rows) {
      BigInteger[] share =
          BigInteger.valueOf(one).multiply(BigInteger.valueOf(total)).divideAndRemainder(sum);
      long whole = one == 0 ? 0 : Math.max(1, share[0].longValueExact());
      scaled.add(whole);
      rests.add(share[1]);
      left -= whole;
    }
    settleRests(scaled, rests, left);
    return scaled;
  }

  /** The largest remainders get the rest; the largest tables give up the excess. */
  private static void settleRests(List<Long> scaled, List<BigInteger> rests, long left) {
    List<Integer> byRest =
        IntStream.range(0, scaled.size())
            .filter(i -> scaled.get(i) > 0)
            .boxed()
            .sorted(Comparator.comparing((Integer i) -> rests.get(i)).reversed())
            .toList();
    for (int i = 0; i < left; i++) {
      int table = byRest.get(i % byRest.size());
      scaled.set(table, scaled.get(table) + 1);
    }
    for (long i = left; i < 0; i++) {
      int largest = 0;
      for (int table = 1; table < scaled.size(); table++) {
        largest = scaled.get(table) > scaled.get(largest) ? table : largest;
      }
      scaled.set(largest, scaled.get(largest) - 1);
    }
  }
}
