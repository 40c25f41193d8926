package io.shardload.driver.mongodb;

import io.shardload.config.ConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code mongodb://host:port,host:port/database}; the port is 27017 unless given. */
record Address(List<String> hosts, List<Integer> ports, String database) {
  private static final String KEY = "target.url";
  private static final String FORM = "mongodb://host:port,host:port/database";
  private static final String SCHEME = "mongodb://";
  private static final String SEED_LIST = "mongodb+srv://";
  private static final int DEFAULT_PORT = 27017;
  private static final int LONGEST_DATABASE = 63;
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^:/?#\\[\\]]+)(?::(\\d{1,5}))?");
  private static final Pattern DATABASE = Pattern.compile("[^/\\\\. \"$*<>:|?]+");

  Address {
    hosts = List.copyOf(hosts);
    ports = List.copyOf(ports);
  }

  /** Reads a URL; a message never repeats it, because it may hold a password. */
  static Address parse(String url) {
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
    return hosts(url.substring(SCHEME.length(), slash), database);
  }

  private static Address hosts(String list, String database) {
    List<String> hosts = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    for (String item : list.split(",", -1)) {
      Matcher matcher = HOST.matcher(item);
      if (!matcher.matches()) {
        throw new ConfigException(KEY, "is not of the form " + FORM);
      }
      int port = matcher.group(2) == null ? DEFAULT_PORT : Integer.parseInt(matcher.group(2));
      if (port < 1 || port > 65535) {
        throw new ConfigException(KEY, port + " is not a port");
      }
      hosts.add(matcher.group(1));
      ports.add(port);
    }
    return new Address(hosts, ports, database);
  }

  /** Whether every host is this machine by a loopback name. */
  boolean local() {
    return hosts.stream()
        .allMatch(h -> h.equals("localhost") || h.startsWith("127.") || h.equals("[::1]"));
  }

  /** The hosts with their ports, for messages and for the client. */
  List<String> hostsAndPorts() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < hosts.size(); i++) {
      all.add(hosts.get(i) + ":" + ports.get(i));
    }
    return all;
  }
}
