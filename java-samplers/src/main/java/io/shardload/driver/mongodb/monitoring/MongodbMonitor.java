package io.shardload.driver.mongodb.monitoring;

import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.DirectClients;
import io.shardload.monitoring.Reading;
import io.shardload.monitoring.Readings;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.ServerHost;
import io.shardload.monitoring.ServerMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Asks all servers of a cluster at the same time: those of the URL, and those that they name. What
 * a server names is asked the next time.
 */
public final class MongodbMonitor implements ServerMonitor {
  /** For the connection to a server, and for each of its answers. */
  public static final Duration CONNECT = Duration.ofSeconds(2);

  public static final Duration READ = Duration.ofSeconds(3);

  /** A server that has not answered all questions by then is reported as down. */
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  private final DirectClients clients;
  private final String database;
  private final Clock clock;
  private final List<Server> servers = new ArrayList<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "mongodb-monitor");
            thread.setDaemon(true);
            return thread;
          });

  /** The router that was last asked what concerns the whole cluster. */
  private Server spokesman;

  private MongodbMonitor(DirectClients clients, String database, Clock clock) {
    this.clients = clients;
    this.database = database;
    this.clock = clock;
  }

  /**
   * Asks the servers of a URL what they are.
   *
   * @throws ConfigException none of them answers
   */
  public static MongodbMonitor open(Address address, DirectClients clients, Clock clock) {
    MongodbMonitor monitor = new MongodbMonitor(clients, address.database(), clock);
    address.hosts().hostsAndPorts().forEach(host -> monitor.add(host, "", null));
    monitor.spokesman = monitor.servers.get(0);
    List<Report> reports = monitor.ask();
    if (reports.stream().noneMatch(Report::up)) {
      monitor.close();
      throw new ConfigException(
          reports.get(0).key(),
          reports.stream().map(Report::refusal).collect(Collectors.joining("; ")));
    }
    return monitor;
  }

  private void add(String name, String group, Role role) {
    servers.add(new Server(name, group, role, clients.to(name), clock));
  }

  @Override
  public Readings read() {
    List<Reading> readings = new ArrayList<>();
    Map<String, String> refused = new TreeMap<>();
    Set<String> names = new HashSet<>();
    for (Report report : ask()) {
      // Two names of a URL may lead to one server.
      if (names.add(report.sheet().server())) {
        readings.addAll(report.sheet().readings());
        refused.putAll(report.sheet().refused());
      }
    }
    return new Readings(readings, refused);
  }

  private List<Report> ask() {
    long end = clock.nanoTime() + PATIENCE.toNanos();
    Map<Server, Future<Report>> turns = new LinkedHashMap<>();
    for (Server server : servers) {
      Turn turn = new Turn(server, database, server == spokesman);
      turns.put(server, server.begin(turn::take, threads));
    }
    List<Report> reports = new ArrayList<>();
    turns.forEach((server, turn) -> reports.add(await(server, turn, end)));
    chooseSpokesman(reports);
    if (spokesman.role() == Role.ROUTER) {
      servers.forEach(Server::assumeRouter);
    }
    reports.forEach(report -> report.found().forEach(this::learn));
    return reports;
  }

  private Report await(Server server, Future<Report> turn, long end) {
    try {
      return turn.get(Math.max(0, end - clock.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return Report.down(
          server,
          ServerUrl.KEY,
          server.title() + " does not answer within " + PATIENCE.toSeconds() + " s");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Report.down(server, ServerUrl.KEY, "interrupted");
    } catch (ExecutionException e) {
      return Report.down(
          server,
          ServerUrl.KEY,
          server.title() + " answers otherwise than expected: " + e.getCause());
    }
  }

  /** Keeps the one it is while it answers. */
  private void chooseSpokesman(List<Report> reports) {
    Server first = null;
    for (int i = 0; i < reports.size(); i++) {
      Server server = servers.get(i);
      if (reports.get(i).up() && server.role() == Role.ROUTER) {
        if (server == spokesman) {
          return;
        }
        first = first == null ? server : first;
      }
    }
    if (first != null) {
      spokesman = first;
    }
  }

  private void learn(Report.Found found) {
    if (servers.stream().noneMatch(server -> server.name().equals(found.name()))) {
      add(found.name(), found.group(), found.role());
    }
  }

  @Override
  public List<ServerHost> hosts() {
    Map<String, ServerHost> hosts = new LinkedHashMap<>();
    for (Server server : servers) {
      Hosts.Host host = Hosts.parse(server.name(), 27017, "host:port").all().get(0);
      hosts.putIfAbsent(server.name(), new ServerHost(host.name(), host.port(), server.role()));
    }
    return List.copyOf(hosts.values());
  }

  @Override
  public void close() {
    threads.shutdownNow();
    servers.forEach(Server::close);
  }
}
