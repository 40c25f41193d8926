package io.shardload.calibrate;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Whether arrivals begin when they are due: 500/s, evenly spaced, on the target noop with a service
 * time of 1 ms. A round is a second of the run.
 */
final class Punctuality {
  private static final Goal GOAL = Goal.atLeast(99, "%");
  private static final long LIMIT_NANOS = 1_000_000;
  private static final double RATE = 500;
  private static final int WORKERS = 8;
  private static final int LEAST_SECONDS = 10;

  private Punctuality() {}

  static List<Figure> measure(TestBed testBed) throws IOException, InterruptedException {
    int seconds = Math.max(LEAST_SECONDS, testBed.rounds());
    JsonObject config = TestBed.open(testBed.onNoop("1ms"), WORKERS, RATE, seconds);
    testBed.progress().step("open model", 0, seconds, "seconds");
    try (Bench bench = Bench.start(testBed)) {
      Path bundle = testBed.freshBundle(config);
      bench.round("harness", config, new Span(seconds));
      testBed.progress().step("open model", seconds, seconds, "seconds");
      return List.of(figure(waits(bundle)));
    } finally {
      testBed.clean();
    }
  }

  private static Figure figure(List<Histogram> waits) {
    Histogram whole = new Histogram(3);
    waits.forEach(whole::add);
    // The share of each second; the first and the last second of a segment are shorter and count
    // less.
    double[] shares = waits.stream().mapToDouble(w -> share(w)).toArray();
    String detail =
        String.format(
            Locale.ROOT,
            "wait of %d arrivals at %.0f/s: p50 %.3f ms, p99 %.3f ms, max %.3f ms; %.3f %% within"
                + " 1 ms",
            whole.getTotalCount(),
            RATE,
            whole.getValueAtPercentile(50) / 1e6,
            whole.getValueAtPercentile(99) / 1e6,
            whole.getMaxValue() / 1e6,
            share(whole));
    return Figure.ofValues("open model: arrivals begun within 1 ms of due", GOAL, shares, detail);
  }

  private static double share(Histogram waits) {
    return 100.0 * waits.getCountBetweenValues(0, LIMIT_NANOS) / waits.getTotalCount();
  }

  /** The histograms of the wait in the hold segment, one per second. */
  private static List<Histogram> waits(Path bundle) throws IOException {
    List<Histogram> waits = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    GeneratorLog generator = BundleReader.generator(bundle, 0);
    try (HistogramLines lines = HistogramLines.open(generator, problems)) {
      for (var interval = lines.peek(); interval != null; interval = lines.peek()) {
        if (interval.segment().equals("hold")
            && interval.transaction().equals(TestBed.POINT_READ)
            && interval.series().equals("wait")) {
          Histogram wait = interval.decode();
          if (wait == null) {
            throw new IOException("a histogram cannot be read");
          }
          waits.add(wait);
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
