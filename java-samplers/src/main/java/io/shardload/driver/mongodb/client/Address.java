package io.shardload.driver.mongodb.client;

import io.shardload.config.ConfigException;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import java.util.regex.Pattern;

/** {@code mongodb://host:port,host:port/database}; the port is 27017 unless given. */
public record Address(Hosts hosts, String database) {
  private static final String FORM = "mongodb://host:port,host:port/database";
  private static final String SCHEME = "mongodb://";
  private static final String SEED_LIST = "mongodb+srv://";
  static final int DEFAULT_PORT = 27017;
  private static final int LONGEST_DATABASE = 63;
  private static final Pattern DATABASE = Pattern.compile("[^/\\\\. \"$*<>:|?]+");

  /** Reads a URL; a message never repeats it, because it may hold a password. */
  public static Address parse(String url) {
    if (url.startsWith(SEED_LIST)) {
      throw new ConfigException(
          ServerUrl.KEY,
          "uses a DNS seed list (mongodb+srv), which is not supported; list the hosts instead: "
              + FORM);
    }
    ServerUrl parsed = ServerUrl.parse(url, SCHEME, DEFAULT_PORT, FORM);
    String database = parsed.database();
    if (!DATABASE.matcher(database).matches() || database.length() > LONGEST_DATABASE) {
      throw new ConfigException(ServerUrl.KEY, "names a database that MongoDB does not allow");
    }
    return new Address(parsed.hosts(), database);
  }
}
