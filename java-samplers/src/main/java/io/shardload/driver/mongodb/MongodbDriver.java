package io.shardload.driver.mongodb;

import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.Driver;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Greeting;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.driver.mongodb.monitoring.MongodbMonitor;
import io.shardload.driver.mongodb.preflight.Probe;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.monitoring.ServerMonitor;
import io.shardload.workload.statements.port.StatementSystem;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** MongoDB's protocol. */
public final class MongodbDriver implements Driver {
  /** A monitor's connections give themselves a name of their own. */
  private static final Session MONITOR = new Session("monitor", 1, Duration.ZERO);

  @Override
  public String name() {
    return "mongodb";
  }

  @Override
  public List<StatementSystem> systems() {
    return List.of(
        new StatementSystem("ferretdb", Optional.of("mongodb"), Optional.empty()),
        new StatementSystem("mongodb", Optional.empty(), Optional.empty()));
  }

  @Override
  public void check(TargetConfig target) {
    ConfigException.all(
        () -> Driver.schema(target).whole(SchemaOptions::read), () -> checkOptions(target));
  }

  private static void checkOptions(TargetConfig target) {
    // The address of an embedded server is known once it has started.
    boolean local =
        (!target.embedded().isEmpty() && target.url().isEmpty())
            || Connections.address(target.url()).hosts().local();
    Driver.options(target)
        .whole(
            options -> {
              Settings settings = Settings.read(options, local);
              if (!target.url().isEmpty()) {
                Probe.checkHosts(Connections.address(target.url()).hosts().size(), settings);
              }
            });
  }

  @Override
  public Set<String> databases(TargetConfig target) {
    ServerUrl address = Connections.address(target.url());
    return address.hosts().databases(address.database());
  }

  @Override
  public Optional<Hosts> hosts(String url) {
    return Optional.of(Connections.address(url).hosts());
  }

  @Override
  public String greet(Socket connection) throws IOException {
    return Greeting.send(connection);
  }

  @Override
  public Target open(TargetConfig target, Session session) {
    SchemaOptions schema = SchemaOptions.read(Driver.schema(target));
    Connections connections = connections(target, session);
    try {
      Probe probe = new Probe(connections, target.user());
      ServerKind kind = probe.ask();
      schema.check(kind);
      return new MongodbTarget(connections, kind, schema, probe.warnings());
    } catch (RuntimeException e) {
      connections.close();
      throw e;
    }
  }

  @Override
  public ServerMonitor monitor(TargetConfig target) {
    return monitor(target, null);
  }

  @Override
  public Optional<ServerMonitor> sessions(TargetConfig target, String application) {
    return Optional.of(monitor(target, application));
  }

  private static ServerMonitor monitor(TargetConfig target, String application) {
    return MongodbMonitor.open(connections(target, MONITOR), Clock.SYSTEM, application);
  }

  private static Connections connections(TargetConfig target, Session session) {
    ServerUrl address = Connections.address(target.url());
    Settings settings = Settings.read(Driver.options(target), address.hosts().local());
    return new Connections(address, target.user(), target.password(), settings, session);
  }
}
