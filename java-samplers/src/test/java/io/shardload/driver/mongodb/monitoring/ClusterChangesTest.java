package io.shardload.driver.mongodb.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.mongodb.client.DirectClients;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.monitoring.Reading;
import io.shardload.monitoring.Readings;
import io.shardload.monitoring.ServerMonitor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDateTime;
import org.bson.BsonValue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which servers are asked, while the cluster names others. */
@Timeout(60)
class ClusterChangesTest {
  private static final String COMMITTED = Commands.MOVE + "commit";
  private static final String FAILED = Commands.MOVE + "error";

  @AutoClose private final MonitoredCluster cluster = new MonitoredCluster();

  private List<String> servers(Readings readings) {
    return cluster.named(readings.all()).stream()
        .filter(reading -> reading.name().equals("shardload_server_up"))
        .map(Reading::labels)
        .map(labels -> labels.get("server"))
        .toList();
  }

  @Test
  void aMemberThatWasRemovedIsForgotten() {
    String url = "mongodb://" + cluster.address("db1:27018") + "/shardload";
    try (ServerMonitor monitor = MonitoredCluster.openUrl(url, "replica-set")) {
      cluster.servers.get("db2:27018").close();
      // It is down as long as the set names it.
      for (int read = 0; read < 2; read++) {
        assertThat(servers(monitor.read())).containsExactly("db1:27018", "db2:27018");
      }
      cluster.member("db1:27018", "shard1rs", List.of("db1:27018"), "");
      monitor.read();
      assertThat(servers(monitor.read())).containsExactly("db1:27018");
      assertThat(monitor.hosts()).hasSize(1);
    }
  }

  /** Its members still name each other. */
  @Test
  void aShardThatWasRemovedIsForgotten() {
    try (ServerMonitor monitor = cluster.open("router1:27017")) {
      assertThat(servers(monitor.read())).contains("db3:27018", "db4:27018");
      cluster.answers.put(
          "router1:27017 listShards",
          "{shards: [{_id: 'shard1', host: 'shard1rs/"
              + cluster.address("db1:27018")
              + "'}], ok: 1}");
      monitor.read();
      assertThat(servers(monitor.read()))
          .containsExactlyInAnyOrder("router1:27017", "config1:27019", "db1:27018", "db2:27018");
    }
  }

  @Test
  void whatIsRefusedForgetsNobody() {
    try (ServerMonitor monitor = cluster.open("router1:27017")) {
      monitor.read();
      cluster.answers.put("router1:27017 listShards", "{ok: 0, code: 50, errmsg: 'too slow'}");
      cluster.answers.put("router1:27017 serverStatus", "{ok: 0, code: 50, errmsg: 'too slow'}");
      monitor.read();
      assertThat(servers(monitor.read())).hasSize(6);
    }
  }

  /** The password would go there unencrypted. */
  @Test
  void aServerElsewhereIsNotAskedUnlessTheOptionsSayHow() {
    cluster.answers.put(
        "router1:27017 listShards",
        "{shards: [{_id: 'shard9', host: 'rs9/192.0.2.1:27018'}], ok: 1}");
    try (ServerMonitor monitor = cluster.open("router1:27017")) {
      Readings readings = monitor.read();
      assertThat(readings.refused())
          .isEqualTo(
              Map.of(
                  "192.0.2.1:27018 connection",
                  "shard9/192.0.2.1:27018 is not on this machine: set ssl: verify-full or"
                      + " ssl: disable in target.options"));
      assertThat(servers(readings)).contains("192.0.2.1:27018", "config1:27019");
      assertThat(monitor.hosts())
          .anySatisfy(host -> assertThat(host.host()).isEqualTo("192.0.2.1"));
    }
    assertThat(clients("{}", true).allows("192.0.2.1:27018")).isFalse();
    assertThat(clients("{}", true).allows("127.0.0.1:27018")).isTrue();
    assertThat(clients("{ssl: 'disable'}", true).allows("192.0.2.1:27018")).isTrue();
    assertThat(clients("{ssl: 'require'}", true).allows("192.0.2.1:27018")).isTrue();
    assertThat(clients("{}", false).allows("192.0.2.1:27018")).isTrue();
  }

  private static DirectClients clients(String options, boolean local) {
    JsonObject values = JsonParser.parseString(options).getAsJsonObject();
    return new DirectClients(
        "",
        Optional.empty(),
        Settings.read(new Options("target.options", values), local),
        MongodbMonitor.CONNECT,
        MongodbMonitor.READ);
  }

  @Test
  void migrationsNeverDecreaseThoughTheChangeLogForgets() {
    Migrations migrations = new Migrations();
    List<BsonValue> since = new ArrayList<>();
    List<Map<String, Long>> log =
        List.of(
            Map.of(),
            Map.of(COMMITTED, 5L, FAILED, 1L),
            Map.of(COMMITTED, 3L, FAILED, 2L),
            Map.of(COMMITTED, 2L),
            Map.of(COMMITTED, 4L));
    List<Map<String, Long>> counters = new ArrayList<>();
    for (int i = 0; i < log.size(); i++) {
      Map<String, Long> counts = log.get(i);
      counters.add(
          migrations.read(
              new BsonDateTime(i),
              from -> {
                since.add(from);
                return counts;
              }));
    }
    assertThat(counters)
        .containsExactly(
            Map.of(),
            Map.of(COMMITTED, 5L, FAILED, 1L),
            Map.of(COMMITTED, 5L, FAILED, 2L),
            Map.of(COMMITTED, 7L, FAILED, 2L),
            Map.of(COMMITTED, 9L, FAILED, 2L));
    assertThat(since)
        .containsExactly(
            new BsonDateTime(0),
            new BsonDateTime(0),
            new BsonDateTime(0),
            new BsonDateTime(2),
            new BsonDateTime(2));
  }
}
