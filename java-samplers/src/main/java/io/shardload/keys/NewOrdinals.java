package io.shardload.keys;

import io.shardload.keys.ranges.Ranges;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/**
 * New ordinals in the order of their claims. An ordinal whose insert certainly had no effect may be
 * claimed again while inserts fail, so that an outage uses up almost no ordinals. Thread-safe; the
 * lock is held for a few instructions, as {@link Ranges#next} of a generator does not wait.
 */
final class NewOrdinals {
  /** Most ordinals that are kept for a further claim. */
  private static final int MOST_RETURNED = 4096;

  private final Ranges ranges;
  private final int size;
  private final Queue<Long> returned = new ArrayDeque<>();
  private volatile long failedInARow;
  private volatile long[] starts = new long[0];
  private volatile long claimed;

  NewOrdinals(Ranges ranges) {
    this.ranges = ranges;
    this.size = ranges.size();
  }

  /**
   * Claims an ordinal and returns its place in the sequence of new ordinals.
   *
   * @throws RuntimeException no ordinal is available
   */
  synchronized long claim() {
    if (isOutage() && !returned.isEmpty()) {
      return returned.remove();
    }
    long sequence = claimed;
    if (sequence == (long) starts.length * size) {
      try {
        addRange(ranges.next());
      } catch (RuntimeException e) {
        if (returned.isEmpty()) {
          throw e;
        }
        return returned.remove();
      }
    }
    claimed = sequence + 1;
    return sequence;
  }

  /**
   * Whether inserts fail one after the other. At the first, second, fourth, eighth... failure the
   * answer is no: if the ordinals cause the failures, new ordinals succeed.
   */
  private boolean isOutage() {
    return Long.bitCount(failedInARow) > 1;
  }

  private void addRange(long first) {
    int count = starts.length;
    if (count > 0 && first < starts[count - 1] + size) {
      throw new IllegalStateException(
          "a range of new ordinals begins at %d, below the end of the one before: %d"
              .formatted(first, starts[count - 1] + size));
    }
    long[] longer = Arrays.copyOf(starts, count + 1);
    longer[count] = first;
    starts = longer;
  }

  /** The insert certainly had no effect, or was never begun. */
  synchronized void giveBack(long sequence) {
    failedInARow++;
    if (returned.size() < MOST_RETURNED) {
      returned.add(sequence);
    }
  }

  /** An insert was acknowledged. */
  void succeeded() {
    if (failedInARow > 0) {
      reset();
    }
  }

  private synchronized void reset() {
    failedInARow = 0;
  }

  long ordinalAt(long sequence) {
    return starts[(int) (sequence / size)] + sequence % size;
  }

  /** -1 if the ordinal is not in a range of this generator. */
  long sequenceOf(long ordinal) {
    long[] now = starts;
    int found = Arrays.binarySearch(now, ordinal);
    int range = found >= 0 ? found : -found - 2;
    if (range < 0 || ordinal - now[range] >= size) {
      return -1;
    }
    long sequence = (long) range * size + (ordinal - now[range]);
    return sequence < claimed ? sequence : -1;
  }
}
