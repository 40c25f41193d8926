package io.shardload.driver.mongodb;

import static io.shardload.driver.mongodb.FakeRouter.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.Database;
import io.shardload.driver.mongodb.MongodbFindsTest.Kind;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.DocumentStore;
import java.time.Duration;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who is connected: the generators before the first transaction, and after the last. */
class MongodbConnectedTest {
  private static final String APPLICATION = "shardload-run-1";
  private static final Duration STATEMENT_TIMEOUT = Duration.ofMillis(20);
  private static final Session SESSION = new Session("test", 2, STATEMENT_TIMEOUT);
  private static final String ON_ROUTER =
      "{allUsers: true, idleConnections: true, idleSessions: false, localOps: true}";
  private static final String ON_SHARDS =
      "{allUsers: true, idleConnections: true, idleSessions: false}";
  private static final String SOMEBODY = rows("{appName: '" + APPLICATION + "'}");

  private final FakeRouter router = FakeRouter.router("8.0.4");

  /** What the harness asks; with {@code majority}, its own concern, a server would refuse it. */
  private static String look(String options) {
    return "{aggregate: 1, pipeline: [{$currentOp: "
        + options
        + "}, {$match: {appName: '"
        + APPLICATION
        + "'}}, {$limit: 1}], cursor: {}, readConcern: {level: 'local'}}";
  }

  /** By the server's own count; as many workers as cannot get connections in no time. */
  @Test
  void thePoolIsFullBeforeTheFirstTransaction() {
    int workers = 60;
    Database database = TestMongo.fake();
    try (Target target = database.open("{}", new Session("test", workers, STATEMENT_TIMEOUT))) {
      int before = connections(database);
      assertThat(target.port(DocumentStore.class)).isNotNull();
      assertThat(connections(database)).isGreaterThanOrEqualTo(before + workers);
    }
  }

  private static int connections(Database database) {
    return database
        .bson()
        .runCommand(new Document("serverStatus", 1))
        .get("connections", Document.class)
        .getInteger("current");
  }

  @Test
  void aGeneratorThatIsConnectedIsSeenByAnEmptyListTwice() throws CallFailure {
    router
        .expect("admin", look(ON_ROUTER), SOMEBODY)
        .expect("admin", look(ON_ROUTER), rows())
        .expect("admin", look(ON_SHARDS), SOMEBODY)
        .expect("admin", look(ON_ROUTER), rows())
        .expect("admin", look(ON_SHARDS), rows())
        .expect("admin", look(ON_ROUTER), SOMEBODY)
        .expect("admin", look(ON_ROUTER), rows())
        .expect("admin", look(ON_SHARDS), rows())
        .expect("admin", look(ON_ROUTER), rows())
        .expect("admin", look(ON_SHARDS), rows());
    try (Connections connections = connections()) {
      assertThat(facts(connections).awaitQuiet(APPLICATION, Duration.ofMinutes(1))).isTrue();
    }
    router.assertDone();
    router.close();
  }

  @Test
  void aGeneratorThatStaysConnectedIsTold() throws CallFailure {
    router.expect("admin", look(ON_ROUTER), SOMEBODY);
    try (Connections connections = connections()) {
      assertThat(facts(connections).awaitQuiet(APPLICATION, Duration.ZERO)).isFalse();
    }
    router.assertDone();
    router.close();
  }

  private Connections connections() {
    var json = com.google.gson.JsonParser.parseString("{topology: 'sharded'}").getAsJsonObject();
    Settings settings =
        Settings.read(new io.shardload.config.Options("target.options", json), true);
    return new Connections(
        Address.parse(router.url("app")), "", java.util.Optional.empty(), settings, SESSION);
  }

  private static ServerFacts facts(Connections connections) {
    return new ServerFacts(connections, new ServerKind(ServerKind.Product.ROUTER, "8.0.4"));
  }

  /** These do not tell; what a generator sent is over when its statement timeout is. */
  @ParameterizedTest
  @EnumSource
  void whereTheServerDoesNotTellTheStatementTimeoutIsWaitedFor(Kind kind) throws CallFailure {
    try (Target target = kind.fresh().open("{}", SESSION)) {
      assertThat(target.awaitQuiet(APPLICATION, STATEMENT_TIMEOUT)).isTrue();
      assertThat(target.awaitQuiet(APPLICATION, STATEMENT_TIMEOUT.minusMillis(1))).isFalse();
    }
  }
}
