package io.shardload.driver.mongodb.statements;

import io.shardload.driver.Session;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.ServerKind.Product;
import io.shardload.workload.statements.port.StatementStore;
import java.time.Duration;

/** A store on a fake mongos that answers what a test says. */
record FakeSession(FakeRouter router, Connections connections, StatementStore store)
    implements AutoCloseable {
  private static final ServerKind KIND = new ServerKind(Product.ROUTER, "8.0.4");

  /** What {@code hello} answers where sessions are supported; the manual, {@code hello}. */
  static final String SESSIONS = "msg: 'isdbgrid', logicalSessionTimeoutMinutes: 30";

  static FakeSession on(FakeRouter router, String options) {
    Connections connections =
        TestConnections.open(
            router.says(SESSIONS).url("app"),
            "'topology': 'sharded'" + options,
            new Session("test", 1, Duration.ofSeconds(5)));
    return new FakeSession(router, connections, new MongodbStatementStore(connections, KIND));
  }

  @Override
  public void close() {
    connections.close();
    router.close();
  }
}
