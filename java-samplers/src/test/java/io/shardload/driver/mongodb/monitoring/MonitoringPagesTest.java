package io.shardload.driver.mongodb.monitoring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.exposition.MetricsEndpoint;
import io.shardload.exposition.Scraped;
import io.shardload.monitoring.Reading;
import io.shardload.monitoring.ServerMonitor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The example pages, which the dashboards are checked with, are what a store would scrape. When a
 * metric changes, the new page is in {@code target/monitoring}.
 */
@Timeout(60)
class MonitoringPagesTest {
  @Test
  void thePageOfAShardedCluster() throws Exception {
    try (MonitoredCluster cluster = new MonitoredCluster();
        ServerMonitor monitor = cluster.open("router1:27017", "router2:27017")) {
      assertPage("mongodb", cluster.named(monitor.read().all()));
    }
  }

  @Test
  void thePageOfFerretdb() throws Exception {
    try (FakeRouter fake =
            FakeRouter.router(
                // What makes it a FerretDB is one more field in the answer to buildInfo.
                "7.0.42', ferretdbVersion: 'v1.24.0",
                command -> Replies.text("serverStatus-ferretdb-1.24.json"));
        ServerMonitor monitor = MonitoredCluster.openUrl(fake.url("shardload"), "single")) {
      List<Reading> readings =
          monitor.read().all().stream()
              .map(
                  reading -> {
                    Map<String, String> labels = new TreeMap<>(reading.labels());
                    labels.replace("server", fake.address(), "127.0.0.1:27018");
                    return new Reading(
                        reading.name(), reading.kind(), reading.help(), labels, reading.value());
                  })
              .toList();
      assertPage("ferretdb", readings);
    }
  }

  private static void assertPage(String target, List<Reading> readings) throws Exception {
    String page = page(target, readings);
    Path actual =
        Files.createDirectories(Path.of("target", "monitoring")).resolve(target + ".prom");
    Files.writeString(actual, page);
    assertThat(page.lines()).containsExactlyElementsOf(golden(target).lines().toList());
  }

  private static String page(String target, List<Reading> readings) throws Exception {
    try (MetricsEndpoint endpoint =
        MetricsEndpoint.open("127.0.0.1", 0, Map.of("target", target), () -> readings)) {
      return Scraped.page(endpoint.address());
    }
  }

  private static String golden(String target) throws IOException {
    try (InputStream in =
        MonitoringPagesTest.class.getResourceAsStream("/monitoring/" + target + ".prom")) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }
}
