package io.shardload.driver.mongodb.client;

import static io.shardload.driver.mongodb.FakeRouter.rows;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.connection.ServerConnectionState;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerType;
import io.shardload.driver.Session;
import io.shardload.driver.TcpProxy;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.facts.ConnectedClients;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Replica sets of two fakes: which members statements go to, and which are left alone. */
class MongodbMembersTest {
  private static final String APPLICATION = "shardload-run-1";
  private static final String LOOK =
      "{aggregate: 1, readConcern: {level: 'local'}, pipeline: [{$currentOp: {allUsers: true,"
          + " idleConnections: true, idleSessions: false}}, {$match: {appName: '"
          + APPLICATION
          + "'}}, {$limit: 1}], cursor: {}}";
  private static final String NOT_WRITABLE = "ismaster: false, isWritablePrimary: false";
  private static final String ARBITER = NOT_WRITABLE + ", secondary: false, arbiterOnly: true";
  private static final String RECOVERING = NOT_WRITABLE + ", secondary: false";
  private static final String SECONDARY = NOT_WRITABLE + ", secondary: true";

  /** As many as cannot be there by chance. */
  private static final int WORKERS = 20;

  private final FakeRouter primary = FakeRouter.primary("8.0.4");
  private final FakeRouter other = FakeRouter.primary("8.0.4");

  @AfterEach
  void close() {
    primary.close();
    other.close();
  }

  /**
   * Makes the two a set.
   *
   * @param role of the other one
   * @param address of the other one
   */
  private void set(String role, String address) {
    String members =
        ", setName: 'rs0', setVersion: 1, primary: '%s', %s"
            .formatted(
                primary.address(),
                role.equals(ARBITER)
                    ? "hosts: ['%s'], arbiters: ['%s']".formatted(primary.address(), address)
                    : "hosts: ['%s', '%s']".formatted(primary.address(), address));
    primary.says("secondary: false, me: '" + primary.address() + "'" + members);
    other.says(role + ", me: '" + address + "'" + members);
  }

  private static Connections connections(String url, String preference) {
    return TestConnections.open(
        url,
        "'topology': 'replica-set', 'connect-timeout': '1s', 'server-selection-timeout': '10s',"
            + " 'read-preference': '"
            + preference
            + "'",
        new Session("test", WORKERS, Duration.ofSeconds(5)));
  }

  /** With both in the URL, so that the driver knows both when the first answers. */
  private String both() {
    return primary.url("app").replace("/app", "," + other.address() + "/app");
  }

  @ParameterizedTest
  @ValueSource(strings = {ARBITER, RECOVERING})
  void aMemberThatTakesNoStatementsNeedsNoPool(String role) {
    set(role, other.address());
    try (Connections connections = connections(both(), "nearest")) {
      assertThat(connections.database()).isNotNull();
      assertThat(connections.poolEvents().ready(primary.address())).isEqualTo(WORKERS);
      assertThat(connections.poolEvents().ready(other.address())).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ARBITER, RECOVERING})
  void aMemberThatTakesNoStatementsIsNotAskedWhoIsConnected(String role) throws CallFailure {
    set(role, other.address());
    try (Connections connections = connections(both(), "primary")) {
      awaitFound(connections);
      primary.expect("admin", LOOK, rows()).expect("admin", LOOK, rows());
      ConnectedClients clients =
          new ConnectedClients(
              connections, new ServerKind(ServerKind.Product.REPLICA_SET, "8.0.4"));
      assertThat(clients.awaitDisconnected(APPLICATION, Duration.ofMinutes(1))).isTrue();
      assertThat(clients.quiescenceCaveat()).isEmpty();
      primary.assertDone();
      other.assertDone();
    }
  }

  /** A run asks long after it has found the members. */
  private static void awaitFound(Connections connections) {
    var client = connections.recordClient();
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (client.getClusterDescription().getServerDescriptions().stream()
        .anyMatch(server -> !server.isOk())) {
      assertThat(System.nanoTime()).as("time to find the members").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  @Test
  void aSecondaryIsAskedWhoIsConnected() throws CallFailure {
    set(SECONDARY, other.address());
    try (Connections connections = connections(both(), "primary")) {
      awaitFound(connections);
      primary.expect("admin", LOOK, rows()).expect("admin", LOOK, rows());
      other.expect("admin", LOOK, rows()).expect("admin", LOOK, rows());
      ConnectedClients clients =
          new ConnectedClients(
              connections, new ServerKind(ServerKind.Product.REPLICA_SET, "8.0.4"));
      assertThat(clients.awaitDisconnected(APPLICATION, Duration.ofMinutes(1))).isTrue();
      primary.assertDone();
      other.assertDone();
    }
  }

  /** It gives too few connections, but nothing is read from it. */
  @Test
  void aSecondaryNeedsNoPoolIfAllReadsGoToThePrimary() throws IOException {
    int port = Connections.address(other.url("app")).hosts().all().get(0).port();
    try (TcpProxy few = new TcpProxy(port, WORKERS / 2)) {
      String address = "127.0.0.1:" + few.port();
      set(SECONDARY, address);
      try (Connections connections = connections("mongodb://" + address + "/app", "primary")) {
        assertThat(connections.database()).isNotNull();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "STANDALONE, true, true",
    "SHARD_ROUTER, true, true",
    "REPLICA_SET_PRIMARY, true, true",
    "REPLICA_SET_SECONDARY, false, true",
    "REPLICA_SET_ARBITER, false, false",
    "REPLICA_SET_OTHER, false, false",
    "REPLICA_SET_GHOST, false, false"
  })
  void whoNeedsAPool(ServerType type, boolean primaryOnly, boolean nearest) {
    ServerDescription server =
        ServerDescription.builder()
            .address(new ServerAddress("h"))
            .state(ServerConnectionState.CONNECTED)
            .ok(true)
            .type(type)
            .build();
    assertThat(PoolEvents.isNeeded(server, ReadPreference.primary())).isEqualTo(primaryOnly);
    assertThat(PoolEvents.isNeeded(server, ReadPreference.nearest())).isEqualTo(nearest);
  }
}
