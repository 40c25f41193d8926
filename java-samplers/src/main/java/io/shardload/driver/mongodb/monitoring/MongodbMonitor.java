package io.shardload.driver.mongodb.monitoring;

import com.mongodb.client.MongoClient;
import io.shardload.Daemons;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.monitoring.Readings;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.ServerHost;
import io.shardload.monitoring.ServerMonitor;
import io.shardload.monitoring.Turns;
import java.util.ArrayList;
import java.util.Comparator;
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
  private final Connections connections;
  private final Clock clock;
  private final String application;
  private final List<Server> ofUrl;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Daemons.named("mongodb-monitor"));

  private List<Server> all;

  /** The router that last answered queries about the whole cluster. */
  private Server spokesman;

  private MongodbMonitor(Connections connections, Clock clock, String application) {
    this.connections = connections;
    this.clock = clock;
    this.application = application;
    this.ofUrl =
        connections.hosts().stream().map(host -> server(new Turn.Found(host, "", null))).toList();
    this.all = ofUrl;
    this.spokesman = all.get(0);
  }

  /**
   * Asks the servers of a URL what they are.
   *
   * @param application the name of the connections whose sessions alone are of interest; null for
   *     all metrics
   * @throws ConfigException none of them answers
   */
  public static MongodbMonitor open(Connections connections, Clock clock, String application) {
    MongodbMonitor monitor = new MongodbMonitor(connections, clock, application);
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
    boolean allowed = connections.settings().encryption().allows(name);
    MongoClient client = allowed ? connections.monitor(name) : null;
    return new Server(name, found.group(), found.role(), client, clock);
  }

  /** {@inheritDoc} Two names of a URL may lead to one server. */
  @Override
  public Readings read() {
    return Readings.of(ask().stream().map(Turn.Report::sheet).toList());
  }

  private List<Turn.Report> ask() {
    long end = clock.nanoTime() + Turns.PATIENCE.toNanos();
    for (Server server : all) {
      if (server.mayBeAsked()) {
        Turn turn = new Turn(server, connections.databaseName(), server == spokesman, application);
        server.turns().begin(turn::take, threads);
      }
    }
    Map<Server, Turn.Report> reports = new LinkedHashMap<>();
    all.forEach(server -> reports.put(server, await(server, end)));
    chooseSpokesman(reports);
    if (spokesman.role() == Role.ROUTER) {
      all.forEach(Server::assumeRouter);
    }
    reports.forEach(Server::take);
    findAll();
    return List.copyOf(reports.values());
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

  /** The servers of the URL, those that they name, and so on; closes those that no one names. */
  private void findAll() {
    List<Server> reached = new ArrayList<>(ofUrl);
    for (int i = 0; i < reached.size(); i++) {
      for (Turn.Found found : reached.get(i).named()) {
        if (find(found.name(), reached).isEmpty()) {
          reached.add(find(found.name(), all).orElseGet(() -> server(found)));
        }
      }
    }
    all.stream().filter(server -> !reached.contains(server)).forEach(Server::close);
    all = List.copyOf(reached);
  }

  private static Optional<Server> find(String name, List<Server> servers) {
    return servers.stream().filter(server -> server.name().equals(name)).findFirst();
  }

  /** Keeps the one it is while it answers. */
  private void chooseSpokesman(Map<Server, Turn.Report> reports) {
    all.stream()
        .filter(server -> reports.get(server).up() && server.role() == Role.ROUTER)
        .min(Comparator.comparing(server -> server != spokesman))
        .ifPresent(router -> spokesman = router);
  }

  @Override
  public List<ServerHost> hosts() {
    Map<String, ServerHost> hosts = new LinkedHashMap<>();
    for (Server server : all) {
      Hosts.Host host = Hosts.parse(server.name(), 27017, "host:port").all().get(0);
      hosts.putIfAbsent(server.name(), new ServerHost(host.name(), host.port(), server.role()));
    }
    return List.copyOf(hosts.values());
  }

  @Override
  public void close() {
    threads.shutdownNow();
    all.forEach(Server::close);
  }
}
