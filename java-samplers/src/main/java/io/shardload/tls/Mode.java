package io.shardload.tls;

import java.util.Locale;

/** What a connection demands of TLS, from the least to the most; the words are PostgreSQL's. */
public enum Mode {
  /** Nothing is encrypted. */
  DISABLE,
  /** Encrypted if the server offers it. */
  PREFER,
  /** Encrypted, whoever the server is. */
  REQUIRE,
  /** The server's certificate is signed by a trusted authority. */
  VERIFY_CA,
  /** And it bears the server's name. */
  VERIFY_FULL;

  /** As it stands in a target file. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether a server has to show who it is. */
  public boolean verifies() {
    return compareTo(VERIFY_CA) >= 0;
  }

  /** Whether nothing is ever sent in the clear. */
  public boolean encrypts() {
    return compareTo(REQUIRE) >= 0;
  }

  /** The mode of a {@link #word}. */
  public static Mode of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
