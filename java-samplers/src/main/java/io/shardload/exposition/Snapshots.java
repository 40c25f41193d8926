package io.shardload.exposition;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.shardload.monitoring.Reading;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Readings in the form of the Prometheus client, as text or OpenMetrics. (Its choice of formats is
 * not used: it prefers protobuf where that is accepted, which is not in the plugin.) A metric whose
 * readings contradict each other is left out and named once in the log; the others are served.
 */
final class Snapshots implements Page.Source {
  private static final Logger LOG = Logger.getLogger(Snapshots.class.getName());

  private final ExpositionFormats formats = ExpositionFormats.init();
  private final Labels common;
  private final Supplier<List<Reading>> readings;
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  /**
   * @param common labels of every reading; a label of the reading itself goes first
   */
  Snapshots(Map<String, String> common, Supplier<List<Reading>> readings) {
    this.common = labels(common);
    this.readings = readings;
  }

  static Labels labels(Map<String, String> labels) {
    List<String> names = List.copyOf(labels.keySet());
    return Labels.of(names, names.stream().map(labels::get).toList());
  }

  @Override
  public String render(String accepted, OutputStream out) throws IOException {
    boolean open = formats.getOpenMetricsTextFormatWriter().accepts(accepted);
    ExpositionFormatWriter writer =
        open ? formats.getOpenMetricsTextFormatWriter() : formats.getPrometheusTextFormatWriter();
    writer.write(out, snapshots());
    return writer.getContentType();
  }

  private MetricSnapshots snapshots() {
    Map<String, List<Reading>> byName = new TreeMap<>();
    readings.get().forEach(r -> byName.computeIfAbsent(r.name(), n -> new ArrayList<>()).add(r));
    List<MetricSnapshot> metrics = new ArrayList<>();
    byName.forEach(
        (name, ofName) -> {
          try {
            metrics.add(metric(name, ofName));
          } catch (IllegalArgumentException e) {
            if (refused.add(name)) {
              LOG.log(Level.WARNING, "metric {0} is left out: {1}", new Object[] {name, e});
            }
          }
        });
    return new MetricSnapshots(metrics);
  }

  private MetricSnapshot metric(String name, List<Reading> readings) {
    Reading first = readings.get(0);
    if (readings.stream().anyMatch(r -> r.kind() != first.kind())) {
      throw new IllegalArgumentException("its readings mix counters and gauges");
    }
    MetricMetadata metadata = new MetricMetadata(name, first.help());
    if (first.kind() == Reading.Kind.COUNTER) {
      return new CounterSnapshot(metadata, readings.stream().map(this::counter).toList());
    }
    return new GaugeSnapshot(metadata, readings.stream().map(this::gauge).toList());
  }

  private CounterDataPointSnapshot counter(Reading reading) {
    return new CounterDataPointSnapshot(reading.value(), labelsOf(reading), null, 0);
  }

  private GaugeDataPointSnapshot gauge(Reading reading) {
    return new GaugeDataPointSnapshot(reading.value(), labelsOf(reading), null);
  }

  private Labels labelsOf(Reading reading) {
    Map<String, String> all = new TreeMap<>();
    common.forEach(label -> all.put(label.getName(), label.getValue()));
    all.putAll(reading.labels());
    return labels(all);
  }
}
