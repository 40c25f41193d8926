package io.shardload.tls;

import java.util.Locale;

/** The TLS requirements of a connection, from the least to the most; the words are PostgreSQL's. */
public enum Mode {
  /** Nothing is encrypted. */
  DISABLE,
  /** Encrypted if the server offers it. */
  PREFER,
  /** Encrypted, without a check of the server. */
  REQUIRE,
  /** The server's certificate is signed by a trusted authority. */
  VERIFY_CA,
  /** In addition, the certificate has the server's name. */
  VERIFY_FULL;

  /** As in a target file. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether a server must prove its identity. */
  public boolean verifies() {
    return compareTo(VERIFY_CA) >= 0;
  }

  /** Whether everything is always encrypted. */
  public boolean encrypts() {
    return compareTo(REQUIRE) >= 0;
  }

  /** The mode of a {@link #word}. */
  public static Mode of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
