package io.shardload.driver.postgresql;

import io.shardload.config.ConfigException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code postgresql://host:port/database}; several hosts are tried in turn, and the port is 5432
 * unless given.
 */
record Address(List<String> hosts, List<Integer> ports, String database) {
  private static final String KEY = "target.url";
  private static final String FORM = "postgresql://host:port/database";
  private static final String SCHEME = "postgresql://";
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^:/?#\\[\\]]+)(?::(\\d{1,5}))?");

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
    int slash = url.indexOf('/', SCHEME.length());
    if (!url.startsWith(SCHEME) || slash < 0 || url.indexOf('/', slash + 1) >= 0) {
      throw new ConfigException(KEY, "is not of the form " + FORM);
    }
    String database = url.substring(slash + 1);
    if (database.isEmpty()) {
      throw new ConfigException(KEY, "names no database: " + FORM);
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
      int port = matcher.group(2) == null ? 5432 : Integer.parseInt(matcher.group(2));
      if (port < 1 || port > 65535) {
        throw new ConfigException(KEY, port + " is not a port");
      }
      hosts.add(matcher.group(1));
      ports.add(port);
    }
    return new Address(hosts, ports, database);
  }

  /** The same hosts in the same order, but beginning with that of an index. */
  Address from(int first) {
    List<String> nextHosts = new ArrayList<>(hosts);
    List<Integer> nextPorts = new ArrayList<>(ports);
    Collections.rotate(nextHosts, -first);
    Collections.rotate(nextPorts, -first);
    return new Address(nextHosts, nextPorts, database);
  }

  /** Some of the hosts, by their indexes. */
  Address only(List<Integer> indexes) {
    return new Address(
        indexes.stream().map(hosts::get).toList(),
        indexes.stream().map(ports::get).toList(),
        database);
  }

  int size() {
    return hosts.size();
  }

  /** Whether every host is this machine by a loopback name. */
  boolean local() {
    return hosts.stream()
        .allMatch(h -> h.equals("localhost") || h.startsWith("127.") || h.equals("[::1]"));
  }

  /** The hosts with their ports, for messages. */
  String hostsAndPorts() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < hosts.size(); i++) {
      all.add(hosts.get(i) + ":" + ports.get(i));
    }
    return String.join(",", all);
  }
}
