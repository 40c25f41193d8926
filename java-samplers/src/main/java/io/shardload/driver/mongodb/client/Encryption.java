package io.shardload.driver.mongodb.client;

import com.mongodb.MongoClientSettings;
import com.mongodb.ServerAddress;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.tls.ClientCertificate;
import io.shardload.tls.Contexts;
import io.shardload.tls.Mode;
import io.shardload.tls.Tls;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;

/**
 * How the clients' connections are encrypted, and where they may lead.
 *
 * @param local every host of the URL is a loopback address
 * @param plain the login sends the password itself
 */
public record Encryption(Tls tls, boolean local, boolean plain) {
  static final String PLAIN = "PLAIN";
  static final String X509 = "MONGODB-X509";
  private static final List<Mode> MODES =
      List.of(Mode.DISABLE, Mode.REQUIRE, Mode.VERIFY_CA, Mode.VERIFY_FULL);

  static Encryption read(Options options, boolean local) {
    String mechanism = options.text("auth-mechanism", "");
    Encryption all =
        new Encryption(
            Tls.read(options, local, MODES, Mode.DISABLE), local, mechanism.equals(PLAIN));
    if (all.plain && !local && !all.mode().verifies()) {
      throw new ConfigException(
          options.pathOf("auth-mechanism"),
          "PLAIN sends the password in clear text, which requires 'ssl: verify-full':"
              + " 'ssl: %s' does not verify which server receives it".formatted(all.mode().word()));
    }
    if (mechanism.equals(X509) && all.tls.identity().isEmpty()) {
      throw new ConfigException(
          options.pathOf("ssl-certificate"),
          "is missing, but is required by 'auth-mechanism: " + X509 + "'");
    }
    return all;
  }

  /** Of all connections. */
  public Mode mode() {
    return tls.mode(local);
  }

  /**
   * Whether no connection may leave this machine: a cluster may name members that the URL does not,
   * and they would get in the clear what was to stay on loopback.
   */
  private boolean loopbackOnly() {
    return local && !mode().verifies() && (plain || tls.written().isEmpty());
  }

  /** Whether connections may lead to a host and port that a server names. */
  public boolean allows(String hostAndPort) {
    if (!loopbackOnly()) {
      return true;
    }
    try {
      return !loopback(new ServerAddress(hostAndPort).getHost()).isEmpty();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  void apply(MongoClientSettings.Builder client) {
    if (loopbackOnly()) {
      client.inetAddressResolver(Encryption::loopback);
    }
    client.applyToSslSettings(
        ssl -> {
          if (mode() == Mode.DISABLE) {
            ssl.enabled(false);
          } else {
            ssl.enabled(true)
                .invalidHostNameAllowed(mode() != Mode.VERIFY_FULL)
                .context(Contexts.of(mode(), tls));
          }
        });
  }

  /** The addresses of a host, all of which are this machine's own. */
  private static List<InetAddress> loopback(String host) throws UnknownHostException {
    List<InetAddress> all = List.of(InetAddress.getAllByName(host));
    if (!all.stream().allMatch(InetAddress::isLoopbackAddress)) {
      throw new UnknownHostException(host + " is not on this machine");
    }
    return all;
  }

  void describe(Map<String, String> all) {
    all.put("ssl", mode().word());
    all.put("server-authentication", tls.authentication(local));
    tls.identity()
        .map(ClientCertificate::certificate)
        .ifPresent(f -> all.put("ssl-certificate", f));
  }
}
