package io.shardload.tls;

import io.shardload.config.ConfigException;
import java.util.Optional;

/** Why a handshake failed, as a finding about the target. */
public final class Distrust {
  private static final String UNCHECKED =
      "; 'ssl: require' encrypts without checking which server answers";

  private Distrust() {}

  /**
   * One clear line for a failed handshake; empty if something else failed.
   *
   * @param words of the exception and all its causes: {@link #words}
   */
  public static Optional<ConfigException> in(String words, String host, Tls tls) {
    if (words.contains("No subject alternative")
        || words.contains("No name matching")
        || words.contains("could not be verified by hostnameverifier")
        || words.contains("SSL hostname verification failed")) {
      return refusal("target.url", host + " has a certificate for another host name");
    }
    if (words.contains("PKIX")
        || words.contains("CertificateException")
        || words.contains("Self signed certificates")) {
      return refusal(
          Tls.ROOT_KEY,
          tls.rootCertificate().isEmpty()
              ? "is missing: Java does not trust the authority that signed the certificate of "
                  + host
              : "does not contain the authority that signed the certificate of " + host);
    }
    if (words.contains("certificate_required")
        || words.contains("bad_certificate")
        || words.contains("unknown_ca")
        || words.contains("certificate_unknown")) {
      return Optional.of(
          new ConfigException(
              ClientCertificate.CERTIFICATE_KEY,
              tls.identity().isEmpty()
                  ? "is missing: " + host + " requires a client certificate"
                  : host + " does not accept " + tls.identity().get().certificate()));
    }
    return Optional.empty();
  }

  /** What an exception and all its causes say. */
  public static String words(Throwable e) {
    StringBuilder words = new StringBuilder();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      words.append(cause).append(' ');
    }
    return words.toString();
  }

  private static Optional<ConfigException> refusal(String key, String text) {
    return Optional.of(new ConfigException(key, text + UNCHECKED));
  }
}
