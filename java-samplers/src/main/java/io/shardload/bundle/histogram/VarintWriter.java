package io.shardload.bundle.histogram;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes numbers in as few bytes as they need: seven bits a byte, the lowest first, the highest bit
 * of a byte set if another one follows. Histograms are their used slots: their number, then for
 * each twice the number of empty slots before it, plus one if it holds more than one value; in this
 * case, how many values more than two follow. Not thread-safe.
 */
public final class VarintWriter {
  private static final int LONGEST = 10;

  private byte[] bytes;
  private int size;

  public VarintWriter(int expectedBytes) {
    this.bytes = new byte[Math.max(LONGEST, expectedBytes)];
  }

  private void room(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * bytes.length));
    }
  }

  /** A number without a sign. */
  public void number(long number) {
    room(LONGEST);
    long rest = number;
    while ((rest & ~0x7fL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  /** A length and so many bytes. */
  public void bytes(byte[] more) {
    number(more.length);
    room(more.length);
    System.arraycopy(more, 0, bytes, size, more.length);
    size += more.length;
  }

  public void text(String text) {
    bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A histogram. */
  public void counts(SlotCounts counts) {
    number(counts.size());
    int next = 0;
    for (int i = 0; i < counts.size(); i++) {
      long empty = counts.slot(i) - (long) next;
      long count = counts.count(i);
      number(2 * empty + (count > 1 ? 1 : 0));
      if (count > 1) {
        number(count - 2);
      }
      next = counts.slot(i) + 1;
    }
  }

  /** What was written so far. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }
}
