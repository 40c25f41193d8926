package io.shardload.driver.mongodb.facts;

import static io.shardload.driver.mongodb.FakeRouter.rows;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who uses the database, as a router reports it. */
class OtherRunsTest {
  private static final int UNAUTHORIZED = 13;
  private static final Session SESSION = Session.controller("me", 1, Duration.ofSeconds(5));

  private static String look(boolean allUsers) {
    return ("{aggregate: 1, readConcern: {level: 'local'}, pipeline: [{$currentOp: {allUsers: %s,"
            + " idleConnections: true, idleSessions: false, localOps: true}}, {$match: {$and: ["
            + "{appName: {$ne: 'shardload controller me'}}, {$or: [{appName: {$in:"
            + " ['shardload-run-1', 'shardload controller run-1']}}, {appName:"
            + " {$regularExpression: {pattern: '^shardload(-| controller )', options: ''}}, ns:"
            + " {$regularExpression: {pattern: '^\\\\Qapp.\\\\E', options: ''}}}]}]}},"
            + " {$limit: 1}], cursor: {}}")
        .formatted(allUsers);
  }

  private static Optional<String> ask(FakeRouter router) throws CallFailure {
    Options options =
        new Options(
            "target.options", JsonParser.parseString("{'topology': 'sharded'}").getAsJsonObject());
    ServerKind kind = new ServerKind(ServerKind.Product.ROUTER, "8.0.4");
    try (Connections connections =
        new Connections(
            Address.parse(router.url("app")),
            "",
            Optional.empty(),
            Settings.read(options, true),
            SESSION)) {
      return new OtherRuns(connections, kind, new ConnectedClients(connections, kind)).any("run-1");
    }
  }

  @Test
  void aConnectionOfTheRunIsReportedByTheRunsName() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router.expect("admin", look(true), rows("{appName: 'shardload controller run-1'}"));
      assertThat(ask(router)).contains("run-1");
      router.assertDone();
    }
  }

  /** Then the header alone counts. */
  @Test
  void whereTheUserMayNotAskNobodyIsSeen() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router
          .expectFailure("admin", look(true), UNAUTHORIZED)
          .expectFailure("admin", look(false), UNAUTHORIZED);
      assertThat(ask(router)).isEmpty();
      router.assertDone();
    }
  }
}
