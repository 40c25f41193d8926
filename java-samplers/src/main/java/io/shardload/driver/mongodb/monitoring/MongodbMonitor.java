package io.shardload.driver.mongodb.monitoring;

import io.shardload.Daemons;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.DirectClients;
import io.shardload.monitoring.Readings;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.ServerHost;
import io.shardload.monitoring.ServerMonitor;
import io.shardload.monitoring.Turns;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * Asks all servers of a cluster at the same time: those of the URL, and those that they name. What
 * a server names is asked the next time. A server that is not named any more is forgotten.
 */
public final class MongodbMonitor implements ServerMonitor {
  private final DirectClients clients;
  private final String database;
  private final Clock clock;
  private final String application;
  private final Roster roster;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Daemons.named("mongodb-monitor"));

  /** The router that last answered queries about the whole cluster. */
  private Server spokesman;

  private MongodbMonitor(Address address, DirectClients clients, Clock clock, String application) {
    this.clients = clients;
    this.database = address.database();
    this.clock = clock;
    this.application = application;
    this.roster =
        new Roster(
            address.hosts().hostsAndPorts().stream()
                .map(host -> server(new Turn.Found(host, "", null)))
                .toList(),
            this::server);
    this.spokesman = roster.all().get(0);
  }

  /**
   * Asks the servers of a URL what they are.
   *
   * @param application the name of the connections whose sessions alone are of interest; null for
   *     all metrics
   * @throws ConfigException none of them answers
   */
  public static MongodbMonitor open(
      Address address, DirectClients clients, Clock clock, String application) {
    MongodbMonitor monitor = new MongodbMonitor(address, clients, clock, application);
    List<Turn.Report> reports = monitor.ask();
    if (reports.stream().noneMatch(Turn.Report::up)) {
      monitor.close();
      throw new ConfigException(
          reports.get(0).key(),
          reports.stream().map(Turn.Report::refusal).collect(Collectors.joining("; ")));
    }
    return monitor;
  }

  private Server server(Turn.Found found) {
    String name = found.name();
    return new Server(
        name,
        found.group(),
        found.role(),
        clients.allows(name) ? Optional.of(clients.to(name)) : Optional.empty(),
        clock);
  }

  /** {@inheritDoc} Two names of a URL may lead to one server. */
  @Override
  public Readings read() {
    return Readings.of(ask().stream().map(Turn.Report::sheet).toList());
  }

  private List<Turn.Report> ask() {
    long end = clock.nanoTime() + Turns.PATIENCE.toNanos();
    roster.all().stream().filter(Server::mayBeAsked).forEach(this::begin);
    Map<Server, Turn.Report> reports = new LinkedHashMap<>();
    roster.all().forEach(server -> reports.put(server, await(server, end)));
    chooseSpokesman(reports);
    if (spokesman.role() == Role.ROUTER) {
      roster.all().forEach(Server::assumeRouter);
    }
    roster.update(reports);
    return List.copyOf(reports.values());
  }

  private void begin(Server server) {
    Turn turn = new Turn(server, database, server == spokesman, application);
    server.turns().begin(turn::take, threads);
  }

  private Turn.Report await(Server server, long end) {
    if (!server.mayBeAsked()) {
      return Turn.Report.down(
          server,
          "target.options.ssl",
          server.title()
              + " is not on this machine: set ssl: verify-full or ssl: disable in target.options");
    }
    return server
        .turns()
        .await(
            end - clock.nanoTime(),
            reason -> Turn.Report.down(server, ServerUrl.KEY, server.title() + " " + reason));
  }

  /** Keeps the one it is while it answers. */
  private void chooseSpokesman(Map<Server, Turn.Report> reports) {
    List<Server> routers =
        roster.all().stream()
            .filter(server -> reports.get(server).up() && server.role() == Role.ROUTER)
            .toList();
    if (!routers.isEmpty() && !routers.contains(spokesman)) {
      spokesman = routers.get(0);
    }
  }

  @Override
  public List<ServerHost> hosts() {
    Map<String, ServerHost> hosts = new LinkedHashMap<>();
    for (Server server : roster.all()) {
      Hosts.Host host = Hosts.parse(server.name(), 27017, "host:port").all().get(0);
      hosts.putIfAbsent(server.name(), new ServerHost(host.name(), host.port(), server.role()));
    }
    return List.copyOf(hosts.values());
  }

  @Override
  public void close() {
    threads.shutdownNow();
    roster.close();
  }
}
