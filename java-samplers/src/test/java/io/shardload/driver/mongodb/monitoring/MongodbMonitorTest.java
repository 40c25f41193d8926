package io.shardload.driver.mongodb.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Encryption;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.driver.mongodb.schema.TestSchema;
import io.shardload.monitoring.Reading;
import io.shardload.monitoring.Readings;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.ServerHost;
import io.shardload.monitoring.ServerMonitor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonDateTime;
import org.bson.BsonValue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MongodbMonitorTest {
  private static final String UNAUTHORIZED = "{ok: 0, code: 13, errmsg: 'not authorized on admin'}";

  @AutoClose private final MonitoredCluster cluster = new MonitoredCluster();

  private static final String COMMITTED = Server.MOVE + "commit";
  private static final String FAILED = Server.MOVE + "error";

  @Test
  void theClusterNamesItsHostsAndRoles() {
    try (ServerMonitor monitor = cluster.open("router1:27017", "router2:27017")) {
      assertThat(monitor.hosts().stream().map(this::named))
          .containsExactlyInAnyOrder(
              "router1:27017 router",
              "router2:27017 router",
              "config1:27019 config",
              "db1:27018 shard",
              "db2:27018 shard",
              "db3:27018 shard",
              "db4:27018 shard");
    }
  }

  @Test
  void everyServerIsUpAndTellsItsVersion() {
    try (ServerMonitor monitor = cluster.open("router1:27017", "router2:27017")) {
      Readings readings = monitor.read();
      assertThat(readings.refused()).isEmpty();
      assertThat(of(readings, "shardload_server_up"))
          .hasSize(7)
          .extracting(Reading::value)
          .containsOnly(1.0);
      assertThat(of(readings, "shardload_server_version_info"))
          .hasSize(7)
          .extracting(reading -> reading.labels().get("version"))
          .containsOnly("8.0.4");
    }
  }

  @Test
  void oneRouterSpeaksForTheCluster() {
    try (ServerMonitor monitor = cluster.open("router1:27017", "router2:27017")) {
      Readings readings = monitor.read();
      assertThat(lines(readings, "router1:27017"))
          .contains(
              "shard_chunks{shard=shard1} 12",
              "shard_chunks{shard=shard2} 11",
              "shard_bytes{kind=data,shard=shard1} 612000000",
              "shard_bytes{kind=storage,shard=shard1} 251000000",
              "shard_bytes{kind=index,shard=shard1} 61000000",
              "shard_bytes{kind=data,shard=shard2} 591600000",
              "migrations{result=committed} 4",
              "migrations{result=failed} 0",
              "balancer_enabled 1",
              "balancer_running 0",
              "server_part_up{part=balancer} 1");
      assertThat(lines(readings, "router2:27017"))
          .contains("operations{operation=insert} 2400000")
          .noneMatch(line -> line.startsWith("shard_") || line.startsWith("balancer"));
    }
  }

  @Test
  void aPrimaryReportsTheLagOfItsMembersAndEachMemberItsOplog() {
    try (ServerMonitor monitor = cluster.open("router1:27017")) {
      Readings readings = monitor.read();
      assertThat(lines(readings, "db1:27018"))
          .contains(
              "member_info{set=shard1rs,state=primary} 1",
              "replication_lag_seconds{member=db2:27018,set=shard1rs} 3",
              "oplog_window_seconds 90000",
              "tickets{mode=read,state=out} 9")
          // Neither the member that is down nor the arbiter.
          .filteredOn(line -> line.startsWith("replication_lag"))
          .hasSize(1);
      assertThat(lines(readings, "db2:27018"))
          .contains("member_info{set=shard1rs,state=secondary} 1", "oplog_window_seconds 90000")
          .noneMatch(line -> line.startsWith("replication_lag"));
    }
  }

  @Test
  void aRouterThatIsDownIsReplacedAsSpeaker() {
    cluster.servers.get("router1:27017").close();
    try (ServerMonitor monitor = cluster.open("router1:27017", "router2:27017")) {
      // The opening found out who answers, the first reading who belongs to the cluster.
      monitor.read();
      Readings readings = monitor.read();
      assertThat(lines(readings, "router1:27017")).containsExactly("server_up 0");
      assertThat(of(readings, "shardload_server_up"))
          .filteredOn(reading -> reading.value() == 0)
          .singleElement()
          .extracting(reading -> reading.labels().get("role"))
          .isEqualTo("router");
      assertThat(lines(readings, "router2:27017")).contains("shard_chunks{shard=shard1} 12");
      assertThat(lines(readings, "db4:27018")).contains("server_up 1");
    }
  }

  @Test
  void aShardOutOfReachIsNamed() {
    cluster.servers.get("db4:27018").close();
    try (ServerMonitor monitor = cluster.open("router1:27017")) {
      Readings readings = monitor.read();
      assertThat(lines(readings, "db4:27018")).containsExactly("server_up 0");
      assertThat(refused(readings))
          .isEqualTo(
              Map.of(
                  "db4:27018 connection",
                  "shard2/db4:27018 is not reachable from here: connection refused"));
      assertThat(lines(readings, "db3:27018")).contains("server_up 1");
    }
  }

  @Test
  void aServerThatNeverAnswersEndsNobodyElsesReading() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + silent.getLocalPort();
      cluster.answers.put(
          "router1:27017 listShards",
          "{shards: [{_id: 'shard9', host: 'rs9/" + address + "'}], ok: 1}");
      try (ServerMonitor monitor = cluster.open("router1:27017")) {
        Readings readings = monitor.read();
        assertThat(lines(readings, address)).containsExactly("server_up 0");
        assertThat(readings.refused().get(address + " connection")).startsWith("shard9/" + address);
        assertThat(lines(readings, "router1:27017")).contains("server_up 1");
      }
    }
  }

  @Test
  void aRefusedCommandCostsItsPartAlone() {
    cluster.answers.put("db1:27018 serverStatus", UNAUTHORIZED);
    cluster.answers.put("router1:27017 find", UNAUTHORIZED);
    cluster.answers.put("router1:27017 balancerStatus", "{ok: 0, code: 50, errmsg: 'too slow'}");
    try (ServerMonitor monitor = cluster.open("router1:27017")) {
      Readings readings = monitor.read();
      String reason = "this user may not read it; the role clusterMonitor on admin allows it";
      assertThat(refused(readings))
          .isEqualTo(
              Map.of(
                  "db1:27018 status", reason,
                  "router1:27017 chunks", reason,
                  "router1:27017 balancer", "takes longer than 2 s"));
      assertThat(lines(readings, "db1:27018"))
          .contains(
              "server_up 1",
              "server_part_up{part=status} 0",
              "server_part_up{part=oplog} 1",
              "replication_lag_seconds{member=db2:27018,set=shard1rs} 3")
          .noneMatch(line -> line.startsWith("operations"));
      assertThat(lines(readings, "router1:27017"))
          .contains("server_part_up{part=chunks} 0", "migrations{result=committed} 4");
    }
  }

  @Test
  void anAnswerOfAnotherFormCostsItsPartAlone() {
    cluster.answers.put("router1:27017 listShards", "{ok: 1}");
    try (ServerMonitor monitor = cluster.open("router1:27017")) {
      Readings readings = monitor.read();
      assertThat(readings.refused()).hasSize(1);
      assertThat(refused(readings).get("router1:27017 shards"))
          .startsWith("the answer has an unexpected form: ");
      assertThat(lines(readings, "config1:27019")).contains("server_up 1");
    }
  }

  @Test
  void whatLooksThroughCollectionsIsAskedRarely() {
    TestSchema.Sleeps clock = new TestSchema.Sleeps();
    String hosts = cluster.address("router1:27017");
    Connections connections =
        TestConnections.open("mongodb://" + hosts + "/shardload", "", TestConnections.SESSION);
    try (ServerMonitor monitor = MongodbMonitor.open(connections, clock, null)) {
      cluster.answers.put("router1:27017 aggregate", FakeRouter.rows());
      cluster.answers.put("router1:27017 balancerStatus", "{mode: 'off', ok: 1}");
      clock.sleepUntil(Duration.ofSeconds(9).toNanos());
      assertThat(lines(monitor.read(), "router1:27017"))
          .contains("shard_chunks{shard=shard1} 12", "balancer_enabled 0");
      clock.sleepUntil(Duration.ofSeconds(10).toNanos());
      assertThat(lines(monitor.read(), "router1:27017"))
          .contains("shard_chunks{shard=shard1} 0", "migrations{result=committed} 4");
    }
  }

  @Test
  void theMembersOfAReplicaSetArePrimaryAndReplica() {
    try (ServerMonitor monitor = replicaSet()) {
      Readings readings = monitor.read();
      assertThat(monitor.hosts().stream().map(this::named))
          .containsExactly("db1:27018 primary", "db2:27018 replica");
      assertThat(lines(readings, "db1:27018"))
          .contains(
              "database_bytes{kind=data} 5000",
              "database_bytes{kind=storage} 3000",
              "database_bytes{kind=index} 1000");
      assertThat(lines(readings, "db2:27018")).noneMatch(line -> line.startsWith("database_"));
    }
  }

  @Test
  void anElectionChangesTheRoles() {
    try (ServerMonitor monitor = replicaSet()) {
      List<String> members = List.of("db1:27018", "db2:27018");
      cluster.member(
          "db1:27018", "shard1rs", members, ", secondary: true, isWritablePrimary: false");
      cluster.member("db2:27018", "shard1rs", members, "");
      assertThat(of(monitor.read(), "shardload_mongodb_member_info"))
          .extracting(
              reading -> named(reading.labels().get("server")) + reading.labels().get("role"))
          .containsExactly("db1:27018replica", "db2:27018primary");
    }
  }

  @Test
  void aServerWithTwoNamesIsReportedOnceAndAsTheSetNamesIt() {
    String address = cluster.address("db1:27018");
    String other = address.replace("127.0.0.1", "localhost");
    String url = "mongodb://" + other + "," + address + "/shardload";
    try (ServerMonitor monitor = MonitoredCluster.openUrl(url, "replica-set")) {
      assertThat(of(monitor.read(), "shardload_server_up"))
          .extracting(reading -> named(reading.labels().get("server")))
          .containsExactly("db1:27018", "db2:27018");
      assertThat(monitor.hosts()).hasSize(2);
    }
  }

  @Test
  void nobodyTakesTheMonitorForAGenerator() {
    try (ServerMonitor monitor = cluster.open("router1:27017")) {
      monitor.read();
      cluster.servers.remove("router2:27017").close();
      assertThat(cluster.servers.values())
          .allSatisfy(
              server -> assertThat(server.applications()).containsExactly("shardload monitor"));
      assertThat(Pattern.compile(Session.APPLICATIONS).matcher("shardload monitor").find())
          .isFalse();
    }
  }

  @Test
  void withoutAnyServerThereIsNoMonitor() {
    cluster.servers.get("router1:27017").close();
    assertThatThrownBy(() -> cluster.open("router1:27017"))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "%s is not reachable from here: connection refused"
                .formatted(cluster.address("router1:27017")));
  }

  private ServerMonitor replicaSet() {
    return MonitoredCluster.openUrl(
        "mongodb://" + cluster.address("db1:27018") + "/shardload", "replica-set");
  }

  private String named(ServerHost host) {
    Role role = host.role();
    return named(host.host() + ":" + host.port()) + " " + role.label();
  }

  private String named(String address) {
    return cluster.named(address);
  }

  private Map<String, String> refused(Readings readings) {
    return readings.refused().entrySet().stream()
        .collect(Collectors.toMap(part -> named(part.getKey()), part -> named(part.getValue())));
  }

  private static List<Reading> of(Readings readings, String name) {
    return readings.all().stream().filter(reading -> reading.name().equals(name)).toList();
  }

  private List<String> lines(Readings readings, String server) {
    return Replies.lines(
        cluster.named(readings.all()).stream()
            .filter(reading -> reading.labels().get("server").equals(server))
            .toList());
  }

  // Which servers are asked, while the cluster names others.

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
    assertThat(encryption("{}", true).allows("192.0.2.1:27018")).isFalse();
    assertThat(encryption("{}", true).allows("127.0.0.1:27018")).isTrue();
    assertThat(encryption("{ssl: 'disable'}", true).allows("192.0.2.1:27018")).isTrue();
    assertThat(encryption("{ssl: 'require'}", true).allows("192.0.2.1:27018")).isTrue();
    assertThat(encryption("{}", false).allows("192.0.2.1:27018")).isTrue();
  }

  private static Encryption encryption(String options, boolean local) {
    JsonObject values = JsonParser.parseString(options).getAsJsonObject();
    return Settings.read(new Options("target.options", values), local).encryption();
  }

  @Test
  void migrationsNeverDecreaseThoughTheChangeLogForgets() {
    Server.Migrations migrations = new Server.Migrations();
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
