package io.shardload.bundle.histogram;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads what a {@link VarintWriter} wrote. Every method throws a {@link DamagedException} where the
 * bytes end too early or make no sense. Not thread-safe.
 */
public final class VarintReader {
  private static final int LONGEST_SHIFT = 63;

  /** The bytes are not what a {@link VarintWriter} writes. */
  public static final class DamagedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DamagedException(String message) {
      super(message);
    }
  }

  private final byte[] bytes;
  private int position;

  public VarintReader(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A new reader that continues from here. */
  public VarintReader fork() {
    VarintReader fork = new VarintReader(bytes);
    fork.position = position;
    return fork;
  }

  /** Whether everything was read. */
  public boolean atEnd() {
    return position == bytes.length;
  }

  /** A number without a sign. */
  public long number() {
    if (position < bytes.length && bytes[position] >= 0) {
      return bytes[position++];
    }
    return longNumber();
  }

  private long longNumber() {
    long number = 0;
    for (int shift = 0; position < bytes.length && shift <= LONGEST_SHIFT; shift += 7) {
      byte next = bytes[position++];
      number |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return number;
      }
    }
    throw new DamagedException("a number is cut off");
  }

  /** A number from 0 to a limit. */
  public int number(int limit) {
    long number = number();
    if (number < 0 || number > limit) {
      throw new DamagedException(number + " is outside 0 to " + limit);
    }
    return (int) number;
  }

  /** A length and so many bytes. */
  public byte[] bytes() {
    int length = length();
    return Arrays.copyOfRange(bytes, position - length, position);
  }

  public String text() {
    int length = length();
    return new String(bytes, position - length, length, StandardCharsets.UTF_8);
  }

  /** Reads a length and skips so many bytes. */
  private int length() {
    long length = number();
    if (length < 0 || length > bytes.length - position) {
      throw new DamagedException("a part of " + length + " bytes is cut off");
    }
    position += (int) length;
    return (int) length;
  }

  /** A histogram. */
  public SlotCounts counts() {
    SlotCounts counts = new SlotCounts();
    int size = number(Slots.LENGTH);
    int slot = -1;
    for (int i = 0; i < size; i++) {
      long first = number();
      slot = next(slot, first);
      counts.add(slot, count(first));
    }
    return counts;
  }

  /** A histogram, added to others; returns how many values it holds. */
  long addCountsTo(long[] bySlot) {
    int size = number(Slots.LENGTH);
    int slot = -1;
    long total = 0;
    for (int i = 0; i < size; i++) {
      long first = number();
      slot = next(slot, first);
      long count = count(first);
      bySlot[slot] += count;
      total += count;
    }
    return total;
  }

  /** Passes over a histogram. */
  public void skipCounts() {
    int size = number(Slots.LENGTH);
    for (int i = 0; i < size; i++) {
      if ((number() & 1) != 0) {
        long unused = number();
      }
    }
  }

  private static int next(int slot, long first) {
    long next = slot + 1 + (first >>> 1);
    if (next >= Slots.LENGTH || first < 0) {
      throw new DamagedException("a histogram has no slot " + next);
    }
    return (int) next;
  }

  private long count(long first) {
    long count = (first & 1) == 0 ? 1 : 2 + number();
    if (count < 1) {
      throw new DamagedException("a slot holds " + count + " values");
    }
    return count;
  }
}
