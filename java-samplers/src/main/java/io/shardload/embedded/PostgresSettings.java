package io.shardload.embedded;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The settings of an embedded PostgreSQL.
 *
 * @param port the TCP port on 127.0.0.1, or 0 for any free one
 * @param parameters configuration parameters by PostgreSQL's own names
 */
public record PostgresSettings(int port, Map<String, String> parameters) {
  private static final Map<String, String> DURABLE =
      Map.of(
          "fsync", "on",
          "synchronous_commit", "on",
          "full_page_writes", "on",
          "max_connections", "200",
          "shared_buffers", "256MB",
          // Checkpoint times do not belong in a log that is read after a failure.
          "log_checkpoints", "off");

  /** Copies the parameters. */
  public PostgresSettings {
    parameters = Map.copyOf(parameters);
  }

  /**
   * Returns the settings of the embedded target: any port, and every acknowledged write survives.
   */
  public static PostgresSettings durable() {
    return new PostgresSettings(0, DURABLE);
  }

  /** Returns these settings with another port. */
  public PostgresSettings withPort(int newPort) {
    return new PostgresSettings(newPort, parameters);
  }

  /** Returns these settings with one parameter set. */
  public PostgresSettings with(String name, String value) {
    Map<String, String> changed = new TreeMap<>(parameters);
    changed.put(name, value);
    return new PostgresSettings(port, changed);
  }

  /** Returns the lines of a PostgreSQL configuration file. */
  String configuration() {
    Map<String, String> all = new TreeMap<>(parameters);
    all.put("port", Integer.toString(port));
    all.put("listen_addresses", "127.0.0.1");
    all.put("unix_socket_directories", "");
    return all.entrySet().stream()
        .map(entry -> entry.getKey() + " = '" + entry.getValue().replace("'", "''") + "'\n")
        .collect(Collectors.joining());
  }
}
