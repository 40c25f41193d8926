package io.shardload.driver;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.monitoring.ServerMonitor;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A wire protocol; found with {@link java.util.ServiceLoader}. */
public interface Driver {
  String name();

  /**
   * Names of the systems whose statement files matter to it, the most special first; empty if it
   * takes those of any system.
   */
  default List<String> systems() {
    return List.of();
  }

  /** Checks options and URL without connecting. */
  void check(TargetConfig target);

  /**
   * The target's database under each of its hosts; two targets that have one of these in common
   * share their tables. Empty where there is no server.
   */
  default Set<String> databases(TargetConfig target) {
    return Set.of();
  }

  /**
   * The servers that a URL names; empty where there is no server.
   *
   * @throws ConfigException it is no URL of this protocol
   */
  default Optional<Hosts> hosts(String url) {
    return Optional.empty();
  }

  /**
   * Asks the first question of the protocol, which needs no login.
   *
   * @param connection new, with a timeout for reading
   * @return why what answers is no server of this protocol; empty if it is one
   */
  default String greet(Socket connection) throws IOException {
    throw new UnsupportedOperationException(name() + " has no server");
  }

  /**
   * Asks the servers of a target for servers behind them that they cannot reach, such as the
   * workers of a coordinator. A login that is refused is no answer.
   *
   * @return which ones and why, in one clause; empty if there are none or nobody says so
   */
  default String lostBehind(TargetConfig target, Duration timeout) {
    return "";
  }

  /**
   * Connects. Once per JVM, never per thread.
   *
   * @throws ConfigException unreachable, refused, or not what was asked for
   */
  Target open(TargetConfig target, Session session);

  /**
   * Connects for reading the servers' own metrics, which needs no data set.
   *
   * @throws ConfigException there is no server, or it cannot be reached
   */
  default ServerMonitor monitor(TargetConfig target) {
    throw new ConfigException("target.driver", name() + " has no server to monitor");
  }

  /** The options a target file may set, read and checked; unknown ones are refused. */
  static Options options(TargetConfig target) {
    return new Options("target.options", target.options());
  }

  /** How tables and indexes are to be made, read and checked; unknown keys are refused. */
  static Options schema(TargetConfig target) {
    return new Options("schema", target.schema());
  }
}
