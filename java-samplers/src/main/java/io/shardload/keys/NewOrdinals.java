package io.shardload.keys;

import io.shardload.keys.ranges.Ranges;
import java.util.Arrays;

/**
 * New ordinals in the order of their claims. Thread-safe; the lock is held for a few instructions, as {@link
 * Ranges#next} of a generator does not wait.
 */
final class NewOrdinals {
  private final Ranges ranges;
  private final int size;
  private volatile long[] starts = new long[0];
  private volatile long claimed;

  NewOrdinals(Ranges ranges) {
    this.ranges = ranges;
    this.size = ranges.size();
  }

  /**
   * Claims an ordinal and returns its place in the sequence of new ordinals.
   *
   * @throws RuntimeException there is none at hand
   */
  synchronized long claim() {
    long sequence = claimed;
    if (sequence == (long) starts.length * size) {
      addRange(ranges.next());
    }
    claimed = sequence + 1;
    return sequence;
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

  long ordinalAt(long sequence) {
    return starts[(int) (sequence / size)] + sequence % size;
  }

  /** -1 if the ordinal lies in no range of this generator. */
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
