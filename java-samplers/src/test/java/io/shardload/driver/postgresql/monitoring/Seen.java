package io.shardload.driver.postgresql.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.exposition.MetricsEndpoint;
import io.shardload.exposition.Scraped;
import io.shardload.monitoring.Reading;
import io.shardload.monitoring.Readings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** What a monitor read, for assertions. */
record Seen(Readings readings) {
  private static final Path GOLDEN = Path.of("src", "test", "resources", "monitoring");

  private static final String STATEMENT = "statement=\"([^\"\\\\]|\\\\.)*\"";

  /** Which I/O was done differs from time to time. */
  private static final Pattern BY_CHANCE =
      Pattern.compile("(shardload_postgresql_io_\\w+)\\{.*?(operation=\"\\w+\").*role=(\".*?\").*");

  /** Values of a metric whose labels hold the given ones. */
  List<Double> values(String name, Map<String, String> labels) {
    return readings.all().stream()
        .filter(reading -> reading.name().equals(name))
        .filter(reading -> reading.labels().entrySet().containsAll(labels.entrySet()))
        .map(Reading::value)
        .toList();
  }

  /** Values of a metric of a server. */
  List<Double> values(String name, String server) {
    return values(name, Map.of("server", server));
  }

  /** The one value. */
  double value(String name, String... labels) {
    List<Double> values = values(name, map(labels));
    assertThat(values).as("%s %s", name, List.of(labels)).hasSize(1);
    return values.get(0);
  }

  double sum(String name, String... labels) {
    return values(name, map(labels)).stream().mapToDouble(Double::doubleValue).sum();
  }

  private static Map<String, String> map(String... labels) {
    return switch (labels.length) {
      case 0 -> Map.of();
      case 2 -> Map.of(labels[0], labels[1]);
      case 4 -> Map.of(labels[0], labels[1], labels[2], labels[3]);
      default -> throw new IllegalArgumentException("pairs");
    };
  }

  /**
   * Compares names, labels, kinds and help with a page that dashboards are tested with. What is
   * served now is written to {@code target/monitoring}.
   *
   * @param names what is different at each run, made the same
   */
  void assertLike(String page, UnaryOperator<String> names) throws Exception {
    String now = names.apply(page());
    Path written = Path.of("target", "monitoring", page);
    Files.createDirectories(written.getParent());
    Files.writeString(written, now);
    List<String> golden = shape(Files.readString(GOLDEN.resolve(page)));
    List<String> served = shape(now);
    assertThat(golden)
        .as("not served any more; see %s", written)
        .filteredOn(without(served))
        .isEmpty();
    assertThat(served).as("not in %s; see %s", page, written).filteredOn(without(golden)).isEmpty();
  }

  private static Predicate<String> without(List<String> lines) {
    return line -> !lines.contains(line);
  }

  private String page() throws IOException, InterruptedException {
    try (MetricsEndpoint endpoint =
        MetricsEndpoint.open("127.0.0.1", 0, Map.of("target", "postgresql"), readings::all)) {
      return Scraped.page(endpoint.address());
    }
  }

  private static List<String> shape(String page) {
    return page.lines()
        .map(line -> line.startsWith("#") ? line : line.replaceAll(" [^ ]+$", ""))
        .map(line -> BY_CHANCE.matcher(line).replaceAll("$1 $2 $3"))
        .map(line -> line.replaceAll(STATEMENT, "statement"))
        .sorted()
        .distinct()
        .toList();
  }
}
