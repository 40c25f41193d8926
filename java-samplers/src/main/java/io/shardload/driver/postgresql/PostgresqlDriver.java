package io.shardload.driver.postgresql;

import io.shardload.config.ConfigException;
import io.shardload.driver.Driver;
import io.shardload.driver.Hosts;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.postgresql.client.Address;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Greeting;
import io.shardload.driver.postgresql.client.ServerSource;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.facts.LostWorkers;
import io.shardload.driver.postgresql.monitoring.PostgresqlMonitor;
import io.shardload.driver.postgresql.schema.SchemaOptions;
import io.shardload.monitoring.ServerMonitor;
import java.io.IOException;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.postgresql.ds.PGSimpleDataSource;

/** PostgreSQL's protocol. */
public final class PostgresqlDriver implements Driver {
  @Override
  public List<String> systems() {
    return List.of("citus", "postgresql");
  }

  @Override
  public String name() {
    return "postgresql";
  }

  @Override
  public void check(TargetConfig target) {
    ConfigException.all(
        () -> Driver.schema(target).whole(SchemaOptions::read), () -> checkOptions(target));
  }

  private static void checkOptions(TargetConfig target) {
    // The address of an embedded server is known once it has started.
    if (target.embedded().isEmpty() || !target.url().isEmpty()) {
      Address address = Address.parse(target.url());
      ConfigException.all(
          () ->
              Driver.options(target)
                  .whole(
                      options ->
                          Settings.read(options, address.hosts().local()).check(address.hosts())),
          () -> user(target));
    } else {
      Driver.options(target).whole(options -> Settings.read(options, true));
    }
  }

  @Override
  public Set<String> databases(TargetConfig target) {
    Address address = Address.parse(target.url());
    return address.hosts().databases(address.database());
  }

  @Override
  public Optional<Hosts> hosts(String url) {
    return Optional.of(Address.parse(url).hosts());
  }

  @Override
  public String greet(Socket connection) throws IOException {
    return Greeting.send(connection);
  }

  @Override
  public String lostBehind(TargetConfig target, Duration timeout) {
    try {
      Address address = Address.parse(target.url());
      Settings settings = Settings.read(Driver.options(target), address.hosts().local());
      PGSimpleDataSource source =
          new ServerSource(address.database(), user(target), target.password(), settings)
              .source(address.hosts(), "shardload-targets", timeout);
      source.setSocketTimeout((int) Math.max(1, timeout.toSeconds()));
      try (Connection connection = source.getConnection();
          Statement statement = connection.createStatement()) {
        return LostWorkers.of(statement);
      }
    } catch (ConfigException | SQLException e) {
      return "";
    }
  }

  @Override
  public Target open(TargetConfig target, Session session) {
    Address address = Address.parse(target.url());
    Settings settings = Settings.read(Driver.options(target), address.hosts().local());
    settings.check(address.hosts());
    Connections connections =
        new Connections(address, user(target), target.password(), settings, session);
    connections.probe();
    return new PostgresqlTarget(connections, settings, SchemaOptions.read(Driver.schema(target)));
  }

  @Override
  public ServerMonitor monitor(TargetConfig target) {
    Address address = Address.parse(target.url());
    return PostgresqlMonitor.open(address, sources(address, target));
  }

  @Override
  public Optional<ServerMonitor> sessions(TargetConfig target, String application) {
    Address address = Address.parse(target.url());
    return Optional.of(
        PostgresqlMonitor.ofSessions(address, sources(address, target), application));
  }

  private static ServerSource sources(Address address, TargetConfig target) {
    Settings settings = Settings.read(Driver.options(target), address.hosts().local());
    return new ServerSource(address.database(), user(target), target.password(), settings);
  }

  private static String user(TargetConfig target) {
    if (target.user().isEmpty()) {
      throw new ConfigException("target.user", "is missing");
    }
    return target.user();
  }
}
