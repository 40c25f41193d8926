package io.shardload.remote.supervisor;

import io.shardload.config.ConfigException;
import io.shardload.config.OwnAddresses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;

/**
 * Where an engine listens: the registry on a port, the engine itself on the next one.
 *
 * @param host an address of this machine, in digits
 */
record ListenAddress(String host, int port) {
  private static final String OPTION = "--listen";
  private static final int DEFAULT_PORT = 1099;
  private static final int LAST_PORT = 65_534;

  /** Reads {@code ADDRESS[:PORT]}; an IPv6 address with a port needs brackets. */
  static ListenAddress parse(String text) {
    String host = text;
    int port = DEFAULT_PORT;
    int colon = text.lastIndexOf(':');
    boolean hasPort = text.startsWith("[") ? text.contains("]:") : text.indexOf(':') == colon;
    if (colon >= 0 && hasPort) {
      host = text.substring(0, colon);
      port = port(text.substring(colon + 1));
    }
    try {
      InetAddress address = InetAddress.getByName(host.replaceAll("[\\[\\]]", ""));
      if (host.isEmpty() || address.isAnyLocalAddress()) {
        throw new ConfigException(
            OPTION,
            "--listen %s: an engine listens on one address, which it also sends to the controller; this machine has %s"
                .formatted(text, OwnAddresses.text()));
      }
      return new ListenAddress(address.getHostAddress(), port);
    } catch (UnknownHostException e) {
      throw new ConfigException(OPTION, "--listen %s: unknown host name".formatted(text));
    }
  }

  private static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      if (port >= 1 && port <= LAST_PORT) {
        return port;
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw new ConfigException(
        OPTION,
        "--listen: the port must be a number from 1 to %d, not %s".formatted(LAST_PORT, text));
  }

  /** Refuses an address that is not this machine's, and ports in use. */
  void check() {
    if (!binds(0)) {
      throw new ConfigException(
          OPTION,
          "--listen %s: not an address of this machine (its addresses: %s); address translation (NAT) is not supported"
              .formatted(host, OwnAddresses.text()));
    }
    for (int each : new int[] {port, port + 1}) {
      if (!binds(each)) {
        throw new ConfigException(
            OPTION,
            "--listen %s: port %d is in use (an engine needs %d and %d)"
                .formatted(this, each, port, port + 1));
      }
    }
  }

  private boolean binds(int which) {
    try (ServerSocket socket = new ServerSocket(which, 1, InetAddress.getByName(host))) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
