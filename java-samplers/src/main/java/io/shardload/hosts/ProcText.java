package io.shardload.hosts;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads a text of words and numbers, line by line. A generator does so once a second in code that
 * is hardly ever compiled, so it is kept to plain loops over one buffer. Not thread-safe.
 */
final class ProcText {
  private byte[] bytes = new byte[1 << 14];
  private int size;
  private int at;
  private int lineEnd;

  /**
   * Reads a file; its first line is not begun. Its size is not queried, because files in {@code
   * /proc} have none.
   */
  void read(Path file) throws IOException {
    size = 0;
    try (InputStream in = new FileInputStream(file.toFile())) {
      for (int more = 0; more >= 0; more = in.read(bytes, size, bytes.length - size)) {
        size += more;
        if (size == bytes.length) {
          bytes = Arrays.copyOf(bytes, 2 * size);
        }
      }
    }
    lineEnd = -1;
  }

  /** Goes to the next line; false if there is none. */
  boolean nextLine() {
    at = lineEnd + 1;
    lineEnd = at;
    while (lineEnd < size && bytes[lineEnd] != '\n') {
      lineEnd++;
    }
    return at < size;
  }

  /** The next word of the line; empty at its end. */
  String word() {
    return until((byte) ' ');
  }

  /** The text before a mark, or before the next space if there is one; skips both. */
  String until(byte mark) {
    skipSpaces();
    int from = at;
    while (at < lineEnd && bytes[at] != mark && bytes[at] != ' ') {
      at++;
    }
    String word = new String(bytes, from, at - from, StandardCharsets.ISO_8859_1);
    at++;
    return word;
  }

  /** Whether the line has anything more. */
  boolean hasMore() {
    skipSpaces();
    return at < lineEnd;
  }

  /**
   * The next number of the line.
   *
   * @throws NumberFormatException there is none
   */
  double number() {
    skipSpaces();
    int from = at;
    double value = 0;
    while (at < lineEnd && bytes[at] >= '0' && bytes[at] <= '9') {
      value = 10 * value + (bytes[at++] - '0');
    }
    if (at == from || (at < lineEnd && bytes[at] != ' ')) {
      throw new NumberFormatException();
    }
    return value;
  }

  private void skipSpaces() {
    while (at < lineEnd && bytes[at] == ' ') {
      at++;
    }
  }
}
