package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.Counts;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.Percentiles;

/**
 * The few figures that represent a whole run: the figures of the capacity step, or of all result
 * segments in a run without steps. A run in which no step kept up has no headline.
 *
 * @param step name of the capacity's step; null in a run without steps
 * @param offeredPerSecond NaN in a closed model
 * @param series {@code response}, in a closed model {@code service}
 */
record Headline(
    String step,
    double offeredPerSecond,
    double achievedPerSecond,
    double answeredPerSecond,
    String series,
    Percentiles latency,
    Counts counts) {

  /** Null if no step kept up. */
  static Headline of(Evaluation run) {
    String series = run.endToEnd();
    Capacity capacity = Capacity.of(run);
    if (capacity == null) {
      double seconds = run.resultSeconds();
      Counts counts = run.results();
      boolean offers = run.bundle().open() && seconds > 0;
      return new Headline(
          null,
          offers ? counts.offered() / seconds : Double.NaN,
          seconds > 0 ? counts.achieved() / seconds : Double.NaN,
          seconds > 0 ? counts.answeredWithin() / seconds : Double.NaN,
          series,
          run.overall(series),
          counts);
    }
    Step step = capacity.step();
    return step == null
        ? null
        : new Headline(
            step.segment().name(),
            step.offeredPerSecond(),
            step.achievedPerSecond(),
            step.answeredPerSecond(),
            series,
            step.open() ? step.response() : step.service(),
            step.counts());
  }

  static JsonElement toJson(Headline headline) {
    if (headline == null) {
      return JsonNull.INSTANCE;
    }
    JsonObject json = new JsonObject();
    json.addProperty("step", headline.step);
    json.add("offered_per_second", Json.rounded(headline.offeredPerSecond));
    json.add("achieved_per_second", Json.rounded(headline.achievedPerSecond));
    json.add("answered_per_second", Json.rounded(headline.answeredPerSecond));
    json.addProperty("series", headline.series);
    json.add("latency_ns", headline.latency.toJson());
    json.add("errors_percent", Json.finite(headline.counts.errorsPercent()));
    return json;
  }
}
