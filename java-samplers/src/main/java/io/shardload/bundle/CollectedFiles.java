package io.shardload.bundle;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The files of one generator in the controller's bundle: its ledger lines, its histograms by
 * segment, which come at the end, and a copy of its journal. A bundle has one ledger line per
 * interval of the merged stream. Not thread-safe.
 */
public final class CollectedFiles implements Closeable {
  private final int secondsPerLine;
  private final int mostLines;
  private final OutputStream lines;
  private final PieceFile histograms;
  private final PieceFile journal;
  private final LedgerSum sum = new LedgerSum();
  private long nextSequence;
  private int seconds;
  private int written;

  /**
   * Creates the ledger and an empty file of histograms; they must not exist.
   *
   * @param secondsPerLine how many lines of the generator become one
   * @param mostLines how many lines the ledger may hold in addition to the final one
   */
  public CollectedFiles(Path bundle, int generator, int secondsPerLine, int mostLines)
      throws IOException {
    BundleLayout layout = new BundleLayout(bundle);
    Path ledger = layout.ledger(BundleLayout.stream(generator));
    this.secondsPerLine = secondsPerLine;
    this.mostLines = mostLines;
    this.histograms = new PieceFile(layout.histograms(BundleLayout.stream(generator)));
    this.journal = new PieceFile(layout.journal(generator));
    Files.createDirectories(ledger.getParent());
    this.lines =
        new BufferedOutputStream(
            Files.newOutputStream(ledger, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    histograms.open();
  }

  /**
   * Whether a line is new. Lines come in the order of their {@code seq}, some more than once.
   *
   * @throws GapException lines are missing before it
   */
  public boolean isNew(JsonObject line) {
    long sequence = Json.integer(line, "seq", -1);
    if (sequence > nextSequence) {
      throw new GapException("ledger lines %d to %d are missing".formatted(nextSequence, sequence));
    }
    return sequence == nextSequence;
  }

  /** Writes the line of an interval, alone or as part of the sum of several. */
  public void line(JsonObject line) throws IOException {
    nextSequence++;
    seconds++;
    sum.add(line);
    if (seconds % secondsPerLine == 0 && written < mostLines - 1) {
      writeSum();
    }
  }

  private void writeSum() throws IOException {
    JsonObject line = sum.take();
    if (line != null) {
      write(line, 0);
      written++;
    }
  }

  private void write(JsonObject line, long histogramBytes) throws IOException {
    line.addProperty("hlog_bytes", histogramBytes);
    lines.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    lines.flush();
  }

  /** Adds a piece of the histograms by segment. */
  public void histograms(long offset, byte[] bytes) throws IOException {
    histograms.write(offset, bytes);
  }

  /** Adds a piece of the journal. */
  public void journal(long offset, byte[] bytes) throws IOException {
    if (bytes.length > 0) {
      journal.write(offset, bytes);
    }
  }

  /**
   * Writes the final line.
   *
   * @param histogramBytes length of the generator's file of histograms by segment
   * @param journalBytes length of its journal
   * @throws GapException not everything is here; nothing is written
   */
  public void finish(JsonObject last, long histogramBytes, long journalBytes) throws IOException {
    check("histograms", histograms.length(), histogramBytes);
    check("journal", journal.length(), journalBytes);
    writeSum();
    write(last.deepCopy(), histogramBytes);
  }

  private static void check(String what, long here, long there) {
    if (here != there) {
      throw new GapException(
          "the %s have %d bytes, but the generator wrote %d".formatted(what, here, there));
    }
  }

  /** Without a final line it also writes what was not yet written of the ledger. */
  @Override
  public void close() throws IOException {
    try (lines;
        histograms;
        journal) {
      writeSum();
    }
  }

  /**
   * A copy of a file that comes in pieces, in order, some of them more than once. Not thread-safe.
   */
  private static final class PieceFile implements Closeable {
    private final Path path;
    private FileChannel file;
    private long length;

    /** The first bytes create the file; it must not exist. */
    PieceFile(Path path) {
      this.path = path;
    }

    long length() {
      return length;
    }

    /**
     * Appends the new part of a piece.
     *
     * @throws GapException bytes are missing before it
     */
    void write(long offset, byte[] bytes) throws IOException {
      if (offset > length) {
        throw new GapException(
            "%s: bytes %d to %d are missing".formatted(path.getFileName(), length, offset));
      }
      long known = length - offset;
      if (known >= bytes.length) {
        return;
      }
      ByteBuffer rest = ByteBuffer.wrap(bytes).position((int) known);
      open();
      while (rest.hasRemaining()) {
        length += file.write(rest);
      }
    }

    /** Creates the file if nothing has come yet. */
    void open() throws IOException {
      if (file == null) {
        Files.createDirectories(path.getParent());
        file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      }
    }

    @Override
    public void close() throws IOException {
      if (file != null) {
        file.close();
      }
    }
  }

  /** A gap in the data that came from a load host. */
  public static final class GapException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public GapException(String message) {
      super(message);
    }
  }
}
