package io.shardload.driver;

import io.shardload.config.ConfigException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code target.url} of servers: {@code scheme://host:port,host:port/database}. */
public record ServerUrl(Hosts hosts, String database) {
  public static final String KEY = "target.url";

  /** What a URL begins with, as postgres:// or jdbc:postgresql://; it holds no secret. */
  private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+]{1,20}:([a-z]{2,20}:)?//");

  /**
   * Reads a URL; a message never repeats it, because it may hold a password.
   *
   * @param scheme with its slashes
   * @param form an example for messages
   * @throws ConfigException if the URL is of another form
   */
  public static ServerUrl parse(String url, String scheme, int defaultPort, String form) {
    if (url.isEmpty()) {
      throw new ConfigException(KEY, "is missing; the expected form is " + form);
    }
    if (url.contains("@")) {
      throw new ConfigException(
          KEY, "holds user-info; set target.user and target.password-env instead");
    }
    if (url.contains("?") || url.contains("#")) {
      throw new ConfigException(KEY, "holds parameters; set them in target.options instead");
    }
    int slash = url.indexOf('/', scheme.length());
    if (!url.startsWith(scheme)) {
      throw new ConfigException(KEY, otherScheme(url, scheme, form));
    }
    if (slash < 0 || url.indexOf('/', slash + 1) >= 0) {
      throw new ConfigException(KEY, "is not of the form " + form);
    }
    String database = url.substring(slash + 1);
    if (database.isEmpty()) {
      throw new ConfigException(KEY, "names no database; the expected form is " + form);
    }
    return new ServerUrl(
        Hosts.parse(url.substring(scheme.length(), slash), defaultPort, form), database);
  }

  /** Names a scheme that is written for the same thing elsewhere, or is another system's. */
  private static String otherScheme(String url, String scheme, String form) {
    Matcher given = SCHEME.matcher(url);
    if (!given.lookingAt()) {
      return "is not of the form " + form;
    }
    String name = given.group();
    String hint = name.startsWith("jdbc:") ? "; no JDBC URL is needed" : "";
    return "begins with " + name + ", not with " + scheme + hint + ": write it as " + form;
  }
}
