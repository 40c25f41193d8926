package io.shardload.driver.mongodb.facts;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.Caught.refusalOf;
import static io.shardload.driver.mongodb.FakeRouter.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.gson.JsonObject;
import com.mongodb.MongoException;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TcpProxy;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.Kind;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.StatementStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who is connected: the generators before the first transaction, and after the last. */
class MongodbConnectedTest {
  private static final String APPLICATION = "shardload-run-1";
  private static final Duration STATEMENT_TIMEOUT = Duration.ofMillis(20);
  private static final Session SESSION = new Session("test", 2, STATEMENT_TIMEOUT);

  /** As many as cannot be there by chance. */
  private static final int WORKERS = 60;

  private static final String ON_ROUTER =
      "{allUsers: true, idleConnections: true, idleSessions: false, localOps: true}";
  private static final String ON_SHARDS =
      "{allUsers: true, idleConnections: false, idleSessions: false}";
  private static final String SOMEBODY = rows("{appName: '" + APPLICATION + "'}");

  private static final String LAST_WRITE = "Timestamp(100, 2)";

  /** What the harness asks; with {@code majority}, its own concern, a server would refuse it. */
  private static String look(String options) {
    return "{aggregate: 1, readConcern: {level: 'local'}, pipeline: [{$currentOp: "
        + options
        + "}, {$match: {appName: '"
        + APPLICATION
        + "'}}, {$limit: 1}], cursor: {}}";
  }

  @Test
  void thePoolIsFullBeforeTheFirstTransaction() throws IOException {
    try (TcpProxy ferretdb = new TcpProxy(port());
        Target target = open(ferretdb, "30s")) {
      int before = ferretdb.passing();
      assertThat(target.port(StatementStore.class)).isNotNull();
      assertThat(ferretdb.passing()).isGreaterThanOrEqualTo(before + WORKERS);
    }
  }

  @Test
  void aServerThatGivesFewerConnectionsIsRefused() throws IOException {
    try (TcpProxy ferretdb = new TcpProxy(port(), WORKERS / 2);
        Target target = open(ferretdb, "1s")) {
      ConfigException e = refusalOf(() -> target.port(StatementStore.class));
      assertThat(e.key()).isEqualTo("target.options.pool-size");
      assertThat(e.getMessage())
          .matches("a server accepts only \\d+ of " + WORKERS + " connections");
    }
  }

  @Test
  void aServerThatEndsMeanwhileIsNotCalledAPoolThatIsTooLarge() throws IOException {
    AtomicInteger connections = new AtomicInteger();
    AtomicReference<TcpProxy> itself = new AtomicReference<>();
    TcpProxy.Way way =
        piece -> {
          if (connections.get() > WORKERS / 2) {
            itself.get().refuse();
          }
          return piece;
        };
    try (TcpProxy ferretdb =
        new TcpProxy(
            port(),
            () -> {
              connections.incrementAndGet();
              return TcpProxy.Ways.answers(way);
            })) {
      itself.set(ferretdb);
      try (Target target = open(ferretdb, "1s")) {
        ConfigException e = refusalOf(() -> target.port(StatementStore.class));
        assertThat(e.key()).isEqualTo("target.url");
        assertThat(e.getMessage())
            .matches(
                "the server gave \\d+ of "
                    + WORKERS
                    + " connections, and refused the next one: .*refused.*");
      }
    }
  }

  /** Turned red by keeping the client before its pool was full. */
  @Test
  void aPoolThatCouldNotBeFilledIsNotTakenForFullTheNextTime() {
    try (Connections connections = connections("mongodb://127.0.0.1:1/app")) {
      for (int time = 0; time < 2; time++) {
        assertThat(catchThrowable(connections::database)).isInstanceOf(MongoException.class);
      }
    }
  }

  /**
   * @param patience how long the next connection of the pool is waited for
   */
  private static Target open(TcpProxy server, String patience) {
    return new TestMongo.Database("mongodb://127.0.0.1:" + server.port() + "/", null, "app")
        .open(
            "{'connect-timeout': '" + patience + "', 'server-selection-timeout': '30s'}",
            new Session("test", WORKERS, Duration.ofSeconds(5)));
  }

  private static int port() {
    return Connections.address(TestMongo.ferretdb().url()).hosts().all().get(0).port();
  }

