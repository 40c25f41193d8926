package io.shardload.remote.engine;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The sockets on which a process of this machine listens, as Linux lists them. */
public final class Sockets {
  private static final String LISTEN = "0A";

  private Sockets() {}

  /** Returns "address:port" of each TCP socket on which a process and its children listen. */
  public static Set<String> listening(ProcessHandle process) throws IOException {
    Set<String> inodes = new HashSet<>();
    for (ProcessHandle each : Stream.concat(Stream.of(process), process.descendants()).toList()) {
      inodes.addAll(inodes(each.pid()));
    }
    Set<String> found = new TreeSet<>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : Files.readAllLines(Path.of("/proc/net", table))) {
        String[] fields = line.trim().split("\\s+", -1);
        if (fields.length > 9 && fields[3].equals(LISTEN) && inodes.contains(fields[9])) {
          found.add(address(fields[1]));
        }
      }
    }
    return found;
  }

  private static Set<String> inodes(long pid) throws IOException {
    Set<String> inodes = new HashSet<>();
    try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
      for (Path file : files.toList()) {
        try {
          String target = Files.readSymbolicLink(file).toString();
          if (target.startsWith("socket:[")) {
            inodes.add(target.substring(8, target.length() - 1));
          }
        } catch (java.nio.file.NoSuchFileException e) {
          // Closed meanwhile.
        }
      }
    }
    return inodes;
  }

  /** Words of four bytes, each in the machine's order; an IPv4 address may come as IPv6. */
  private static String address(String field) throws IOException {
    int colon = field.indexOf(':');
    ByteBuffer words = ByteBuffer.wrap(HexFormat.of().parseHex(field.substring(0, colon)));
    ByteBuffer bytes = ByteBuffer.allocate(words.capacity());
    for (int i = 0; i < words.capacity(); i += 4) {
      bytes.putInt(Integer.reverseBytes(words.getInt(i)));
    }
    byte[] address = bytes.order(ByteOrder.BIG_ENDIAN).array();
    int port = Integer.parseInt(field.substring(colon + 1), 16);
    return InetAddress.getByAddress(Arrays.copyOf(address, address.length)).getHostAddress()
        + ":"
        + port;
  }
}
