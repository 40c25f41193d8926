package io.shardload.driver.postgresql.client;

import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;

/**
 * {@code postgresql://host:port/database}; several hosts are tried in turn, and the port is 5432
 * unless given.
 */
public record Address(Hosts hosts, String database) {
  private static final String FORM = "postgresql://host:port/database";
  private static final String SCHEME = "postgresql://";
  private static final int DEFAULT_PORT = 5432;

  /** Reads a URL; a message never repeats it, because it may hold a password. */
  public static Address parse(String url) {
    ServerUrl parsed = ServerUrl.parse(url, SCHEME, DEFAULT_PORT, FORM);
    return new Address(parsed.hosts(), parsed.database());
  }
}
