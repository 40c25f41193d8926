package io.shardload.driver.postgresql.client;

import io.shardload.config.ConfigException;
import io.shardload.driver.Hosts;

/**
 * {@code postgresql://host:port/database}; several hosts are tried in turn, and the port is 5432
 * unless given.
 */
public record Address(Hosts hosts, String database) {
  private static final String KEY = "target.url";
  private static final String FORM = "postgresql://host:port/database";
  private static final String SCHEME = "postgresql://";
  private static final int DEFAULT_PORT = 5432;

  /** Reads a URL; a message never repeats it, because it may hold a password. */
  public static Address parse(String url) {
    if (url.isEmpty()) {
      throw new ConfigException(KEY, "is missing, as " + FORM);
    }
    if (url.contains("@")) {
      throw new ConfigException(
          KEY, "holds user-info; set target.user and target.password-env instead");
    }
    if (url.contains("?") || url.contains("#")) {
      throw new ConfigException(KEY, "holds parameters; set them in target.options instead");
    }
    int slash = url.indexOf('/', SCHEME.length());
    if (!url.startsWith(SCHEME) || slash < 0 || url.indexOf('/', slash + 1) >= 0) {
      throw new ConfigException(KEY, "is not of the form " + FORM);
    }
    String database = url.substring(slash + 1);
    if (database.isEmpty()) {
      throw new ConfigException(KEY, "names no database: " + FORM);
    }
    Hosts hosts = Hosts.parse(url.substring(SCHEME.length(), slash), DEFAULT_PORT, FORM);
    return new Address(hosts, database);
  }
}
