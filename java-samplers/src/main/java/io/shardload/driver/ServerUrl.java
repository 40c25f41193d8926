package io.shardload.driver;

import io.shardload.config.ConfigException;

/** {@code target.url} of servers: {@code scheme://host:port,host:port/database}. */
public record ServerUrl(Hosts hosts, String database) {
  public static final String KEY = "target.url";

  /**
   * Reads a URL; a message never repeats it, because it may hold a password.
   *
   * @param scheme with its slashes
   * @param form an example for messages
   * @throws ConfigException if the URL is of another form
   */
  public static ServerUrl parse(String url, String scheme, int defaultPort, String form) {
    if (url.isEmpty()) {
      throw new ConfigException(KEY, "is missing, as " + form);
    }
    if (url.contains("@")) {
      throw new ConfigException(
          KEY, "holds user-info; set target.user and target.password-env instead");
    }
    if (url.contains("?") || url.contains("#")) {
      throw new ConfigException(KEY, "holds parameters; set them in target.options instead");
    }
    int slash = url.indexOf('/', scheme.length());
    if (!url.startsWith(scheme) || slash < 0 || url.indexOf('/', slash + 1) >= 0) {
      throw new ConfigException(KEY, "is not of the form " + form);
    }
    String database = url.substring(slash + 1);
    if (database.isEmpty()) {
      throw new ConfigException(KEY, "names no database: " + form);
    }
    return new ServerUrl(
        Hosts.parse(url.substring(scheme.length(), slash), defaultPort, form), database);
  }
}
