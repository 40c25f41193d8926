package io.shardload.driver.mongodb.monitoring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The servers of a cluster: those of the URL, those that they name, and so on. A server that is
 * down keeps its last list of servers. A server that is not named any more is closed and forgotten.
 */
final class Roster implements AutoCloseable {
  private final List<Server> ofUrl;
  private final Function<Turn.Found, Server> open;
  private final Map<Server, List<Turn.Found>> named = new HashMap<>();
  private List<Server> all;

  Roster(List<Server> ofUrl, Function<Turn.Found, Server> open) {
    this.ofUrl = List.copyOf(ofUrl);
    this.open = open;
    this.all = this.ofUrl;
  }

  List<Server> all() {
    return all;
  }

  void update(Map<Server, Turn.Report> reports) {
    reports.forEach(this::take);
    List<Server> reached = new ArrayList<>(ofUrl);
    for (int i = 0; i < reached.size(); i++) {
      for (Turn.Found found : named.getOrDefault(reached.get(i), List.of())) {
        if (find(found.name(), reached).isEmpty()) {
          reached.add(find(found.name(), all).orElseGet(() -> open.apply(found)));
        }
      }
    }
    all.stream().filter(server -> !reached.contains(server)).forEach(Server::close);
    named.keySet().retainAll(reached);
    all = List.copyOf(reached);
  }

  private void take(Server server, Turn.Report report) {
    if (report.up()) {
      named.merge(
          server,
          report.found(),
          (before, now) ->
              report.namesAll()
                  ? now
                  : Stream.concat(before.stream(), now.stream()).distinct().toList());
    }
  }

  private static Optional<Server> find(String name, List<Server> servers) {
    return servers.stream().filter(server -> server.name().equals(name)).findFirst();
  }

  @Override
  public void close() {
    all.forEach(Server::close);
  }
}
