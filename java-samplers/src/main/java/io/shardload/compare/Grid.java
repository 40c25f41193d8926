package io.shardload.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The runs of a side on one grid of time: each run's values, and the median at each moment. */
final class Grid {
  /** More than a chart shows. */
  private static final int DIGITS = 4;

  private Grid() {}

  /** {@code {median, runs}}; null where nothing is known. */
  static JsonObject toJson(List<double[]> runs) {
    JsonObject json = new JsonObject();
    JsonArray each = new JsonArray();
    runs.forEach(run -> each.add(array(run)));
    json.add("median", array(medians(runs)));
    json.add("runs", each);
    return json;
  }

  /** NaN where not more than half of the runs have a value. */
  static double[] medians(List<double[]> runs) {
    int length = runs.stream().mapToInt(run -> run.length).max().orElse(0);
    double[] medians = new double[length];
    for (int i = 0; i < length; i++) {
      List<Double> known = new ArrayList<>();
      for (double[] run : runs) {
        if (i < run.length && Double.isFinite(run[i])) {
          known.add(run[i]);
        }
      }
      double[] sorted = known.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      int n = sorted.length;
      medians[i] = 2 * n > runs.size() ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : Double.NaN;
    }
    return medians;
  }

  private static JsonArray array(double[] values) {
    JsonArray array = new JsonArray();
    Arrays.stream(values).forEach(value -> array.add(Json.significant(value, DIGITS)));
    return array;
  }
}
