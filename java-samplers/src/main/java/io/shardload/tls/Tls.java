package io.shardload.tls;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import java.util.List;
import java.util.Optional;

/**
 * The keys {@code ssl...} of {@code target.options}.
 *
 * <p>Unless {@code ssl} is written, the mode depends on the server's machine: for another machine
 * it is {@link Mode#VERIFY_FULL}.
 *
 * @param written what {@code ssl} says, or empty
 * @param onLoopback the mode of connections that stay on this machine, unless {@code ssl} is
 *     written
 * @param rootCertificate file with the authorities to trust, in PEM, or empty for Java's own
 * @param identity the client certificate, for servers that require one
 */
public record Tls(
    Optional<Mode> written,
    Mode onLoopback,
    String rootCertificate,
    Optional<ClientCertificate> identity) {
  public static final String MODE_KEY = "target.options.ssl";
  public static final String ROOT_KEY = "target.options.ssl-root-certificate";
  private static final String VERIFYING = "'ssl: verify-ca' or 'ssl: verify-full'";

  /**
   * Reads the keys.
   *
   * @param local every host of the URL is a loopback address
   * @param known the modes that the driver supports
   * @param onLoopback the driver's default on this machine
   */
  public static Tls read(Options options, boolean local, List<Mode> known, Mode onLoopback) {
    String word = options.choice("ssl", "", words(known, options));
    Tls tls =
        new Tls(
            word.isEmpty() ? Optional.empty() : Optional.of(Mode.of(word)),
            onLoopback,
            options.text("ssl-root-certificate", ""),
            ClientCertificate.read(options));
    tls.check(options, tls.mode(local));
    return tls;
  }

  private static List<String> words(List<Mode> known, Options options) {
    List<String> words = known.stream().map(Mode::word).toList();
    // The empty word stands for an absent key; if it is written, it is an invalid value.
    return options.has("ssl") ? words : List.of("");
  }

  private void check(Options options, Mode mode) {
    if (!rootCertificate.isEmpty() && !mode.verifies()) {
      throw new ConfigException(options.pathOf("ssl-root-certificate"), "needs " + VERIFYING);
    }
    if (rootCertificate.isEmpty() && mode == Mode.VERIFY_CA) {
      throw new ConfigException(
          options.pathOf("ssl-root-certificate"),
          "is missing: 'ssl: verify-ca' checks no host name, and a public authority signs"
              + " certificates for anyone");
    }
    if (identity.isPresent() && !mode.encrypts()) {
      throw new ConfigException(
          options.pathOf("ssl-certificate"), "needs " + VERIFYING + ", or 'ssl: require'");
    }
  }

  /**
   * The mode of a connection.
   *
   * @param local it stays on this machine
   */
  public Mode mode(boolean local) {
    return written.orElse(local ? onLoopback : Mode.VERIFY_FULL);
  }

  /**
   * The server authentication as recorded in the bundle: {@code verified}, {@code loopback} if no
   * other machine can answer, or {@code none}.
   *
   * @param local every host is a loopback address
   */
  public String authentication(boolean local) {
    return mode(local).verifies() ? "verified" : local ? "loopback" : "none";
  }
}
