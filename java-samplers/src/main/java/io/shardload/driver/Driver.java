package io.shardload.driver;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.monitoring.LoadSessions;
import io.shardload.monitoring.ServerMonitor;
import io.shardload.workload.statements.port.StatementSystem;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A wire protocol; found with {@link java.util.ServiceLoader}. */
public interface Driver extends StatementSystem.Provider {
  String name();

  /** Checks options and URL without connecting; refuses unknown options. */
  void check(TargetConfig target);

  /**
   * The names of the target's database, one for each host of the URL. Two targets that have one of
   * these names in common share their tables. Empty where there is no server.
   */
  default Set<String> databases(TargetConfig target) {
    return Set.of();
  }

  /**
   * The servers that a URL names; empty where there is no server.
   *
   * @throws ConfigException it is not a URL of this protocol
   */
  default Optional<Hosts> hosts(String url) {
    return Optional.empty();
  }

  /**
   * Sends the first message of the protocol, which needs no login.
   *
   * @param connection new, with a timeout for reading
   * @return why the peer is not a server of this protocol; empty if it is one
   */
  default String greet(Socket connection) throws IOException {
    throw new UnsupportedOperationException(name() + " has no server");
  }

  /**
   * Queries the servers of a target for servers behind them that they cannot reach, such as the
   * workers of a coordinator. A refused login yields no information.
   *
   * @return which servers and why, in one clause; empty if there are none or if this is not known
   */
  default String lostBehind(TargetConfig target, Duration timeout) {
    return "";
  }

  /**
   * Connects. Once per JVM, never per thread.
   *
   * @throws ConfigException unreachable, refused, or not the expected server
   */
  Target open(TargetConfig target, Session session);

  /**
   * Connects for reading the servers' own metrics, which needs no data set.
   *
   * @throws ConfigException there is no server, or it cannot be reached
   */
  default ServerMonitor monitor(TargetConfig target) {
    throw new ConfigException(
        "target.driver",
        name()
            + (hosts(target.url()).isPresent()
                ? " reports no metrics of its servers: let the store scrape an exporter next to each"
                : " has no server to monitor"));
  }

  /**
   * Connects for watching what the sessions of a load do inside the servers: {@link LoadSessions}.
   *
   * @param application the name of the load's connections
   * @return empty where the servers do not report it
   * @throws ConfigException the servers cannot be reached
   */
  default Optional<ServerMonitor> sessions(TargetConfig target, String application) {
    return Optional.empty();
  }

  /**
   * The section {@code target.options}, from which the driver reads its options. {@link
   * Options#rejectUnknown} then refuses all others.
   */
  static Options options(TargetConfig target) {
    return new Options("target.options", target.options());
  }

  /** An option for how long connecting may take: 5 s unless given, and no less than one second. */
  static Duration connecting(Options options, String key) {
    Duration value = options.duration(key, Duration.ofSeconds(5));
    if (value.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new ConfigException(options.pathOf(key), "is below 1s");
    }
    return value;
  }

  /**
   * The section {@code schema}, from which the driver reads how tables and indexes are made. {@link
   * Options#rejectUnknown} then refuses all others.
   */
  static Options schema(TargetConfig target) {
    return new Options("schema", target.schema());
  }
}
