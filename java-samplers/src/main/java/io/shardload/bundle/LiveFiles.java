package io.shardload.bundle;

import com.google.gson.JsonObject;
import io.shardload.bundle.histogram.SlotCounts;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The live stream of a generator whose bundle is coarser than a second: intervals of one second in
 * the format of {@link BundleFiles}, a minute in each pair of files, of which the last three stay.
 * So it does not grow with the run. A file whose successor exists is complete. Not thread-safe.
 */
public final class LiveFiles implements Closeable {
  static final int LINES_PER_FILE = 60;
  static final int FILES_KEPT = 3;

  private final BundleLayout layout;
  private final String stream;
  private final long startEpochMillis;
  private BundleFiles current;
  private long number;
  private int lines;

  /** Creates the first files; they must not exist. */
  public LiveFiles(Path bundle, String stream, long startEpochMillis) throws IOException {
    this.layout = new BundleLayout(bundle);
    this.stream = stream;
    this.startEpochMillis = startEpochMillis;
    this.current = create();
  }

  private BundleFiles create() throws IOException {
    return new BundleFiles(
        layout.liveHistograms(stream, number), layout.liveLedger(stream, number), startEpochMillis);
  }

  /** Times are nanoseconds since the start of the run. */
  public void writeHistogram(String tag, long fromNanos, long toNanos, SlotCounts counts) {
    current.writeHistogram(tag, fromNanos, toNanos, counts);
  }

  /** Writes the line that the histograms before it belong to. */
  public void writeLine(JsonObject line) {
    current.writeLine(line);
    lines++;
    if (lines == LINES_PER_FILE) {
      try {
        turn();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void turn() throws IOException {
    current.close();
    number++;
    lines = 0;
    current = create();
    Files.deleteIfExists(layout.liveLedger(stream, number - FILES_KEPT));
    Files.deleteIfExists(layout.liveHistograms(stream, number - FILES_KEPT));
  }

  @Override
  public void close() throws IOException {
    current.close();
  }
}
