package io.shardload.compare;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.results.RecordedRun;
import io.shardload.statistics.BlockBootstrap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How the mean service time of a side's runs changes from the first half of a run to the second,
 * while its documents become more. It may have other causes than the documents.
 *
 * @param grown documents at the end over those at the start, in the mean of the runs
 * @param effect second half over first half
 */
record Drift(String side, double grown, Effect effect) {
  /** With less, nothing can follow from the documents. */
  private static final double LEAST_GROWN = 1.01;

  /** Empty where the documents do not grow, or the load is not the same in both halves. */
  static Optional<Drift> of(Sides.Side side) {
    List<Effect.Ratio> ratios = new ArrayList<>();
    double grown = 0;
    double[][] seconds = {};
    for (RecordedRun run : side.countedRuns()) {
      double start = Json.number(run.environment(), "rows_at_start", 0);
      seconds = run.serviceSeconds(RecordedRun.ALL);
      if (!run.isSteady() || run.rowsAtEnd().isEmpty() || start <= 0 || seconds.length < 2) {
        return Optional.empty();
      }
      grown += run.rowsAtEnd().getAsLong() / start / side.counted().size();
      ratios.add(
          Effect.Ratio.of(
              Measured.exact(mean(first(seconds))), Measured.exact(mean(second(seconds)))));
    }
    if (grown < LEAST_GROWN) {
      return Optional.empty();
    }
    Effect effect =
        ratios.size() == 1
            ? Effect.ofSingleRuns(
                ratios.get(0), BlockBootstrap.ratioOfMeans(first(seconds), second(seconds)))
            : Effect.ofRatios(ratios, Effect.RESOLUTION);
    return Optional.of(new Drift(side.label(), grown, effect));
  }

  private static double[][] first(double[][] seconds) {
    return Arrays.copyOfRange(seconds, 0, seconds.length / 2);
  }

  private static double[][] second(double[][] seconds) {
    return Arrays.copyOfRange(seconds, seconds.length / 2, seconds.length);
  }

  private static double mean(double[][] seconds) {
    return Arrays.stream(seconds).mapToDouble(one -> one[0]).sum()
        / Arrays.stream(seconds).mapToDouble(one -> one[1]).sum();
  }

  /** Whether the times of the halves differ, by the spread of the runs. */
  boolean isShown() {
    return effect.verdict() == Effect.Verdict.HIGHER || effect.verdict() == Effect.Verdict.LOWER;
  }

  String sentence() {
    String way = effect.verdict() == Effect.Verdict.LOWER ? "lower" : "higher";
    return String.format(
        Locale.ROOT,
        "%s: mean service time %s %s in the second half of a run than in the first, while its"
            + " documents grow by %.1f %%",
        side,
        Growth.percent(effect),
        way,
        100 * (grown - 1));
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("side", side);
    json.addProperty("documents_percent", 100 * (grown - 1));
    json.add("service_ns.mean", effect.toJson());
    if (isShown()) {
      json.addProperty("sentence", sentence());
    }
    return json;
  }
}
