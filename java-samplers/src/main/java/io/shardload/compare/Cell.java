package io.shardload.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.compare.effect.Measured;
import io.shardload.compare.effect.Spread;
import java.util.List;

/**
 * One figure of one side.
 *
 * @param value of all counted runs together, histograms added
 * @param runs of each counted run
 */
record Cell(Measured value, List<Measured> runs) {
  boolean isPositive() {
    return runs.stream().allMatch(Measured::isPositive);
  }

  /** The smallest of the known values. */
  double least() {
    return runs.stream().mapToDouble(Measured::value).min().orElse(Double.NaN);
  }

  Measured median() {
    return Spread.median(runs);
  }

  double variationPercent() {
    return Spread.variationPercent(runs);
  }

  /** Whether there is more than one run that has the figure. */
  boolean isRepeated() {
    return runs.stream().filter(Measured::isKnown).count() > 1;
  }

  /** A value of which only a lower bound is known is null; the bound has its own key. */
  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.add("value", Json.finite(value.exactly()));
    json.add("at_least", Json.finite(value.bound()));
    json.add("median", Json.finite(median().exactly()));
    json.add("median_at_least", Json.finite(median().bound()));
    json.add("variation_percent", Json.finite(variationPercent()));
    JsonArray each = new JsonArray();
    JsonArray bounds = new JsonArray();
    for (Measured run : runs) {
      each.add(Json.finite(run.exactly()));
      bounds.add(Json.finite(run.bound()));
    }
    json.add("runs", each);
    json.add("runs_at_least", bounds);
    return json;
  }
}
