package io.shardload.driver.postgresql.monitoring;

import java.util.Locale;
import java.util.regex.Pattern;

/** Names of servers, {@code host:port}, which one server may have several of. */
final class ServerNames {
  private static final Pattern LOOPBACK = Pattern.compile("(127\\.[0-9.]+|\\[?::1]?|localhost)");

  private ServerNames() {}

  /** One spelling for those of this machine. */
  static String spelling(String server) {
    int colon = server.lastIndexOf(':');
    String host = server.substring(0, colon);
    return (isLoopback(host) ? "localhost" : host.toLowerCase(Locale.ROOT))
        + server.substring(colon);
  }

  static boolean isLoopback(String host) {
    return LOOPBACK.matcher(host).matches();
  }
}
