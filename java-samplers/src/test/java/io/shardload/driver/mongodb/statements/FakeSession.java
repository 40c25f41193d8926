package io.shardload.driver.mongodb.statements;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.ServerKind.Product;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.workload.statements.port.StatementStore;
import java.time.Duration;
import java.util.Optional;

/** A store on a fake mongos that answers what a test says. */
record FakeSession(FakeRouter router, Connections connections, StatementStore store)
    implements AutoCloseable {
  private static final ServerKind KIND = new ServerKind(Product.ROUTER, "8.0.4");

  /** What {@code hello} answers where sessions are supported; the manual, {@code hello}. */
  static final String SESSIONS = "msg: 'isdbgrid', logicalSessionTimeoutMinutes: 30";

  static FakeSession on(FakeRouter router, String options) {
    Connections connections = connections(router, options);
    return new FakeSession(router, connections, new MongodbStatementStore(connections, KIND));
  }

  /** The admin on connections that nobody has opened yet. */
  static MongodbStatementAdmin admin(Connections connections) {
    return new MongodbStatementAdmin(connections, KIND, SchemaOptions.read(Options.none("schema")));
  }

  static Connections connections(FakeRouter router, String options) {
    JsonObject json =
        JsonParser.parseString(("{'topology': 'sharded'" + options + "}").replace('\'', '"'))
            .getAsJsonObject();
    return new Connections(
        Address.parse(router.says(SESSIONS).url("app")),
        "",
        Optional.empty(),
        Settings.read(new Options("target.options", json), true),
        new Session("test", 1, Duration.ofSeconds(5)));
  }

  @Override
  public void close() {
    connections.close();
    router.close();
  }
}
