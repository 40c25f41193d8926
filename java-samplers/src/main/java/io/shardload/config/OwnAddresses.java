package io.shardload.config;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.stream.Collectors;

/** The addresses of this machine, for messages that refuse another one. */
public final class OwnAddresses {
  private OwnAddresses() {}

  /** All except link-local ones, sorted: {@code "10.0.0.7, 127.0.0.1"}. */
  public static String text() {
    try {
      return NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .filter(address -> !address.isLinkLocalAddress())
          .map(address -> address.getHostAddress().replaceAll("%.*", ""))
          .sorted()
          .collect(Collectors.joining(", "));
    } catch (SocketException e) {
      return "none";
    }
  }
}
