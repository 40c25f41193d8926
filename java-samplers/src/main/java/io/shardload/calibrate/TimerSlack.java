package io.shardload.calibrate;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.HdrHistogram.Histogram;

/**
 * The effect of the timer slack of JMeter's start script on the wait: two generators at the same
 * time, 300/s each on the target noop, one with that slack and one with the system's slack. A round
 * is a second of the run.
 */
final class TimerSlack {
  private static final String WHAT =
      "timer slack: p50 of the wait, with 1 ns over the system's slack";
  private static final Goal GOAL = Goal.atMost(0.5, "");
  private static final Path SLACK = Path.of("/proc/self/timerslack_ns");
  private static final double RATE = 300;
  private static final int WORKERS = 8;

  private TimerSlack() {}

  static List<Figure> measure(TestBed testBed) throws IOException, InterruptedException {
    if (!Files.isWritable(SLACK)) {
      return List.of(
          Figure.invalid(WHAT, GOAL, "this system does not support setting the timer slack"));
    }
    int seconds = Math.max(Punctuality.LEAST_SECONDS, testBed.rounds());
    testBed.progress().step("timer slack", 0, seconds, "seconds");
    FutureTask<List<Histogram>> with =
        new FutureTask<>(() -> waits(testBed, Bench.start(testBed), "with", seconds));
    new Thread(with, "with-slack").start();
    try {
      List<Histogram> without =
          waits(testBed, Bench.startWithSystemSlack(testBed), "without", seconds);
      testBed.progress().step("timer slack", seconds, seconds, "seconds");
      return List.of(figure(with.get(), without));
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } finally {
      testBed.clean("with");
      testBed.clean("without");
    }
  }

  private static List<Histogram> waits(TestBed testBed, Bench bench, String side, int seconds)
      throws IOException, InterruptedException {
    try (bench) {
      JsonObject config = TestBed.open(testBed.onNoop("1ms"), WORKERS, RATE, seconds);
      Path bundle = testBed.freshBundle(config, side);
      bench.round("harness", config, new Span(seconds));
      return Punctuality.waits(bundle);
    }
  }

  /** The first and the last second of a segment may be shorter; they are left out. */
  private static Figure figure(List<Histogram> with, List<Histogram> without) {
    int seconds = Math.min(with.size(), without.size()) - 2;
    double[] ratios = new double[Math.max(0, seconds)];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = p50(with.get(i + 1)) / p50(without.get(i + 1));
    }
    String detail =
        String.format(
            Locale.ROOT,
            "wait at %.0f/s with a slack of 1 ns %s; with the system's slack %s",
            RATE,
            text(with),
            text(without));
    return Figure.ofRatios(WHAT, GOAL, ratios, detail);
  }

  private static double p50(Histogram wait) {
    return Math.max(1, wait.getValueAtPercentile(50));
  }

  private static String text(List<Histogram> waits) {
    Histogram whole = new Histogram(3);
    waits.forEach(whole::add);
    return String.format(
        Locale.ROOT,
        "p50 %.3f ms, p99 %.3f ms",
        whole.getValueAtPercentile(50) / 1e6,
        whole.getValueAtPercentile(99) / 1e6);
  }
}
