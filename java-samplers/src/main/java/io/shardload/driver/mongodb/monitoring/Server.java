package io.shardload.driver.mongodb.monitoring;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ServerConnectionState;
import com.mongodb.connection.ServerDescription;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.monitoring.KeptAnswers;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.Sheet;
import io.shardload.monitoring.Turns;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A monitored server, with its own connection. Its fields are read and set by one thread at a time:
 * the thread that asks it.
 */
final class Server implements AutoCloseable {
  /** What the cluster calls it: host and port. */
  private volatile String name;

  /** Of which it is a member, as the cluster calls it: a shard or a replica set; may be empty. */
  private final String group;

  private final Optional<MongoClient> client;
  private volatile Role role;

  /** Empty until it is known, and again after it went away: it may come back as another version. */
  private ServerKind kind;

  private final Migrations migrations = new Migrations();
  private final KeptAnswers<Object> kept;
  private final Turns<Turn.Report> turns = new Turns<>();

  /**
   * Makes a server known.
   *
   * @param role null if the cluster does not say
   * @param client empty for one that must not be asked
   */
  Server(String name, String group, Role role, Optional<MongoClient> client, Clock clock) {
    this.name = name;
    this.group = group;
    this.role = role;
    this.client = client;
    this.kept = new KeptAnswers<>(clock::nanoTime);
  }

  String name() {
    return name;
  }

  String group() {
    return group;
  }

  /** For messages: {@code shard1/db1:27018}. */
  String title() {
    return group.isEmpty() ? name : group + "/" + name;
  }

  boolean mayBeAsked() {
    return client.isPresent();
  }

  private MongoClient client() {
    return client.orElseThrow();
  }

  Commands commands() {
    return new Commands(client());
  }

  /** A member of unknown state counts as a secondary. */
  Role role() {
    return role == null ? Role.REPLICA : role;
  }

  /** Whether its role is that in a sharded cluster, which does not change with an election. */
  boolean hasRoleInCluster() {
    return role == Role.SHARD || role == Role.CONFIG || role == Role.ROUTER;
  }

  /** Of a URL that leads to routers, a server that has not answered yet is one as well. */
  void assumeRouter() {
    if (role == null && group.isEmpty()) {
      role = Role.ROUTER;
    }
  }

  void is(String itsName, Role itsRole) {
    name = itsName;
    role = itsRole;
  }

  ServerKind kind() {
    if (kind == null) {
      kind = ServerKind.ask(client());
    }
    return kind;
  }

  void forgetKind() {
    kind = null;
  }

  Migrations migrations() {
    return migrations;
  }

  /** Asks for a part of a kind that is not asked for at every turn. */
  @SuppressWarnings("unchecked")
  <T> T rarely(String part, Supplier<T> question) {
    Optional<Object> last = kept.get(part);
    if (last.isPresent()) {
      return (T) last.get();
    }
    T answer = question.get();
    kept.keep(part, answer);
    return answer;
  }

  /**
   * Fails at once if the driver has found meanwhile that the server does not answer; waiting for it
   * would take the server selection timeout each time.
   */
  void requireReachable() {
    for (ServerDescription seen : client().getClusterDescription().getServerDescriptions()) {
      if (seen.getState() == ServerConnectionState.CONNECTING
          && seen.getException() instanceof MongoException e) {
        throw e;
      }
    }
  }

  /** Where the answers of a turn are collected. */
  Sheet sheet() {
    return new Sheet(name, role().label());
  }

  Turns<Turn.Report> turns() {
    return turns;
  }

  @Override
  public void close() {
    client.ifPresent(MongoClient::close);
  }
}
