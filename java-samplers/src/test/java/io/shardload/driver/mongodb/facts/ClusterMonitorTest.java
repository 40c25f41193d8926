package io.shardload.driver.mongodb.facts;

import static io.shardload.driver.mongodb.FakeRouter.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.driver.Session;
import io.shardload.driver.Target.Move;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.ServerKind.Product;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a fake router keeps from a user without {@code clusterMonitor}, and what it names. */
class ClusterMonitorTest {
  private static final int UNAUTHORIZED = 13;
  private static final ServerKind ROUTER = new ServerKind(Product.ROUTER, "8.0.4");
  private static final String APPLICATION = "shardload-run-1";
  private static final String ON_ROUTER =
      "idleConnections: true, idleSessions: false, localOps: true";
  private static final String ON_SHARDS = "idleConnections: false, idleSessions: false";

  private final FakeRouter router = FakeRouter.router("8.0.4");
  private final Connections connections =
      TestConnections.open(
          router.url("app"),
          "'topology': 'sharded'",
          Session.controller("me", 1, Duration.ofMillis(20)));

  @AfterEach
  void close() {
    connections.close();
    router.close();
    router.assertDone();
  }

  private FakeRouter refuse(String database, String command) {
    return router.expectFailure(database, command, UNAUTHORIZED);
  }

  private static String aggregate(Object collection, String pipeline) {
    return "{aggregate: %s, readConcern: {level: 'local'}, pipeline: [%s], cursor: {}}"
        .formatted(collection, pipeline);
  }

  private static String look(boolean allUsers, String options) {
    return aggregate(
        1,
        "{$currentOp: {allUsers: %s, %s}}, {$match: {appName: '%s'}}, {$limit: 1}"
            .formatted(allUsers, options, APPLICATION));
  }

  @Test
  void shards() {
    for (int i = 0; i < 2; i++) {
      refuse("admin", "{listShards: 1}");
    }
    assertThat(new ClusterServers(connections, ROUTER).topology()).isEmpty();
    assertThat(new ClusterServers(connections, ROUTER).dataHosts()).isEmpty();
  }

  @Test
  void machines() {
    refuse("admin", "{hostInfo: 1}");
    assertThat(
            new ClusterServers(connections, new ServerKind(Product.REPLICA_SET, "8.0.4"))
                .machines())
        .isEmpty();
  }

  /**
   * An entry of {@code changelog} as MongoDB's {@code migration_source_manager.cpp} writes it, by a
   * clock that is three hours ahead of this machine's, which measured the run.
   */
  @Test
  void chunkMoves() throws CallFailure {
    String asked =
        "{find: 'changelog', readConcern: {level: 'majority'}, filter: {what: 'moveChunk.commit',"
            + " ns: {$regularExpression: {pattern: '^\\\\Qapp.\\\\E', options: ''}}, time: {$gte:"
            + " {$date: 0}, $lte: {$date: 0}}}, sort: {time: 1}}";
    Instant now = Instant.now();
    Instant ahead = now.plus(Duration.ofHours(3));
    router
        .says("msg: 'isdbgrid', localTime: {$date: '" + ahead + "'}")
        .expect(
            "config",
            asked,
            rows(
                "{time: {$date: '%s'}, what: 'moveChunk.commit', ns: 'app.orders', details: {min: {id: -7}, max: {id: {$maxKey: 1}}, from: 's0', to: 's1', counts: {cloned: 5}}}"
                    .formatted(ahead)));
    refuse("config", asked);
    ClusterServers servers = new ClusterServers(connections, ROUTER);
    Move move = servers.moves(now, now).orElseThrow().get(0);
    assertThat(move.at()).isBetween(now.minusSeconds(60), now.plusSeconds(60));
    assertThat(move)
        .isEqualTo(new Move(move.at(), "s0", "s1", "{\"id\": -7} to {\"id\": {\"$maxKey\": 1}}"));
    assertThatThrownBy(() -> servers.moves(now, now))
        .isInstanceOfSatisfying(
            CallFailure.class, failure -> assertThat(failure.kind()).isEqualTo("not-allowed"))
        .hasMessageEndingWith("; the role clusterMonitor allows it");
    ServerKind replicaSet = new ServerKind(Product.REPLICA_SET, "8.0.4");
    assertThat(new ClusterServers(connections, replicaSet).moves(now, now)).isEmpty();
  }

  /** Then the header alone counts. */
  @Test
  void otherRuns() throws CallFailure {
    for (boolean allUsers : new boolean[] {true, false}) {
      refuse(
          "admin",
          aggregate(
              1,
              "{$currentOp: {allUsers: "
                  + allUsers
                  + ", "
                  + ON_ROUTER
                  + "}}, {$match: {$and: [{appName: {$ne: 'shardload controller me'}}, {$or:"
                  + " [{appName: {$in: ['shardload-run-1', 'shardload controller run-1']}},"
                  + " {appName: {$regularExpression: {pattern: '^shardload(-| controller )',"
                  + " options: ''}}, ns: {$regularExpression: {pattern: '^\\\\Qapp.\\\\E',"
                  + " options: ''}}}]}]}}, {$limit: 1}"));
    }
    ConnectedClients clients = new ConnectedClients(connections, ROUTER);
    assertThat(clients.otherRun("run-1")).isEmpty();
  }

  @Test
  void clientsOfOtherUsers() throws CallFailure {
    refuse("admin", look(true, ON_ROUTER))
        .expect("admin", look(false, ON_ROUTER), rows("{appName: '" + APPLICATION + "'}"));
    ConnectedClients clients = new ConnectedClients(connections, ROUTER);
    assertThat(clients.awaitDisconnected(APPLICATION, Duration.ZERO)).isFalse();
  }

  /**
   * A mongos asks for the action {@code inprog} to tell what runs on the shards, be it the user's
   * own ({@code requiredPrivileges} in MongoDB's {@code document_source_current_op.h}); of the
   * built-in roles clusterMonitor has it ({@code builtin_roles.yml}).
   */
  @Test
  void operationsOnTheShards() throws CallFailure {
    for (int looks = 0; looks < 2; looks++) {
      refuse("admin", look(true, ON_ROUTER)).expect("admin", look(false, ON_ROUTER), rows());
      refuse("admin", look(true, ON_SHARDS));
      refuse("admin", look(false, ON_SHARDS));
    }
    ConnectedClients clients = new ConnectedClients(connections, ROUTER);
    assertThat(clients.awaitDisconnected(APPLICATION, Duration.ofMinutes(1))).isTrue();
    assertThat(clients.quiescenceCaveat())
        .isEqualTo(
            "this user may not list the operations on the shards (the role clusterMonitor on admin"
                + " allows it), so verification waited only for the statement timeout (20 ms)"
                + " before it read the documents");
  }
}
