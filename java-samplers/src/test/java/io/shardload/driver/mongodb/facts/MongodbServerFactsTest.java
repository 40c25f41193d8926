package io.shardload.driver.mongodb.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.BundleFixture;
import io.shardload.config.Options;
import io.shardload.driver.Machine;
import io.shardload.driver.ServerInfo;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.Settings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What MongoDB tells of itself, on fakes that answer as its manual says that it answers; what it
 * tells beside, such as key files and passwords, goes nowhere.
 */
class MongodbServerFactsTest {
  private static final String COMMAND_LINE =
      """
      {ok: 1, argv: ['mongod', '--tlsCertificateKeyFilePassword', 'geheim'], parsed: {
        storage: {dbPath: '/data/geheim', wiredTiger: {engineConfig: {cacheSizeGB: 2.0}}},
        net: {tls: {certificateKeyFilePassword: 'geheim'}, maxIncomingConnections: 500},
        security: {keyFile: '/geheim', authorization: 'enabled'},
        setParameter: {ttlMonitorEnabled: 'false', ldapQueryPassword: 'geheim'}}}
      """;
  private static final String PARAMETERS =
      """
      {ok: 1, ttlMonitorEnabled: false, syncdelay: 60.0, ldapQueryPassword: 'geheim',
       wiredTigerConcurrentReadTransactions: 128, saslHostName: 'geheim',
       featureCompatibilityVersion: {version: '8.0'}}
      """;
  private static final String STATUS =
      """
      {ok: 1, host: 'geheim', storageEngine: {name: 'wiredTiger'},
       wiredTiger: {cache: {'maximum bytes configured': 2147483648}}}
      """;
  private static final String CONCERNS =
      "{ok: 1, defaultReadConcern: {level: 'local'}, defaultWriteConcern: {w: 'majority'}}";

