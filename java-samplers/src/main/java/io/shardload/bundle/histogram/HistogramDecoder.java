package io.shardload.bundle.histogram;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decodes the payloads of a histogram log into slots and counts. Buffers are reused, so a payload
 * costs only its own bytes, not the 170 KB of a histogram of the library. Not thread-safe.
 *
 * <p>A payload is the library's compressed form V2 in base64. Compressed: a cookie, the number of
 * bytes that follow, and these bytes, deflated. Inflated: a cookie, the number of bytes of the
 * counts, a shift of the slots, the digits, the lowest and the highest value, a ratio; then the
 * counts from slot 0 on as ZigZag LEB128 numbers of at most nine bytes, where a negative number
 * stands for so many empty slots. Everything else is damaged: shardload writes no other form, and
 * no other resolution than that of {@link Slots}.
 */
public final class HistogramDecoder implements Closeable {
  static final int COMPRESSED_COOKIE = 0x1c849304;
  static final int COOKIE = 0x1c849303;
  // The size of the library's words, which the counts of form V2 do not depend on.
  private static final int WORD_SIZE_BITS = 0xf0;
  static final int COMPRESSED_HEADER_BYTES = 8;
  static final int HEADER_BYTES = 40;
  static final int MOST_BYTES_PER_COUNT = 9;
  private static final int MOST_BYTES = HEADER_BYTES + MOST_BYTES_PER_COUNT * Slots.LENGTH;

  private final Inflater inflater = new Inflater();
  private final SlotCounts counts = new SlotCounts();
  private byte[] inflated = new byte[1 << 13];

  /** Where the next number begins, and whether one went beyond the end. */
  private int position;

  private boolean overrun;

  /**
   * Decodes a payload.
   *
   * @return the counts, until the next call; null if the payload is damaged
   */
  public SlotCounts decode(String payload) {
    try {
      byte[] bytes = Base64.getDecoder().decode(payload);
      ByteBuffer header = ByteBuffer.wrap(bytes);
      if (!isCookie(header.getInt(), COMPRESSED_COOKIE)) {
        return null;
      }
      int length = inflate(bytes, header.getInt());
      return length < 0 ? null : decode(length);
    } catch (DataFormatException | RuntimeException damaged) {
      return null;
    }
  }

  private static boolean isCookie(int cookie, int wanted) {
    return (cookie & ~WORD_SIZE_BITS) == wanted;
  }

  /** Fills the buffer and returns its length; negative if that is more than the counts may take. */
  private int inflate(byte[] bytes, int compressedLength) throws DataFormatException {
    inflater.reset();
    inflater.setInput(bytes, COMPRESSED_HEADER_BYTES, compressedLength);
    int length = 0;
    while (!inflater.finished()) {
      if (length == inflated.length) {
        if (length > MOST_BYTES) {
          return -1;
        }
        inflated = Arrays.copyOf(inflated, 2 * length);
      }
      int more = inflater.inflate(inflated, length, inflated.length - length);
      if (more == 0 && !inflater.finished()) {
        throw new DataFormatException("the compressed bytes are cut off");
      }
      length += more;
    }
    return length;
  }

  private SlotCounts decode(int length) {
    ByteBuffer header = ByteBuffer.wrap(inflated, 0, length);
    int cookie = header.getInt();
    int countsLength = header.getInt();
    int shift = header.getInt();
    int digits = header.getInt();
    long lowest = header.getLong();
    long highest = header.getLong();
    int slots = Slots.lengthFor(highest);
    if (!isCookie(cookie, COOKIE)
        || shift != 0
        || digits != Slots.DIGITS
        || lowest != Slots.LOWEST_NANOS
        || slots > Slots.LENGTH
        || countsLength < 0
        || countsLength > length - HEADER_BYTES) {
      return null;
    }
    return readCounts(HEADER_BYTES + countsLength, slots) ? counts : null;
  }

  /** Returns false if the numbers do not make a histogram of so many slots. */
  private boolean readCounts(int end, int slots) {
    counts.clear();
    position = HEADER_BYTES;
    overrun = false;
    long slot = 0;
    while (position < end) {
      long number = readNumber(end);
      if (overrun || number < -Integer.MAX_VALUE) {
        return false;
      }
      if (number < 0) {
        slot -= number;
      } else if (slot >= slots) {
        return false;
      } else {
        if (number > 0) {
          counts.add((int) slot, number);
        }
        slot++;
      }
    }
    return true;
  }

  private long readNumber(int end) {
    long bits = 0;
    for (int shift = 0; position < end; shift += 7) {
      byte next = inflated[position++];
      if (shift == 7 * (MOST_BYTES_PER_COUNT - 1)) {
        bits |= (long) next << shift;
        return (bits >>> 1) ^ -(bits & 1);
      }
      bits |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return (bits >>> 1) ^ -(bits & 1);
      }
    }
    overrun = true;
    return 0;
  }

  @Override
  public void close() {
    inflater.end();
  }
}
