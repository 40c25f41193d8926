package io.shardload.calibrate;

import com.google.gson.JsonObject;
import io.shardload.calibrate.Goal.Verdict;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * Whether a generator's heap of 256 MB holds 50 workers and 10 million ordinals: the whole mix on
 * the target noop, at full speed.
 */
final class Memory {
  private static final String WHAT = "memory: 50 workers, 10 million ordinals, 256 MB heap";
  private static final Goal GOAL = Goal.atMost(256, "MB");
  private static final int WORKERS = 50;
  private static final long DOCUMENTS = 10_000_000;
  private static final Span SPAN = new Span(5);

  private Memory() {}

  static List<Figure> measure(TestBed testBed) throws IOException, InterruptedException {
    JsonObject config = testBed.onNoop("0s");
    config.add("mix", testBed.json().get("mix").deepCopy());
    JsonObject workload = config.getAsJsonObject("workload");
    if (!workload.has("data")) {
      workload.add("data", new JsonObject());
    }
    workload.getAsJsonObject("data").addProperty("documents", DOCUMENTS);
    testBed.progress().step("memory", 0, 1, "rounds");
    try (Bench bench = Bench.start(testBed)) {
      testBed.freshBundle(config);
      Measured measured = bench.round("harness", TestBed.closed(config, WORKERS, SPAN), SPAN);
      testBed.progress().step("memory", 1, 1, "rounds");
      String detail =
          String.format(
              Locale.ROOT,
              "ran with a closed ledger: %d transactions of the whole mix, %.0f/s",
              measured.all(),
              measured.perSecond());
      return List.of(new Figure(WHAT, GOAL, new double[0], null, Verdict.MET, detail));
    } catch (IOException e) {
      return List.of(
          new Figure(WHAT, GOAL, new double[0], null, Verdict.MISSED, "it failed: " + e));
    } finally {
      testBed.clean();
    }
  }
}
