package io.shardload.driver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether documents lie on this machine, so that the server competes with a generator for its
 * cores. Routers, coordinators and poolers on this machine hold none.
 *
 * @param bootId of this machine's kernel; empty where the system has none
 */
public record SharedMachine(String bootId) {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private enum Place {
    HERE,
    ELSEWHERE,
    /** A loopback address, or a name that means nothing here. */
    ON_THE_HOST_THAT_WE_ASKED
  }

  public static SharedMachine current() {
    try {
      return new SharedMachine(Files.exists(BOOT_ID) ? Files.readString(BOOT_ID).strip() : "");
    } catch (IOException e) {
      return new SharedMachine("");
    }
  }

  /**
   * Decides by the kernel's boot id where the server reports it, else by the address, which the
   * server reports as it sees it: a loopback address means the host in the URL.
   *
   * @param dataHosts as the target reports them; empty if it does not
   * @param urlHosts the hosts of the target's URL
   */
  public boolean holds(List<DataHost> dataHosts, List<String> urlHosts) {
    boolean weAsk =
        urlHosts.stream().anyMatch(host -> place(host) == Place.HERE || isLoopback(host));
    if (dataHosts.isEmpty()) {
      return weAsk;
    }
    return dataHosts.stream().anyMatch(host -> holds(host, weAsk));
  }

  private boolean holds(DataHost host, boolean askedHere) {
    if (!bootId.isEmpty() && !host.bootId().isEmpty()) {
      return host.bootId().equals(bootId);
    }
    return switch (place(host.address())) {
      case HERE -> true;
      case ELSEWHERE -> false;
      case ON_THE_HOST_THAT_WE_ASKED -> askedHere;
    };
  }

  private static Place place(String name) {
    try {
      InetAddress address = name.isEmpty() ? null : InetAddress.getByName(name);
      if (address == null || address.isLoopbackAddress()) {
        return Place.ON_THE_HOST_THAT_WE_ASKED;
      }
      return NetworkInterface.getByInetAddress(address) == null ? Place.ELSEWHERE : Place.HERE;
    } catch (IOException unknown) {
      return Place.ON_THE_HOST_THAT_WE_ASKED;
    }
  }

  private static boolean isLoopback(String name) {
    try {
      return InetAddress.getByName(name).isLoopbackAddress();
    } catch (IOException unknown) {
      return false;
    }
  }

  /** The hosts of a URL, without ports and brackets; empty if it names none. */
  public static List<String> hosts(String url) {
    String rest = url.substring(url.indexOf("://") < 0 ? 0 : url.indexOf("://") + 3);
    int end = 0;
    while (end < rest.length() && "/?".indexOf(rest.charAt(end)) < 0) {
      end++;
    }
    return Stream.of(rest.substring(0, end).split(",", -1))
        .map(SharedMachine::withoutPort)
        .filter(host -> !host.isEmpty())
        .toList();
  }

  private static String withoutPort(String authority) {
    if (authority.startsWith("[")) {
      return authority.substring(1, Math.max(1, authority.indexOf(']')));
    }
    int colon = authority.lastIndexOf(':');
    return colon < 0 ? authority : authority.substring(0, colon);
  }
}
