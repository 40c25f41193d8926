package io.shardload.bundle.histogram;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.Deflater;

/**
 * Writes the lines of a histogram log as the library does, but from slots and counts, with one
 * deflater and one buffer for all of them. Counts repeat too little for a search of repetitions to
 * pay: with Huffman codes alone payloads are smaller than the library's and cost a third. {@link
 * HistogramDecoder} describes the payload. Not thread-safe.
 */
public final class HistogramEncoder implements Closeable {
  private static final int WORD_SIZE = 0x10;

  private final Deflater deflater = new Deflater();
  private byte[] plain = new byte[1 << 13];
  private int position;
  private byte[] whole = new byte[1 << 13];

  public HistogramEncoder() {
    deflater.setStrategy(Deflater.HUFFMAN_ONLY);
  }

  /** One line with its newline; times are nanoseconds since the start of the run. */
  public String line(String tag, long fromNanos, long toNanos, SlotCounts counts) {
    int size = counts.size();
    long maxNanos = size == 0 ? 0 : Slots.highest(counts.slot(size - 1));
    // Seconds, seconds and milliseconds, each with three decimals.
    return "Tag="
        + tag
        + decimal(Math.round(fromNanos / 1e6))
        + decimal(Math.round((toNanos - fromNanos) / 1e6))
        + decimal(Math.round(maxNanos / 1e3))
        + ","
        + payload(counts)
        + "\n";
  }

  /** A column; {@link String#format} would cost as much as deflating. */
  private static String decimal(long thousandths) {
    String digits = Long.toString(1000 + thousandths % 1000);
    return "," + thousandths / 1000 + "." + digits.substring(1);
  }

  /** The library's compressed form V2 in base64. */
  String payload(SlotCounts counts) {
    writePlain(counts);
    deflater.reset();
    deflater.setInput(plain, 0, position);
    deflater.finish();
    int length = HistogramDecoder.COMPRESSED_HEADER_BYTES;
    while (!deflater.finished()) {
      if (length == whole.length) {
        whole = Arrays.copyOf(whole, 2 * length);
      }
      length += deflater.deflate(whole, length, whole.length - length);
    }
    ByteBuffer.wrap(whole)
        .putInt(HistogramDecoder.COMPRESSED_COOKIE | WORD_SIZE)
        .putInt(length - HistogramDecoder.COMPRESSED_HEADER_BYTES);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(whole, length));
  }

  private void writePlain(SlotCounts counts) {
    // A count, and the empty slots before it.
    int most =
        HistogramDecoder.HEADER_BYTES
            + (2 * counts.size() + 1) * HistogramDecoder.MOST_BYTES_PER_COUNT;
    if (plain.length < most) {
      plain = new byte[2 * most];
    }
    position = HistogramDecoder.HEADER_BYTES;
    int next = 0;
    for (int i = 0; i < counts.size(); i++) {
      int empty = counts.slot(i) - next;
      if (empty > 0) {
        putNumber(empty == 1 ? 0 : -empty);
      }
      putNumber(counts.count(i));
      next = counts.slot(i) + 1;
    }
    if (counts.size() == 0) {
      putNumber(0);
    }
    ByteBuffer.wrap(plain)
        .putInt(HistogramDecoder.COOKIE | WORD_SIZE)
        .putInt(position - HistogramDecoder.HEADER_BYTES)
        .putInt(0)
        .putInt(Slots.DIGITS)
        .putLong(Slots.LOWEST_NANOS)
        .putLong(Slots.HIGHEST_NANOS)
        .putDouble(1);
  }

  private void putNumber(long number) {
    long bits = (number << 1) ^ (number >> 63);
    for (int i = 1; i < HistogramDecoder.MOST_BYTES_PER_COUNT && bits >>> 7 != 0; i++) {
      plain[position++] = (byte) (bits | 0x80);
      bits >>>= 7;
    }
    plain[position++] = (byte) bits;
  }

  @Override
  public void close() {
    deflater.end();
  }
}