  /** Turned red by each of the decisions, left out. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "single      |                                        | 1 | one disk: w=1, j=true, one server",
        "single      | 'journal': false                       | 1 | memory: w=1, j=false",
        "replica-set |                                        | 3 | majority of disks: w=majority, j=true",
        "replica-set |                                        | 1 | one disk: w=majority, j=true, one server",
        "replica-set | 'journal': false                       | 3 | memory: w=majority, j=false",
        "replica-set | 'write-concern': '1'                   | 3 | one disk: w=1, j=true of 3 members",
        "replica-set | 'write-concern': '2'                   | 3 | majority of disks: w=2, j=true of 3 members",
        "replica-set | 'write-concern': '2'                   | 4 | one disk: w=2, j=true of 4 members",
        "sharded     | 'write-concern': '2'                   | 0 | one disk: w=2, j=true, members not known",
        "sharded     |                                        | 0 | majority of disks: w=majority, j=true",
      })
  void theEffectiveWriteConcernDecides(
      String topology, String options, int members, String expected) {
    String all = "{'topology': '%s' %s}".formatted(topology, options == null ? "" : "," + options);
    Settings settings =
        Settings.read(new Options("target.options", BundleFixture.parse(all)), true);
    assertThat(ServerFacts.acknowledgement(settings, members)).hasToString(expected);
  }

  private static String hostInfo(String host, String more) {
    return "{ok: 1, system: {hostname: '%s', memSizeMB: 16000, numCores: 8 %s},"
            .formatted(host, more)
        + " os: {type: 'Linux'}, extra: {kernelVersion: '6.1.0', cpuString: 'Xeon'}}";
  }

  private static Connections connections(FakeRouter server, String topology) {
    return TestConnections.open(
        server.url("app"), "'topology': '" + topology + "'", TestConnections.SESSION);
  }

  @Test
  void settingsAreThoseOfTheAllowLists() {
    try (FakeRouter server = FakeRouter.primary("8.0.4");
        Connections connections = connections(server, "single")) {
      server
          .expect("admin", "{getParameter: '*'}", PARAMETERS)
          .expect("admin", "{serverStatus: 1}", STATUS)
          .expect("admin", "{getDefaultRWConcern: 1}", CONCERNS)
          .expect("admin", "{getCmdLineOpts: 1}", COMMAND_LINE);
      ServerInfo told =
          new ServerFacts(connections, new ServerKind(ServerKind.Product.REPLICA_SET, "8.0.4"))
              .read();
      server.assertDone();
      assertThat(told.settings())
          .isEqualTo(
              Map.of(
                  "ttlMonitorEnabled", "false",
                  "syncdelay", "60",
                  "wiredTigerConcurrentReadTransactions", "128",
                  "featureCompatibilityVersion", "8.0",
                  "maxWireVersion", "21",
                  "setName", "rs0",
                  "storageEngine.name", "wiredTiger",
                  "wiredTiger.cache.maximum-bytes", "2147483648",
                  "defaultReadConcern", "local",
                  "defaultWriteConcern", "majority"));
      assertThat(told.changed())
          .isEqualTo(
              Map.of(
                  "storage.wiredTiger.engineConfig.cacheSizeGB", "2",
                  "net.maxIncomingConnections", "500",
                  "security.authorization", "enabled",
                  "setParameter.ttlMonitorEnabled", "false"));
      assertThat(told.toString()).doesNotContain("geheim");
    }
  }

  @Test
  void aReplicaSetTellsOfItsPrimary() {
    try (FakeRouter server = FakeRouter.primary("8.0.4");
        Connections connections = connections(server, "single")) {
      server.expect("admin", "{hostInfo: 1}", hostInfo("db1:27018", ", memLimitMB: 4000"));
      assertThat(machines(connections, ServerKind.Product.REPLICA_SET))
          .containsExactly(new Machine("db1", true, "Xeon", 8, 4_194_304_000L, "6.1.0"));
      server.assertDone();
    }
  }

  /** The machines of two shards, whose primaries answer this to {@code hostInfo}. */
  private static List<Machine> machines(String answer, String other) {
    try (FakeRouter router = FakeRouter.router("8.0.4");
        FakeRouter first = FakeRouter.primary("8.0.4");
        FakeRouter second = FakeRouter.primary("8.0.4");
        Connections connections = connections(router, "sharded")) {
      router.expect(
          "admin",
          "{listShards: 1}",
          "{ok: 1, shards: [{_id: 's1', host: 'rs1/%s'}, {_id: 's2', host: 'rs2/%s'}]}"
              .formatted(first.address(), second.address()));
      first.expect("admin", "{hostInfo: 1}", answer);
      second.expect("admin", "{hostInfo: 1}", other);
      return machines(connections, ServerKind.Product.ROUTER);
    }
  }

  @Test
  void aShardedClusterTellsOfItsShardsPrimaries() {
    List<Machine> told = machines(hostInfo("db1", ""), hostInfo("db2", ", memLimitMB: 8000"));
    assertThat(told).extracting(Machine::host).containsExactly("db1", "db2");
    assertThat(Machine.ramBytes(told)).hasValue(24_000L << 20);
  }

  @Test
  void shardsOnOneMachineShareItsRam() {
    List<Machine> told = machines(hostInfo("db1", ""), hostInfo("db1", ""));
    assertThat(Machine.ramBytes(told)).hasValue(16_000L << 20);
  }

  @Test
  void anUnknownShardMakesTheSumUnknown() {
    List<Machine> told = machines(hostInfo("db1", ""), "{ok: 0, code: 13, errmsg: 'no'}");
    assertThat(told).hasSize(2);
    assertThat(Machine.ramBytes(told)).isEmpty();
  }

  /** None gets its answer before all are asked. Turned red by asking one after the other. */
  @Test
  void allMembersOfAllShardsAreAskedAtOnce() {
    CyclicBarrier all = new CyclicBarrier(4);
    Machine db = new Machine("b", true, "Xeon", 8, 1, "6.1.0");
    List<Machine> told =
        ClusterServers.machines(
            List.of(List.of("a:1", "b:1"), List.of("c:1", "d:1")),
            host -> {
              await(all);
              return host.equals("b:1") ? Optional.of(db) : Optional.empty();
            });
    assertThat(told).containsExactly(db, new Machine("c:1,d:1", true, "", 0, 0, ""));
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Machine> machines(Connections connections, ServerKind.Product product) {
    return new ClusterServers(connections, new ServerKind(product, "8.0.4")).machines();
  }
}
