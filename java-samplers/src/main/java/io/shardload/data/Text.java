package io.shardload.data;

import java.nio.charset.StandardCharsets;

/**
 * Text-like filler of a given size and compressibility, a pure function of a seed. It mixes words
 * of a small vocabulary (which compress well) with random letters (which hardly do). Immutable and
 * thread-safe.
 */
public final class Text {
  private static final byte[] LETTERS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
          .getBytes(StandardCharsets.ISO_8859_1);
  private static final int VOCABULARY = 64;
  private static final int RANDOM_LETTERS = 9;
  private static final byte[][] WORDS = words();

  private final long randomShare;

  /**
   * @param compressibility target ratio of size over deflated size, 1.3 to 4; the actual ratio
   *     depends on the size of the text and on the compressor, so it is measured for the bundle
   */
  public Text(double compressibility) {
    this.randomShare = (long) (256 * shareFor(compressibility));
  }

  /** Share of tokens that are random, fitted to deflate at level 6 on texts of 2 KiB. */
  private static double shareFor(double compressibility) {
    double deflatedShare = 1 / compressibility;
    return Math.max(0, Math.min(1, (deflatedShare - 0.33) / 0.6));
  }

  /** ASCII text of exactly this many bytes. */
  public String make(long seed, int bytes) {
    byte[] text = new byte[bytes];
    long state = seed;
    int end = 0;
    while (end < bytes) {
      state += Bits.GOLDEN;
      long word = Bits.mix(state);
      end =
          (word & 0xff) < randomShare
              ? random(text, end, word >>> 8)
              : known(text, end, word >>> 8);
      if (end < bytes) {
        text[end++] = ' ';
      }
    }
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  private static int random(byte[] text, int from, long bits) {
    int end = Math.min(text.length, from + RANDOM_LETTERS);
    long rest = bits;
    for (int i = from; i < end; i++) {
      text[i] = LETTERS[(int) rest & 63];
      rest >>>= 6;
    }
    return end;
  }

  private static int known(byte[] text, int from, long bits) {
    byte[] word = WORDS[(int) bits & (VOCABULARY - 1)];
    int length = Math.min(word.length, text.length - from);
    System.arraycopy(word, 0, text, from, length);
    return from + length;
  }

  private static byte[][] words() {
    byte[][] words = new byte[VOCABULARY][];
    for (int i = 0; i < VOCABULARY; i++) {
      long bits = Bits.hash(VOCABULARY, i);
      words[i] = new byte[4 + (int) (bits & 7)];
      for (int j = 0; j < words[i].length; j++) {
        words[i][j] = (byte) ('a' + (int) Bits.bounded(Bits.hash(bits, j), 26));
      }
    }
    return words;
  }
}