  @Test
  void twoLooksInARowMustFindNobodyOnRouterAndShards() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4");
        Connections connections = connections(router.url("app"))) {
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
      ConnectedClients clients = clients(connections);
      assertThat(clients.awaitDisconnected(APPLICATION, Duration.ofMinutes(1))).isTrue();
      assertThat(clients.quiescenceCaveat()).isEmpty();
      router.assertDone();
    }
  }

  /** A run may outlive one of its routers; whether its documents are there can still be seen. */
  @Test
  void aHostThatIsDownIsLeftOutAndNamed() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4");
        Connections connections =
            connections(router.url("app").replace("/app", ",127.0.0.1:1/app"))) {
      for (int looks = 0; looks < 2; looks++) {
        router.expect("admin", look(ON_ROUTER), rows()).expect("admin", look(ON_SHARDS), rows());
      }
      ConnectedClients clients = clients(connections);
      assertThat(clients.awaitDisconnected(APPLICATION, Duration.ofMinutes(1))).isTrue();
      assertThat(clients.quiescenceCaveat())
          .isEqualTo("the clients connected to 127.0.0.1:1 could not be listed");
      router.assertDone();
    }
  }

  private static Connections connections(String url) {
    return TestConnections.open(
        url, "'topology': 'sharded', 'server-selection-timeout': '3s'", SESSION);
  }

  private static ConnectedClients clients(Connections connections) {
    return new ConnectedClients(connections, new ServerKind(ServerKind.Product.ROUTER, "8.0.4"));
  }

  /** These do not tell; what a generator sent is over when its statement timeout is. */
  @ParameterizedTest
  @EnumSource
  void whereTheServerDoesNotTellTheStatementTimeoutIsWaitedFor(Kind kind) throws CallFailure {
    try (Target target = kind.fresh().open("{}", SESSION)) {
      assertThat(target.awaitDisconnected(APPLICATION, STATEMENT_TIMEOUT)).isTrue();
      assertThat(target.awaitDisconnected(APPLICATION, STATEMENT_TIMEOUT.minusMillis(1))).isFalse();
      assertThat(target.quiescenceCaveat())
          .contains("does not list connected clients", "only for the statement timeout (20 ms)");
    }
  }

  // A verification must not read what a majority holds while more is on its way.

  private static void await(FakeRouter router, String writeConcern) throws CallFailure {
    JsonObject json =
        BundleFixture.parse("{'topology': 'sharded', 'write-concern': '" + writeConcern + "'}");
    Settings settings = Settings.read(new Options("target.options", json), true);
    Session session = new Session("test", 2, Duration.ofMillis(20));
    try (Connections connections =
        new Connections(
            Connections.address(router.url("app")), "", Optional.empty(), settings, session)) {
      clients(connections).awaitMajority();
    }
  }

  private static FakeRouter router() {
    return FakeRouter.router("8.0.4").says("msg: 'isdbgrid', logicalSessionTimeoutMinutes: 30");
  }

  private static String find(String readConcern) {
    return "{find: 'orders', readConcern: {"
        + readConcern
        + "}, filter: {}, projection: {_id: 1}, limit: 1, singleBatch: true, maxTimeMS: 20}";
  }

  private static FakeRouter collections(FakeRouter router) {
    return router.expect(
        "app",
        "{listCollections: 1, cursor: {}, filter: {type: 'collection'}, nameOnly: true}",
        rows("{name: 'orders', type: 'collection'}", "{name: 'system.views', type: 'collection'}"));
  }

  /** The first find tells the time of the last write; the second one waits for a majority. */
  @Test
  void waitsUntilAMajorityHoldsWhatThePrimariesShow() throws CallFailure {
    try (FakeRouter router = collections(router())) {
      router
          .expect(
              "app",
              find("level: 'local'"),
              rows().replace("ok: 1", "ok: 1, operationTime: " + LAST_WRITE))
          .expect("app", find("level: 'majority', afterClusterTime: " + LAST_WRITE), rows());
      await(router, "majority");
      router.assertDone();
    }
  }

  @Test
  void aMajorityThatLagsTooLongEndsTheWait() {
    try (FakeRouter router = collections(router())) {
      router
          .expect("app", find("level: 'local'"), rows())
          .expectFailure("app", find("level: 'majority'"), 50);
      CallFailure failure = failureOf(() -> await(router, "majority"));
      assertThat(failure.kind()).isEqualTo("timeout");
    }
  }

  /** Verification then reads with {@code local}, which shows everything. */
  @Test
  void aNumberOfMembersNeedsNoWait() throws CallFailure {
    try (FakeRouter router = router()) {
      await(router, "1");
      router.assertDone();
    }
  }
}
