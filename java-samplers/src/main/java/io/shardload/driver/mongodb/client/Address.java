package io.shardload.driver.mongodb.client;

import io.shardload.config.ConfigException;
import io.shardload.driver.Hosts;
import java.util.regex.Pattern;

/** {@code mongodb://host:port,host:port/database}; the port is 27017 unless given. */
public record Address(Hosts hosts, String database) {
  private static final String KEY = "target.url";
  private static final String FORM = "mongodb://host:port,host:port/database";
  private static final String SCHEME = "mongodb://";
  private static final String SEED_LIST = "mongodb+srv://";
  private static final int DEFAULT_PORT = 27017;
  private static final int LONGEST_DATABASE = 63;
  private static final Pattern DATABASE = Pattern.compile("[^/\\\\. \"$*<>:|?]+");

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
    if (url.startsWith(SEED_LIST)) {
      throw new ConfigException(
          KEY, "names hosts through DNS (mongodb+srv); name the hosts themselves: " + FORM);
    }
    int slash = url.indexOf('/', SCHEME.length());
    if (!url.startsWith(SCHEME) || slash < 0) {
      throw new ConfigException(KEY, "is not of the form " + FORM);
    }
    String database = url.substring(slash + 1);
    if (database.isEmpty()) {
      throw new ConfigException(KEY, "names no database: " + FORM);
    }
    if (!DATABASE.matcher(database).matches() || database.length() > LONGEST_DATABASE) {
      throw new ConfigException(KEY, "names a database that MongoDB does not allow");
    }
    Hosts hosts = Hosts.parse(url.substring(SCHEME.length(), slash), DEFAULT_PORT, FORM);
    return new Address(hosts, database);
  }
}
