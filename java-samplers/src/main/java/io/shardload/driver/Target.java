package io.shardload.driver;

import io.shardload.bundle.Durability;
import io.shardload.config.ConfigException;
import io.shardload.topology.Topology;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Ports;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One cluster under test, connected. Thread-safe. */
public interface Target extends Ports, AutoCloseable {
  /**
   * Whether the target returns what was written to it. If it does not, there is nothing to load and
   * nothing to verify, and a find returns a constant that is not judged, such as {@code
   * DocumentStore.UNJUDGED}.
   */
  boolean keepsData();

  /**
   * Whether a find must show every write that was acknowledged before it: all finds go to the one
   * primary that the writes go to, and the primary hides no acknowledged write.
   */
  boolean readsPrimary();

  /**
   * Makes a place for tables other than the user's.
   *
   * @param tables that will be created in it
   * @throws io.shardload.config.ConfigException another process uses it, it holds objects that
   *     shardload did not create, or the driver has none
   */
  default Scratch scratch(List<String> tables) throws CallFailure {
    throw new ConfigException("target.driver", "has no place for tables other than the user's");
  }

  /** The small table or collection next to the data. */
  DataSetStore dataSets();

  /** Name, version and settings of the server, for the run bundle. */
  ServerInfo server() throws CallFailure;

  /**
   * Where a write is when it is acknowledged: read from the servers, as a run's sessions have it.
   */
  default Durability durability() throws CallFailure {
    return Durability.unknown("the driver does not read it");
  }

  /**
   * The machines of the servers, as far as the servers report them; empty if they do not, or not to
   * this user.
   */
  default List<Machine> machines() throws CallFailure {
    return List.of();
  }

  /**
   * The hosts on which documents lie; empty if the servers do not report them, or not to this user.
   * Then the hosts of the URL are used instead.
   */
  default List<DataHost> dataHosts() throws CallFailure {
    return List.of();
  }

  /** The numbers of shards and servers; empty if they are not reported, or not to this user. */
  default Optional<Topology> topology() throws CallFailure {
    return Optional.empty();
  }

  /** Observations during opening that may affect a run; one clause each. */
  default List<String> warnings() {
    return List.of();
  }

  /**
   * A part of the documents that the servers moved from one shard to another.
   *
   * @param at by the clock of this machine
   * @param chunk the range of keys, as the server writes it
   */
  record Move(Instant at, String from, String to, String chunk) {}

  /**
   * What the servers moved between two moments, both by the clock of this machine; empty where
   * nothing can move.
   *
   * @throws CallFailure they do not report it, or not to this user
   */
  default Optional<List<Move>> moves(Instant from, Instant to) throws CallFailure {
    return Optional.empty();
  }

  /** Effective client settings for the run bundle: pool sizes, protocol, timeouts. No secrets. */
  Map<String, String> clientSettings();

  /**
   * Checks whether the server accepts the number of connections that a run with this session needs,
   * as far as it reports its limits.
   *
   * @throws io.shardload.config.ConfigException it cannot
   */
  default void checkConnections() throws CallFailure {}

  /** Connections for transactions that were opened so far, by the host that they lead to. */
  default Map<String, Long> connectionsByHost() {
    return Map.of();
  }

  /**
   * What the server has of the options that the section {@code schema} sets, and measurements of
   * it, by name; for the run bundle.
   */
  default Map<String, String> schema() throws CallFailure {
    return Map.of();
  }

  /**
   * Waits until finds that go to replicas see everything that was written before this call, so that
   * a run counts only stale reads that it caused. It waits for a replica as long as the replica's
   * lag shrinks.
   *
   * @param patience after this time without a smaller lag, a replica is no longer waited for
   * @return one clause for each replica that does not see everything; empty if all replicas do, and
   *     if finds go to the primary
   */
  default String awaitReplicas(Duration patience) throws CallFailure {
    return "";
  }

  /** Waits until no client with this application name is connected to the server any more. */
  boolean awaitDisconnected(String applicationName, Duration atMost) throws CallFailure;

  /**
   * Ends the idle connections of this application name, as far as the server allows it. Connections
   * of a host that was cut off stay open on the server, and data in transit might still arrive
   * through them.
   */
  default void endIdleConnections(String applicationName) throws CallFailure {}

  /**
   * What {@link #awaitDisconnected} cannot see on this server, as text; empty if it sees all
   * clients.
   */
  default String quiescenceCaveat() {
    return "";
  }

  /**
   * Another run whose generators or controller are connected to this database now, as far as the
   * server reports them; one that it cannot report is not seen.
   *
   * @param dirtyRun the run that made the data set dirty; may be empty
   */
  default Optional<String> otherRun(String dirtyRun) throws CallFailure {
    return Optional.empty();
  }

  @Override
  void close();
}
