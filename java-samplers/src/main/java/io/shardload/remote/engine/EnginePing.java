package io.shardload.remote.engine;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * The first bytes of RMI on a separate socket with working timeouts. RMI's own timeouts do not
 * cover the TLS handshake, so a stopped process would block the caller forever.
 */
public record EnginePing(SSLContext context) {
  private static final int CONNECT_MILLIS = 1_000;
  private static final int READ_MILLIS = 2_000;

  // The header of the RMI wire protocol and the answer to it.
  private static final int MAGIC = 0x4a524d49;
  private static final int VERSION = 2;
  private static final int STREAM_PROTOCOL = 0x4b;
  private static final int ACKNOWLEDGED = 0x4e;

  /** Returns why no engine answers on a port, or nothing if one does. Takes at most 5 s. */
  public Optional<Probe> trouble(String host, int port) {
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      return Optional.of(Probe.refused("unknown host name"));
    }
    try (Socket plain = new Socket()) {
      plain.connect(address, CONNECT_MILLIS);
      plain.setSoTimeout(READ_MILLIS);
      return greet(plain, host, port);
    } catch (SocketTimeoutException e) {
      return Optional.of(
          Probe.dead(
              "no answer within %d s (host down, or a firewall)"
                  .formatted(CONNECT_MILLIS / 1_000)));
    } catch (IOException e) {
      return Optional.of(Probe.of(e));
    }
  }

  private Optional<Probe> greet(Socket plain, String host, int port) {
    try (SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true)) {
      socket.startHandshake();
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(MAGIC);
      out.writeShort(VERSION);
      out.writeByte(STREAM_PROTOCOL);
      out.flush();
      int answer = new DataInputStream(socket.getInputStream()).read();
      return answer == ACKNOWLEDGED
          ? Optional.empty()
          : Optional.of(Probe.refused("the program listening there is not an engine"));
    } catch (SocketTimeoutException e) {
      return Optional.of(
          Probe.dead(
              "the engine accepts connections but does not answer within %d s: it hangs"
                  .formatted(READ_MILLIS / 1_000)));
    } catch (IOException e) {
      return Optional.of(Probe.of(e));
    }
  }
}
