package io.shardload.driver.postgresql.monitoring;

import static io.shardload.driver.postgresql.CitusIntegrationTest.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.OnCitus;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.postgresql.CitusIntegrationTest;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.ServerHost;
import io.shardload.monitoring.ServerMonitor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real Citus of a coordinator and two workers; see {@link CitusIntegrationTest}. */
@Timeout(120)
@OnCitus
class CitusMonitorTest {
  private static final String CITUS = "shardload_citus_";
  private static final String WORKERS =
      "SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid <> 0 ORDER BY 1";

  @BeforeAll
  static void distribute() throws Exception {
    ask("DROP TABLE IF EXISTS monitored");
    ask("CREATE TABLE monitored (id bigint PRIMARY KEY, text text)");
    ask(
        "SELECT create_distributed_table('monitored', 'id', colocate_with := 'none',"
            + " shard_count := 6)");
  }

  @AfterAll
  static void drop() throws Exception {
    ask("DROP TABLE monitored");
  }

  private static ServerMonitor monitor() {
    return TestDatabases.driver("postgresql").monitor(CitusIntegrationTest.config("{}", "{}"));
  }

  @Test
  void shardsAndSizesAreThoseOfTheCluster() throws Exception {
    ask("DELETE FROM monitored");
    ask("INSERT INTO monitored SELECT n, repeat('x', 500) FROM generate_series(1, 5000) AS n");
    try (ServerMonitor monitor = monitor()) {
      Seen seen = new Seen(monitor.read());
      assertThat(seen.readings().refused().values())
          .allMatch(reason -> reason.endsWith("does not have it"));
      double size = Double.parseDouble(ask("SELECT citus_total_relation_size('monitored')").get(0));
      assertThat(size).isGreaterThan(2_500_000);
      assertThat(seen.value(CITUS + "table_bytes", "table", "monitored")).isEqualTo(size);
      assertThat(seen.sum(CITUS + "shard_bytes")).isEqualTo(seen.sum(CITUS + "table_bytes"));
      double placements = Double.parseDouble(ask("SELECT count(*) FROM pg_dist_placement").get(0));
      assertThat(seen.sum(CITUS + "shards")).isEqualTo(placements);
      assertThat(seen.value(CITUS + "workers_active")).isEqualTo(2);
      assertThat(seen.value(CITUS + "workers_inactive")).isZero();
      assertThat(seen.values(CITUS + "rebalance_jobs", Map.of())).hasSize(7);
    }
  }

  /** Half of the rows are inserted on each worker, which the coordinator's own counters lack. */
  @Test
  void workersReportOfThemselvesThroughTheCoordinator() throws Exception {
    List<String> workers = ask(WORKERS);
    try (ServerMonitor monitor = monitor()) {
      Seen before = new Seen(monitor.read());
      assertThat(before.values("shardload_server_up", Map.of("role", "worker")))
          .containsExactly(1.0, 1.0);
      ask("DELETE FROM monitored");
      ask("INSERT INTO monitored SELECT n, 'x' FROM generate_series(1, 1000) AS n");
      while (true) {
        Seen after = new Seen(monitor.read());
        double inserted = 0;
        for (String worker : workers) {
          inserted += inserted(after, worker) - inserted(before, worker);
        }
        if (inserted == 1000) {
          break;
        }
        assertThat(inserted).isLessThan(1000);
        Thread.sleep(100);
      }
    }
  }

  private static double inserted(Seen seen, String worker) {
    return seen.value("shardload_postgresql_rows", "server", worker, "operation", "inserted");
  }

  @Test
  void workersAreAmongTheHosts() throws Exception {
    try (ServerMonitor monitor = monitor()) {
      List<ServerHost> hosts = monitor.hosts();
      assertThat(hosts).hasSize(3);
      assertThat(hosts.get(0).role()).isEqualTo(Role.COORDINATOR);
      assertThat(hosts.subList(1, 3)).allMatch(host -> host.role() == Role.WORKER);
      assertThat(hosts.subList(1, 3).stream().map(host -> ":" + host.port()).toList())
          .isEqualTo(ask(WORKERS).stream().map(w -> w.substring(w.lastIndexOf(':'))).toList());
    }
  }

  @Test
  void theDashboardsPageIsWhatIsServed() throws Exception {
    List<String> workers = ask(WORKERS);
    try (ServerMonitor monitor = monitor()) {
      String coordinator =
          ask("SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid = 0").get(0);
      new Seen(monitor.read())
          .assertLike(
              "citus.prom",
              page ->
                  page.replace(coordinator, "coordinator:5432")
                      .replace(workers.get(0), "worker1:5432")
                      .replace(workers.get(1), "worker2:5432")
                      .replace("target=\"postgresql\"", "target=\"citus\"")
                      .replaceAll("(?m)^.*table=\"(?!monitored).*\\n", "")
                      .replace("table=\"monitored\"", "table=\"data_table\""));
    }
  }
}
