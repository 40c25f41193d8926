package io.shardload.bundle;

import com.google.gson.JsonObject;
import io.shardload.bundle.histogram.HistogramEncoder;
import io.shardload.bundle.histogram.SlotCounts;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.HdrHistogram.HistogramLogWriter;

/**
 * The two growing files of one stream, as {@code generator-N.hlog} (interval histograms, tagged
 * segment/transaction/series, nanoseconds) and {@code generator-N.jsonl} (one ledger line per
 * interval, which says up to which byte of the other file it belongs). A reader that follows the
 * lines never sees half an interval. Not thread-safe.
 */
public final class BundleFiles implements Closeable {
  private final CountingStream histogramBytes;
  private final PrintStream histogramStream;
  private final HistogramEncoder encoder = new HistogramEncoder();
  private final OutputStream lines;

  /**
   * Creates both files; they must not exist.
   *
   * @param stream {@link BundleLayout#stream} or {@link BundleLayout#MERGED}
   */
  public BundleFiles(Path bundle, String stream, long startEpochMillis) throws IOException {
    this(
        new BundleLayout(bundle).histograms(stream),
        new BundleLayout(bundle).ledger(stream),
        startEpochMillis);
  }

  BundleFiles(Path histograms, Path ledger, long startEpochMillis) throws IOException {
    Files.createDirectories(ledger.getParent());
    histogramBytes = new CountingStream(create(histograms));
    histogramStream = new PrintStream(histogramBytes, false, StandardCharsets.US_ASCII);
    HistogramLogWriter head = new HistogramLogWriter(histogramStream);
    head.outputLogFormatVersion();
    head.outputStartTime(startEpochMillis);
    head.outputLegend();
    lines = create(ledger);
  }

  private static OutputStream create(Path path) throws IOException {
    return new BufferedOutputStream(
        Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        1 << 16);
  }

  /**
   * Writes to {@code generator-N.error} why a generator cannot start or continue. If this file
   * cannot be written either, the generator's log has the reason.
   */
  public static void writeError(Path bundle, int generator, String message) {
    try {
      Path file = new BundleLayout(bundle).error(generator);
      Files.createDirectories(file.getParent());
      WholeFile.write(file, message + "\n");
    } catch (IOException e) {
      System.err.println("cannot write the bundle: " + e);
    }
  }

  /** Times are nanoseconds since the start of the run. */
  public void writeHistogram(String tag, long fromNanos, long toNanos, SlotCounts counts) {
    histogramStream.print(encoder.line(tag, fromNanos, toNanos, counts));
  }

  /**
   * Adds {@code hlog_bytes} and writes the line, after everything before it is on its way to disk.
   */
  public void writeLine(JsonObject line) {
    try {
      histogramStream.flush();
      if (histogramStream.checkError()) {
        throw new IOException("cannot write the histogram log (is the disk full?)");
      }
      line.addProperty("hlog_bytes", histogramBytes.count);
      lines.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      lines.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    encoder.close();
    histogramStream.close();
    lines.close();
  }

  /** Counts the bytes that were written. */
  private static final class CountingStream extends FilterOutputStream {
    private long count;

    CountingStream(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int b) throws IOException {
      out.write(b);
      count++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      count += length;
    }
  }
}
