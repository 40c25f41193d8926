package io.shardload.hosts;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.regex.Pattern;

/** The addresses under which this machine reaches itself. Names are not resolved. */
final class LocalAddresses {
  private static final Pattern LOOPBACK = Pattern.compile("localhost|127[.].*|::1");

  private LocalAddresses() {}

  /** Whether a loopback name, or an address of this machine. */
  static boolean contain(String host) {
    String plain = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    return LOOPBACK.matcher(plain).matches() || isOfAnInterface(plain);
  }

  private static boolean isOfAnInterface(String address) {
    try {
      return NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .map(InetAddress::getHostAddress)
          .anyMatch(address::equals);
    } catch (SocketException e) {
      return false;
    }
  }
}
