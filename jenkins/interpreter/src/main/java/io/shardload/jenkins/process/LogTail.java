package io.shardload.jenkins.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the whole lines that were added to a file. */
public final class LogTail {
  private final Path file;
  private long position;

  public LogTail(Path file) {
    this.file = file;
  }

  /**
   * The lines since the last call.
   *
   * @param last whether the writer has ended: a line without its end counts then, too
   */
  public List<String> lines(boolean last) throws IOException {
    List<String> lines = new ArrayList<>();
    byte[] added = added();
    int start = 0;
    for (int i = 0; i < added.length; i++) {
      if (added[i] == '\n') {
        lines.add(new String(added, start, i - start, StandardCharsets.UTF_8));
        start = i + 1;
      }
    }
    if (last && start < added.length) {
      lines.add(new String(added, start, added.length - start, StandardCharsets.UTF_8));
      start = added.length;
    }
    position += start;
    return lines;
  }

  private byte[] added() throws IOException {
    try (RandomAccessFile reader = new RandomAccessFile(file.toFile(), "r")) {
      byte[] added = new byte[Math.toIntExact(reader.length() - position)];
      reader.seek(position);
      reader.readFully(added);
      return added;
    }
  }
}
