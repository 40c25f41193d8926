package io.shardload.driver.postgresql.monitoring;

import io.shardload.Daemons;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.postgresql.client.Refusal;
import io.shardload.driver.postgresql.client.ServerSource;
import io.shardload.monitoring.Readings;
import io.shardload.monitoring.ServerHost;
import io.shardload.monitoring.ServerMonitor;
import io.shardload.monitoring.Turns;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.jdbc.PreferQueryMode;

/**
 * The servers of a URL, each with a connection of its own, and the workers of a Citus whose
 * coordinator is one of them. All are asked at the same time. A read waits no longer than a scrape
 * does; what a late server still answers then is not reported.
 */
public final class PostgresqlMonitor implements ServerMonitor {
  /** Which is the name of no run's connections. */
  static final String APPLICATION = "shardload monitor";

  /** For a server that was lost; to begin with, the target's own timeout holds. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

  /** How long the client waits for an answer, beyond what the server takes for it at most. */
  private static final int SOCKET_SECONDS = 3;

  private final ServerUrl address;
  private final ServerSource sources;
  private final List<MonitoredServer> servers;
  private final ExecutorService threads;

  private PostgresqlMonitor(
      ServerUrl address, ServerSource sources, Function<Set<String>, Questions> questions) {
    this.address = address;
    this.sources = sources;
    var named =
        address.hosts().hostsAndPorts().stream()
            .map(ServerNames::spelling)
            .collect(Collectors.toSet());
    this.servers =
        address.hosts().each().stream()
            .map(
                host ->
                    new MonitoredServer(
                        host, source(host, CONNECT_TIMEOUT), questions.apply(named), Clock.SYSTEM))
            .toList();
    this.threads =
        Executors.newFixedThreadPool(servers.size(), Daemons.named("shardload-server-metrics"));
  }

  /**
   * Connects to all servers, for all their metrics.
   *
   * @throws ConfigException none can be reached
   */
  public static PostgresqlMonitor open(ServerUrl address, ServerSource sources) {
    return open(address, sources, named -> new MetricQuestions(named, Clock.SYSTEM));
  }

  /**
   * Connects to all servers, for what the sessions of a load do.
   *
   * @param application the name of the load's connections
   * @throws ConfigException none can be reached
   */
  public static PostgresqlMonitor ofSessions(
      ServerUrl address, ServerSource sources, String application) {
    return open(address, sources, named -> new SessionQuestions(application, named, Clock.SYSTEM));
  }

  private static PostgresqlMonitor open(
      ServerUrl address, ServerSource sources, Function<Set<String>, Questions> questions) {
    PostgresqlMonitor monitor = new PostgresqlMonitor(address, sources, questions);
    List<SQLException> refusals = monitor.connect();
    if (refusals.size() == monitor.servers.size()) {
      monitor.close();
      throw Refusal.of(refusals.get(0), address, sources.user(), sources.settings().shared().tls());
    }
    return monitor;
  }

  /** Why servers refuse; one for each that does. */
  private List<SQLException> connect() {
    var attempts =
        servers.stream()
            .map(server -> CompletableFuture.supplyAsync(() -> connect(server), threads))
            .toList();
    return attempts.stream().map(CompletableFuture::join).flatMap(Optional::stream).toList();
  }

  private Optional<SQLException> connect(MonitoredServer server) {
    try {
      server.connect(source(server.host(), sources.settings().shared().connectTimeout()));
      return Optional.empty();
    } catch (SQLException e) {
      return Optional.of(e);
    }
  }

  @Override
  public Readings read() {
    long end = Clock.SYSTEM.nanoTime() + Turns.PATIENCE.toNanos();
    servers.forEach(server -> server.begin(threads));
    return Readings.of(servers.stream().flatMap(server -> server.await(end).stream()).toList());
  }

  @Override
  public List<ServerHost> hosts() {
    ClusterHosts found = new ClusterHosts(sources.settings().pgbouncer());
    for (Hosts host : address.hosts().each()) {
      try (Connection connection =
          source(host, sources.settings().shared().connectTimeout()).getConnection()) {
        found.ask(connection, host.all().get(0));
      } catch (SQLException e) {
        // The information of other servers must suffice.
      }
    }
    return found.all();
  }

  private PGSimpleDataSource source(Hosts host, Duration connectTimeout) {
    PGSimpleDataSource source = sources.source(host, APPLICATION, connectTimeout);
    source.setSocketTimeout(SOCKET_SECONDS);
    // A pgbouncer in transaction mode may keep no prepared statements.
    source.setPreferQueryMode(PreferQueryMode.SIMPLE);
    // In a transaction a part that is refused must not take the others with it.
    source.setAutosave(AutoSave.ALWAYS);
    return source;
  }

  @Override
  public void close() {
    threads.shutdownNow();
    servers.forEach(MonitoredServer::close);
  }
}
