package io.shardload.driver.postgresql;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Driver;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.jdbc.SqlDriver;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Greeting;
import io.shardload.driver.postgresql.client.ServerSource;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.facts.LostWorkers;
import io.shardload.driver.postgresql.monitoring.PostgresqlMonitor;
import io.shardload.driver.postgresql.schema.SchemaOptions;
import io.shardload.driver.postgresql.statements.types.Descriptions;
import io.shardload.monitoring.ServerMonitor;
import io.shardload.workload.statements.port.SqlRules;
import io.shardload.workload.statements.port.StatementSystem;
import java.io.IOException;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.postgresql.ds.PGSimpleDataSource;

/** PostgreSQL's protocol. */
public final class PostgresqlDriver extends SqlDriver {
  /** For ServiceLoader. */
  public PostgresqlDriver() {
    super("postgresql", 5432);
  }

  @Override
  public List<StatementSystem> systems() {
    Optional<SqlRules> rules = Optional.of(Descriptions.RULES);
    return List.of(
        new StatementSystem("citus", Optional.of("postgresql"), rules),
        new StatementSystem("postgresql", Optional.empty(), rules));
  }

  @Override
  protected void checkSchema(Options schema) {
    var unused = SchemaOptions.read(schema);
  }

  @Override
  protected void checkOptions(Options options, Optional<Hosts> hosts) {
    Settings settings = Settings.read(options, hosts.map(Hosts::local).orElse(true));
    hosts.ifPresent(settings::check);
  }

  @Override
  public String greet(Socket connection) throws IOException {
    return Greeting.send(connection);
  }

  @Override
  public String lostBehind(TargetConfig target, Duration timeout) {
    try {
      ServerUrl address = address(target.url());
      Settings settings = Settings.read(Driver.options(target), address.hosts().local());
      PGSimpleDataSource source =
          new ServerSource(address.database(), target.user(), target.password(), settings)
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
    ServerUrl address = address(target.url());
    Settings settings = Settings.read(Driver.options(target), address.hosts().local());
    settings.check(address.hosts());
    Connections connections =
        new Connections(address, target.user(), target.password(), settings, session);
    connections.probe();
    return new PostgresqlTarget(connections, settings, SchemaOptions.read(Driver.schema(target)));
  }

  @Override
  public ServerMonitor monitor(TargetConfig target) {
    ServerUrl address = address(target.url());
    return PostgresqlMonitor.open(address, sources(address, target));
  }

  @Override
  public Optional<ServerMonitor> sessions(TargetConfig target, String application) {
    ServerUrl address = address(target.url());
    return Optional.of(
        PostgresqlMonitor.ofSessions(address, sources(address, target), application));
  }

  private static ServerSource sources(ServerUrl address, TargetConfig target) {
    Settings settings = Settings.read(Driver.options(target), address.hosts().local());
    return new ServerSource(address.database(), target.user(), target.password(), settings);
  }
}
