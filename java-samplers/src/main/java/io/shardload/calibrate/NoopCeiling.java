package io.shardload.calibrate;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * The cost of the harness if the database costs nothing: one worker per processor on the target
 * noop, with everything recorded. Compared with JMeter with an empty Java Request and no listener,
 * and with a bare loop that prepares and makes the same calls and records nothing.
 */
final class NoopCeiling {
  private static final Goal RATE = Goal.atLeast(1, "");
  private static final Goal ADDED = Goal.atMost(1, "us");
  private static final int SECONDS = 1;

  private NoopCeiling() {}

  static List<Figure> measure(TestBed testBed) throws IOException, InterruptedException {
    int workers = Runtime.getRuntime().availableProcessors();
    JsonObject config = testBed.onNoop("0s");
    Rounds rounds =
        Rounds.measure(
            testBed, "noop", config, workers, SECONDS, List.of("harness", "jmeter", "bare"));
    String detail =
        String.format(
            Locale.ROOT,
            "samples/s: harness %.0f, JMeter alone %.0f, bare loop %.0f; CPU us per sample: %.3f,"
                + " %.3f, %.3f; %d workers",
            rounds.mean("harness", Measured::perSecond),
            rounds.mean("jmeter", Measured::perSecond),
            rounds.mean("bare", Measured::perSecond),
            rounds.mean("harness", Measured::cpuMicros),
            rounds.mean("jmeter", Measured::cpuMicros),
            rounds.mean("bare", Measured::cpuMicros),
            workers);
    return List.of(
        Figure.ofRatios(
            "noop: samples/s, harness over JMeter without JTL",
            RATE,
            rounds.compare("harness", "jmeter", (h, j) -> h.perSecond() / j.perSecond()),
            detail),
        Figure.ofValues(
            "noop: CPU added per sample to a bare loop",
            ADDED,
            rounds.compare("harness", "bare", (h, b) -> h.cpuMicros() - b.cpuMicros()),
            detail));
  }
}
