package io.shardload.bundle;

import io.shardload.bundle.histogram.HistogramDecoder;
import io.shardload.bundle.histogram.SlotCounts;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;

/**
 * The interval histograms of one generator, one at a time and in order of time, so that a long run
 * is never held in memory.
 *
 * <p>Lines are {@code Tag=segment/transaction/series,start s,length s,max,payload}. They are read
 * here and not with the library's HistogramLogReader because only the bytes that the ledger
 * confirms may be read (later bytes were torn or have no ledger line), and because that reader
 * guesses the meaning of a start that is relative to the run.
 */
public final class HistogramLines implements Closeable {
  /** A start beyond this many seconds is a date, not a time since the run's start. */
  private static final double EPOCH_FROM_SECONDS = 1e8;

  /**
   * One interval of one series, not yet decoded; its middle is in seconds since the run's start.
   */
  public record Interval(
      String segment, String transaction, String series, double midSeconds, String payload) {}

  private final BufferedReader reader;
  private final HistogramDecoder decoder = new HistogramDecoder();
  private final double startEpochSeconds;
  private final List<String> problems;
  private final String name;
  private Interval next;
  private long position;

  private HistogramLines(GeneratorLog generator, InputStream bytes, List<String> problems) {
    this.reader = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
    this.startEpochSeconds =
        generator.end() == null ? 0 : generator.end().startEpochMillis() / 1000.0;
    this.problems = problems;
    this.name = generator.hlog().getFileName().toString();
  }

  /**
   * Opens the histograms of a generator.
   *
   * @param problems receives what cannot be read, in plain words
   */
  public static HistogramLines open(GeneratorLog generator, List<String> problems)
      throws IOException {
    long confirmedBytes = generator.hlogBytes();
    long presentBytes = Files.exists(generator.hlog()) ? Files.size(generator.hlog()) : 0;
    if (presentBytes < confirmedBytes) {
      problems.add(
          generator.hlog().getFileName()
              + " has "
              + presentBytes
              + " of the "
              + confirmedBytes
              + " bytes written");
    }
    InputStream file =
        presentBytes == 0 ? InputStream.nullInputStream() : Files.newInputStream(generator.hlog());
    HistogramLines lines =
        new HistogramLines(generator, new Limited(file, confirmedBytes), problems);
    lines.advance();
    return lines;
  }

  /** The interval that {@link #advance} leaves behind, or null at the end. */
  public Interval peek() {
    return next;
  }

  /** How many bytes of the file there are up to the end of {@link #peek}. */
  public long position() {
    return position;
  }

  /** Its counts, valid until the next call, or null if the payload is damaged. */
  public SlotCounts decode() {
    return decoder.decode(next.payload());
  }

  public void advance() throws IOException {
    next = null;
    String line = readLine();
    while (line != null && next == null) {
      if (line.startsWith("Tag=")) {
        next = parse(line);
        if (next == null) {
          problems.add("a line of " + name + " cannot be read");
        }
      }
      if (next == null) {
        line = readLine();
      }
    }
  }

  private String readLine() throws IOException {
    String line = reader.readLine();
    position += line == null ? 0 : line.getBytes(StandardCharsets.UTF_8).length + 1;
    return line;
  }

  private Interval parse(String line) {
    String[] columns = line.split(",", -1);
    String tag = columns[0].substring("Tag=".length());
    int first = tag.indexOf('/');
    int last = tag.lastIndexOf('/');
    if (columns.length != 5 || first < 0 || last <= first) {
      return null;
    }
    try {
      double start = Double.parseDouble(columns[1]);
      return new Interval(
          tag.substring(0, first),
          tag.substring(first + 1, last),
          tag.substring(last + 1),
          (start > EPOCH_FROM_SECONDS ? start - startEpochSeconds : start)
              + Double.parseDouble(columns[2]) / 2,
          columns[4]);
    } catch (NumberFormatException torn) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    decoder.close();
    reader.close();
  }

  /** The first bytes of a stream. */
  private static final class Limited extends InputStream {
    private final InputStream from;
    private long left;

    Limited(InputStream from, long limit) {
      this.from = from;
      this.left = limit;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (left <= 0) {
        return -1;
      }
      int n = from.read(into, offset, (int) Math.min(length, left));
      left -= Math.max(0, n);
      return n;
    }

    @Override
    public void close() throws IOException {
      from.close();
    }
  }
}
