package io.shardload.calibrate;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.histogram.Buckets;
import io.shardload.bundle.histogram.SlotCounts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether arrivals begin when they are due: 500/s, evenly spaced, on the target noop with a service
 * time of 1 ms. A round is a second of the run.
 */
final class Punctuality {
  private static final Goal GOAL = Goal.atLeast(99, "%");
  private static final Buckets WITHIN_MILLISECOND = new Buckets(new long[] {1_000_000});
  private static final int RATE = 500;
  private static final int WORKERS = 8;
  private static final int LEAST_SECONDS = 10;

  private Punctuality() {}

  static Figure measure(TestBed testBed) throws IOException, InterruptedException {
    int seconds = Math.max(LEAST_SECONDS, testBed.rounds());
    JsonObject config = testBed.onNoop("1ms");
    TestBed.open(config, WORKERS, RATE, seconds);
    testBed.progress().step("open model", 0, seconds, "seconds");
    try (Bench bench = Bench.start(testBed)) {
      bench.round("harness", config, seconds);
      testBed.progress().step("open model", seconds, seconds, "seconds");
      return figure(waits(testBed.bundle()));
    } finally {
      testBed.clean();
    }
  }

  private static Figure figure(List<SlotCounts> waits) {
    SlotCounts whole = waits.stream().reduce(new SlotCounts(), SlotCounts::plus);
    // The share of each second; the first and the last second of a segment are shorter and count
    // less.
    double[] shares = waits.stream().mapToDouble(Punctuality::percentWithin).toArray();
    String detail =
        String.format(
            Locale.ROOT,
            "wait of %d arrivals at %d/s: p50 %.3f ms, p99 %.3f ms, max %.3f ms; %.3f %% within"
                + " 1 ms",
            whole.total(),
            RATE,
            whole.percentileNanos(2) / 1e6,
            whole.percentileNanos(100) / 1e6,
            whole.longestNanos() / 1e6,
            percentWithin(whole));
    return Figure.ofValues("open model: arrivals begun within 1 ms of due", GOAL, shares, detail);
  }

  private static double percentWithin(SlotCounts waits) {
    long[] counts = new long[2];
    WITHIN_MILLISECOND.add(waits, counts);
    return 100.0 * counts[0] / waits.total();
  }

  /** The histograms of the wait in the hold segment, one per second. */
  private static List<SlotCounts> waits(Path bundle) throws IOException {
    List<SlotCounts> waits = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    try (HistogramLines lines = HistogramLines.open(BundleReader.generator(bundle, 0), problems)) {
      for (var interval = lines.peek(); interval != null; interval = lines.peek()) {
        if (interval.segment().equals("hold")
            && interval.transaction().equals(TestBed.POINT_READ)
            && interval.series().equals("wait")) {
          SlotCounts wait = lines.decode();
          if (wait == null) {
            throw new IOException("a histogram cannot be read");
          }
          waits.add(wait.copy());
        }
        lines.advance();
      }
    }
    if (!problems.isEmpty()) {
      throw new IOException(String.join("; ", problems));
    }
    return waits;
  }
}
