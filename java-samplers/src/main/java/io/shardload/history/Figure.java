package io.shardload.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.config.Durations;
import io.shardload.history.Reading.Bound;
import java.util.Locale;
import java.util.stream.StreamSupport;

/** A figure that is compared from run to run, taken from summary.json. */
enum Figure {
  /** Operations that were done in time per second. */
  RPS("rps", "RPS", true) {
    @Override
    Reading of(JsonObject summary) {
      JsonObject headline = Json.object(summary, "headline");
      double value = Json.number(headline, "achieved_per_second", Double.NaN);
      return Reading.of(value, Bound.EXACT, "");
    }
  },

  /** Response time; in a closed model, service time. */
  P99("p99_ns", "p99", false) {
    @Override
    Reading of(JsonObject summary) {
      JsonObject latency = Json.object(summary, "headline", "latency_ns");
      double value = Json.number(latency, "p99", Double.NaN);
      double least = Json.number(Json.object(latency, "at_least_ns"), "p99", Double.NaN);
      if (Double.isNaN(value)) {
        return Reading.of(least, Bound.AT_LEAST, step(summary));
      }
      // Where the generators' own delays decide it, the target was faster: no regression of it.
      boolean isGenerators = Json.object(latency, "without_generators_ns").has("p99");
      return Reading.of(value, isGenerators ? Bound.BELOW : Bound.EXACT, step(summary));
    }
  },

  /** The highest sustained rate. */
  CAPACITY("capacity_per_second", "capacity", true) {
    @Override
    Reading of(JsonObject summary) {
      JsonObject capacity = Json.object(summary, "capacity");
      Bound bound = Json.flag(capacity, "at_least") ? Bound.AT_LEAST : Bound.EXACT;
      double value = Json.number(capacity, "offered_per_second", Double.NaN);
      boolean keptUp = summary.has("headline") && summary.get("headline").isJsonObject();
      return Double.isNaN(value) && !keptUp
          ? Reading.of(lowestStep(summary), Bound.BELOW, "")
          : Reading.of(value, bound, "");
    }
  };

  /** A stable word for JSON. */
  final String key;

  final String title;
  final boolean lowerIsWorse;

  Figure(String key, String title, boolean lowerIsWorse) {
    this.key = key;
    this.title = title;
    this.lowerIsWorse = lowerIsWorse;
  }

  /** {@link Reading#NONE} where the run does not have it. */
  abstract Reading of(JsonObject summary);

  /** The capacity's step; empty in a run without steps. */
  private static String step(JsonObject summary) {
    return Json.text(Json.object(summary, "headline"), "step", "");
  }

  /** The rate of the lowest step that was completed; NaN without one. */
  private static double lowestStep(JsonObject summary) {
    return StreamSupport.stream(Json.array(summary, "steps").spliterator(), false)
        .filter(JsonElement::isJsonObject)
        .map(JsonElement::getAsJsonObject)
        .filter(step -> Json.text(step, "kind", "").equals("step") && !Json.flag(step, "cut"))
        .mapToDouble(step -> Json.number(step, "offered_per_second", Double.NaN))
        .filter(Double::isFinite)
        .min()
        .orElse(Double.NaN);
  }

  /** Whether the true value can only be worse than the bound. */
  boolean worseBeyond(Bound bound) {
    return bound == (lowerIsWorse ? Bound.BELOW : Bound.AT_LEAST);
  }

  String show(double value) {
    if (this == P99) {
      return Durations.show(value);
    }
    return String.format(Locale.ROOT, value >= 1000 ? "%.0f/s" : "%.1f/s", value);
  }
}
