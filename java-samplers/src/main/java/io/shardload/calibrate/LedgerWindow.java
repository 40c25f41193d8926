package io.shardload.calibrate;

import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.GeneratorLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    List<GeneratorLog.Line> lines = new ArrayList<>();
    ledger.forEachLine(lines::add);
    long started = sum(lines, counts -> counts.get(Counts.Field.STARTED));
    long all = sum(lines, Counts::answered);
    if (started != all) {
      throw new IOException(started + " calls were started, but only " + all + " succeeded");
    }
    // The last line was written after the end.
    int end = lines.size() - 1;
    long nanos = end < 2 ? 0 : lines.get(end - 1).toNanos() - lines.get(0).toNanos();
    if (nanos < windowSeconds * 500_000_000L) {
      throw new IOException("the recorder started too late: is the machine overloaded?");
    }
    long done = sum(lines.subList(1, end), Counts::answered);
    return new Measured(done, nanos, lines.get(end - 1).cpuNanos() - lines.get(0).cpuNanos(), all);
  }

  private static long sum(List<GeneratorLog.Line> lines, ToLongFunction<Counts> count) {
    return lines.stream()
        .flatMap(line -> line.segments().values().stream())
        .flatMap(transactions -> transactions.values().stream())
        .mapToLong(count)
        .sum();
  }
}
