package io.shardload.driver;

import io.shardload.config.ConfigException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The hosts that a URL names, in its order; at least one. */
public record Hosts(List<Host> all) {
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^:/?#\\[\\]]+)(?::(\\d{1,5}))?");

  private static final Pattern LOOPBACK =
      Pattern.compile("127(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}");

  /**
   * One host.
   *
   * @param name or address; of IPv6 in brackets
   */
  public record Host(String name, int port) {
    /**
     * Whether it is this machine, by {@code localhost} or an address literal of the loopback
     * network. A name that only resembles such an address, for example {@code
     * 127.0.0.1.example.org}, may lead anywhere.
     */
    public boolean loopback() {
      if (name.startsWith("[")) {
        try {
          // Brackets hold an address: nothing is looked up.
          return InetAddress.getByName(name).isLoopbackAddress();
        } catch (UnknownHostException e) {
          return false;
        }
      }
      return name.equalsIgnoreCase("localhost") || LOOPBACK.matcher(name).matches();
    }

    @Override
    public String toString() {
      return name + ":" + port;
    }
  }

  public Hosts {
    all = List.copyOf(all);
  }

  /**
   * Reads {@code host:port,host:port}.
   *
   * @param form of the whole URL, for the message
   * @throws ConfigException it is not such a list; the message does not repeat it, because it may
   *     contain a password
   */
  public static Hosts parse(String list, int defaultPort, String form) {
    List<Host> all = new ArrayList<>();
    for (String item : list.split(",", -1)) {
      Matcher matcher = HOST.matcher(item);
      if (!matcher.matches()) {
        throw new ConfigException("target.url", "is not of the form " + form);
      }
      int port = matcher.group(2) == null ? defaultPort : Integer.parseInt(matcher.group(2));
      if (port < 1 || port > 65535) {
        throw new ConfigException("target.url", port + " is not a port");
      }
      all.add(new Host(matcher.group(1), port));
    }
    return new Hosts(all);
  }

  public int size() {
    return all.size();
  }

  /** The same hosts in the same order, starting with the host at an index. */
  public Hosts from(int first) {
    List<Host> rotated = new ArrayList<>(all);
    Collections.rotate(rotated, -first);
    return new Hosts(rotated);
  }

  /** Each host separately. */
  public List<Hosts> each() {
    return all.stream().map(host -> new Hosts(List.of(host))).toList();
  }

  /** All hosts except the first. */
  public Hosts others() {
    return new Hosts(all.subList(1, all.size()));
  }

  /** Whether every host is this machine by a loopback name. */
  public boolean local() {
    return all.stream().allMatch(Host::loopback);
  }

  public List<String> hostsAndPorts() {
    return all.stream().map(Host::toString).toList();
  }

  /**
   * A database under each of the hosts, in one spelling: two targets that have one of these in
   * common name the same database.
   */
  public Set<String> databases(String name) {
    return all.stream()
        .map(host -> spelling(host.name()) + ":" + host.port() + "/" + name)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static String spelling(String name) {
    return switch (name) {
      case "127.0.0.1", "[::1]" -> "localhost";
      default -> name.toLowerCase(Locale.ROOT);
    };
  }

  /** For messages. */
  @Override
  public String toString() {
    return String.join(",", hostsAndPorts());
  }
}
