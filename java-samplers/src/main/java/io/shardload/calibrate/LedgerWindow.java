package io.shardload.calibrate;

import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.GeneratorLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.ToLongFunction;

/** Reads a round of the harness from the ledger lines of its bundle. */
public final class LedgerWindow {
  private LedgerWindow() {}

  /**
   * The window between the first ledger line and the last line that was written during the run. On
   * a busy machine the recorder may be late, so the length of the window is measured, not assumed.
   *
   * @param windowSeconds its intended length
   * @throws IOException if the ledger has no end, does not close, or covers less than half of the
   *     window
   */
  public static Measured read(Path bundle, int windowSeconds) throws IOException {
    GeneratorLog ledger = BundleReader.generator(bundle, 0);
    if (ledger.end() == null) {
      throw new IOException("the ledger has no final line");
    }
    if (!ledger.problems().isEmpty()) {
      throw new IOException(String.join("; ", ledger.problems()));
    }
    Window window = new Window(ledger.extent().lines());
    ledger.forEachLine(window::add);
    if (window.started != window.all) {
      throw new IOException(
          window.started + " calls were started, but only " + window.all + " succeeded");
    }
    if (window.nanos() < windowSeconds * 500_000_000L) {
      throw new IOException("the recorder started too late: is the machine overloaded?");
    }
    long cpuNanos = window.last.cpuNanos() - window.first.cpuNanos();
    return new Measured(window.done, window.nanos(), cpuNanos, window.all);
  }

  /** Sums over the lines of a ledger. */
  private static final class Window {
    private final long end;
    private long index;
    private GeneratorLog.Line first;
    private GeneratorLog.Line last;
    private long all;
    private long done;
    private long started;

    Window(long lines) {
      // The last line was written after the end.
      this.end = lines - 2;
    }

    void add(GeneratorLog.Line line) {
      long answered = sum(line, Counts::answered);
      all += answered;
      started += sum(line, counts -> counts.get(Counts.Field.STARTED));
      if (index == 0) {
        first = line;
      } else if (index <= end) {
        done += answered;
        last = line;
      }
      index++;
    }

    long nanos() {
      return last == null ? 0 : last.toNanos() - first.toNanos();
    }
  }

  private static long sum(GeneratorLog.Line line, ToLongFunction<Counts> count) {
    return line.segments().values().stream()
        .flatMap(transactions -> transactions.values().stream())
        .mapToLong(count)
        .sum();
  }
}
