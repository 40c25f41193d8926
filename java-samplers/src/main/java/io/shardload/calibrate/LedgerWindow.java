package io.shardload.calibrate;

import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.GeneratorLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToLongFunction;

/** Reads a round of the harness from the ledger lines of its bundle. */
public final class LedgerWindow {
  private LedgerWindow() {}

  /**
   * The window between the first ledger line and the last one that was written in mid-run. On a
   * busy machine the recorder may come late, so it is measured and not assumed how long that was.
   *
   * @param windowSeconds how long it ought to be
   * @throws IOException if the ledger has no end, is open, or covers less than half of the window
   */
  public static Measured read(Path bundle, int windowSeconds) throws IOException {
    GeneratorLog ledger = BundleReader.generator(bundle, 0);
    if (ledger.end() == null) {
      throw new IOException("the ledger has no final line");
    }
    if (!ledger.problems().isEmpty()) {
      throw new IOException(String.join("; ", ledger.problems()));
    }
    List<GeneratorLog.Line> lines = ledger.lines();
    // The last one was written after the end.
    int end = lines.size() - 2;
    long all = 0;
    long done = 0;
    long started = 0;
    for (int i = 0; i < lines.size(); i++) {
      long answered = sum(lines.get(i), Counts::answered);
      all += answered;
      done += i >= 1 && i <= end ? answered : 0;
      started += sum(lines.get(i), counts -> counts.get(Counts.Field.STARTED));
    }
    if (started != all) {
      throw new IOException(started + " were begun, but only " + all + " ended well");
    }
    long nanos = end < 1 ? 0 : lines.get(end).toNanos() - lines.get(0).toNanos();
    if (nanos < windowSeconds * 500_000_000L) {
      throw new IOException("the recorder came too late: is the machine overloaded?");
    }
    long cpuNanos = lines.get(end).cpuNanos() - lines.get(0).cpuNanos();
    return new Measured(done, nanos, cpuNanos, all);
  }

  private static long sum(GeneratorLog.Line line, ToLongFunction<Counts> count) {
    return line.segments().values().stream()
        .flatMap(transactions -> transactions.values().stream())
        .mapToLong(count)
        .sum();
  }
}
