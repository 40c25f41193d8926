package io.shardload.exposition;

import io.shardload.monitoring.Reading;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A page of readings, which are asked for at each scrape and may be others each time. A metric
 * whose readings contradict each other is left out and named once in the log; the others are
 * served.
 */
final class ReadingsPage implements Page.Source {
  private static final Logger LOG = Logger.getLogger(ReadingsPage.class.getName());

  private final Map<String, String> common;
  private final Supplier<List<Reading>> readings;
  private final Set<String> refused = new HashSet<>();

  /**
   * @param common labels of every reading; a label of the reading itself goes first
   */
  ReadingsPage(Map<String, String> common, Supplier<List<Reading>> readings) {
    this.common = common;
    this.readings = readings;
  }

  @Override
  public void render(OutputStream out) throws IOException {
    Map<String, List<Reading>> byName = new TreeMap<>();
    for (Reading reading : readings.get()) {
      // What is not a number is not known.
      if (Double.isFinite(reading.value())) {
        byName.computeIfAbsent(reading.name(), name -> new ArrayList<>()).add(reading);
      }
    }
    SeriesPage page = new SeriesPage(common);
    List<Double> values = new ArrayList<>();
    byName.values().forEach(ofName -> add(page, ofName, values));
    page.publish(values.stream().mapToDouble(each -> each).toArray());
    page.render(out);
  }

  /** Adds a metric with its series in the order of their labels. */
  private void add(SeriesPage page, List<Reading> readings, List<Double> values) {
    Reading first = readings.get(0);
    Map<String, Reading> byLabels = new TreeMap<>();
    readings.forEach(reading -> byLabels.put(key(reading), reading));
    if (byLabels.size() < readings.size()
        || readings.stream().anyMatch(r -> r.kind() != first.kind())) {
      if (refused.add(first.name())) {
        LOG.log(Level.WARNING, "metric {0} is left out: its readings contradict", first.name());
      }
      return;
    }
    boolean counts = first.kind() == Reading.Kind.COUNTER;
    SeriesPage.Family family =
        page.family(
            first.name() + (counts ? "_total" : ""), counts ? "counter" : "gauge", first.help());
    for (Reading reading : byLabels.values()) {
      family.series(
          reading.labels().entrySet().stream()
              .flatMap(label -> Stream.of(label.getKey(), label.getValue()))
              .toArray(String[]::new));
      values.add(reading.value());
    }
  }

  private static String key(Reading reading) {
    return new TreeMap<>(reading.labels())
        .entrySet().stream().map(Object::toString).collect(Collectors.joining("\n"));
  }
}
