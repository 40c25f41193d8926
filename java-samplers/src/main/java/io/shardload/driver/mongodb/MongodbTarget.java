package io.shardload.driver.mongodb;

import io.shardload.bundle.Durability;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.DataHost;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Machine;
import io.shardload.driver.Scratch;
import io.shardload.driver.ServerInfo;
import io.shardload.driver.Target;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.facts.ClusterServers;
import io.shardload.driver.mongodb.facts.ConnectedClients;
import io.shardload.driver.mongodb.facts.ServerFacts;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.driver.mongodb.statements.MongodbStatementAdmin;
import io.shardload.driver.mongodb.statements.MongodbStatementBaseline;
import io.shardload.driver.mongodb.statements.MongodbStatementStore;
import io.shardload.driver.mongodb.store.MongodbDataSets;
import io.shardload.driver.mongodb.store.ScratchPlace;
import io.shardload.topology.Topology;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementBaseline;
import io.shardload.workload.statements.port.StatementStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A server or cluster that speaks MongoDB's protocol, connected. */
final class MongodbTarget implements Target {
  private final Connections connections;
  private final ServerKind kind;
  private final SchemaOptions schema;
  private final List<String> warnings;
  private final ConnectedClients connected;

  MongodbTarget(
      Connections connections, ServerKind kind, SchemaOptions schema, List<String> warnings) {
    this.warnings = List.copyOf(warnings);
    this.connections = connections;
    this.kind = kind;
    this.schema = schema;
    this.connected = new ConnectedClients(connections, kind);
  }

  @Override
  public <P> P port(Class<P> type) {
    if (type == StatementStore.class) {
      return type.cast(new MongodbStatementStore(connections, kind));
    }
    if (type == StatementAdmin.class) {
      return type.cast(new MongodbStatementAdmin(connections, kind, schema));
    }
    if (type == StatementBaseline.class) {
      return type.cast(new MongodbStatementBaseline(connections, kind));
    }
    throw new ConfigException(
        "target.driver", "mongodb does not implement " + type.getSimpleName());
  }

  @Override
  public boolean keepsData() {
    return true;
  }

  @Override
  public boolean readsPrimary() {
    return connections.settings().readsPrimary();
  }

  @Override
  public Scratch scratch(List<String> tables) throws CallFailure {
    ScratchPlace place =
        ScratchPlace.make(connections, "_shardload_scratch", Set.copyOf(tables), Clock.SYSTEM);
    return Scratch.of(
        new MongodbTarget(place.connections(), kind, schema, List.of()), place::close);
  }

  @Override
  public DataSetStore dataSets() {
    return new MongodbDataSets(connections);
  }

  @Override
  public ServerInfo server() throws CallFailure {
    return Failures.translated(new ServerFacts(connections, kind)::read);
  }

  @Override
  public Durability durability() throws CallFailure {
    return Failures.translated(new ServerFacts(connections, kind)::acknowledgement);
  }

  @Override
  public List<Machine> machines() {
    return new ClusterServers(connections, kind).machines();
  }

  @Override
  public List<DataHost> dataHosts() {
    return new ClusterServers(connections, kind).dataHosts();
  }

  @Override
  public Optional<Topology> topology() {
    return new ClusterServers(connections, kind).topology();
  }

  @Override
  public List<String> warnings() {
    return warnings;
  }

  @Override
  public Optional<List<Move>> moves(Instant from, Instant to) throws CallFailure {
    return new ClusterServers(connections, kind).moves(from, to);
  }

  @Override
  public Map<String, String> clientSettings() {
    return connections.describe();
  }

  @Override
  public Map<String, Long> connectionsByHost() {
    return connections.poolEvents().opened();
  }

  @Override
  public boolean awaitDisconnected(String applicationName, Duration atMost) throws CallFailure {
    if (!connected.awaitDisconnected(applicationName, atMost)) {
      return false;
    }
    if (kind.mongodb()) {
      connected.awaitMajority();
    }
    return true;
  }

  @Override
  public Optional<String> otherRun(String dirtyRun) throws CallFailure {
    return connected.otherRun(dirtyRun);
  }

  @Override
  public String quiescenceCaveat() {
    return connected.quiescenceCaveat();
  }

  @Override
  public void close() {
    connections.close();
  }
}
