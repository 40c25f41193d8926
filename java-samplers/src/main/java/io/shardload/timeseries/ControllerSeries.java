package io.shardload.timeseries;

import com.google.gson.JsonObject;
import io.shardload.exposition.RecordedGenerator.Family;
import io.shardload.exposition.RunReadings;
import io.shardload.monitoring.Reading;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The series that the controller serves of a run, at given moments and for 15 s after its end, when
 * its result is among them. There are only some dozens, so they are kept in memory.
 */
final class ControllerSeries {
  private static final int SECONDS_AFTER_END = 15;

  private final JsonObject config;
  private final String version;
  private final RunTimes times;
  private final JsonObject summary;
  private final Map<String, String> labels;
  private final long[] moments;

  /** Values by family and labels; the array has one for each moment. */
  private final Map<String, Map<Map<String, String>, double[]>> values = new TreeMap<>();

  private final Map<String, String> helps = new LinkedHashMap<>();

  /**
   * @param moments in order of time; those after the end are left out
   */
  ControllerSeries(
      JsonObject config,
      String version,
      RunTimes times,
      JsonObject summary,
      Map<String, String> labels,
      long[] moments) {
    this.config = config;
    this.version = version;
    this.times = times;
    this.summary = summary;
    this.labels = labels;
    this.moments = withEnd(moments);
  }

  private long[] withEnd(long[] all) {
    long end = times.endMillis();
    long[] during = Arrays.stream(all).filter(moment -> moment < end).toArray();
    long[] with = Arrays.copyOf(during, during.length + SECONDS_AFTER_END + 1);
    for (int i = 0; i <= SECONDS_AFTER_END; i++) {
      with[during.length + i] = end + 1000L * i;
    }
    return with;
  }

  void writeTo(RunSeries.Sink sink) throws IOException {
    long[] now = {times.startMillis()};
    RunReadings readings = new RunReadings(config, version, () -> now[0]);
    readings.started(times.startMillis());
    for (int i = 0; i < moments.length; i++) {
      now[0] = moments[i];
      if (moments[i] == times.endMillis()) {
        readings.ended(now[0]);
        readings.judged(summary);
      }
      for (Reading reading : readings.get()) {
        add(reading, i);
      }
    }
    for (Map.Entry<String, Map<Map<String, String>, double[]>> family : values.entrySet()) {
      String name = family.getKey();
      sink.family(new Family(name, "gauge", helps.get(name), List.of()));
      for (Map.Entry<Map<String, String>, double[]> series : family.getValue().entrySet()) {
        sink.series(new Points(name, series.getKey(), moments, series.getValue()));
      }
    }
  }

  private void add(Reading reading, int moment) {
    Map<String, String> all = new TreeMap<>(labels);
    all.putAll(reading.labels());
    helps.putIfAbsent(reading.name(), reading.help());
    double[] series =
        values
            .computeIfAbsent(reading.name(), name -> new LinkedHashMap<>())
            .computeIfAbsent(all, key -> nothing());
    series[moment] = reading.value();
  }

  private double[] nothing() {
    double[] none = new double[moments.length];
    Arrays.fill(none, Double.NaN);
    return none;
  }

  /** The last moment with values. */
  static long lastMillis(RunTimes times) {
    return times.endMillis() + 1000L * SECONDS_AFTER_END;
  }
}
