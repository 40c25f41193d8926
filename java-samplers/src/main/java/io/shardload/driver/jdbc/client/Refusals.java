package io.shardload.driver.jdbc.client;

import io.shardload.config.ConfigException;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.tls.Distrust;
import io.shardload.tls.Mode;
import io.shardload.tls.Tls;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Set;

/** Why a connection is refused, as a finding about the target. */
public final class Refusals {
  /** PostgreSQL's, and that of MariaDB, which has one for all refused statements. */
  private static final Set<String> MISSING_RIGHT = Set.of("42501", "42000");

  private Refusals() {}

  /**
   * What is wrong with the encryption; empty if something else is wrong.
   *
   * @param noTls the client's words for a server that offers none
   */
  public static Optional<ConfigException> encryption(
      SQLException e, String noTls, Hosts hosts, Tls tls) {
    return String.valueOf(e.getMessage()).contains(noTls)
        ? Optional.of(
            new ConfigException(
                Tls.MODE_KEY,
                hosts
                    + " does not offer TLS, which is required unless the server is on this"
                    + " machine; 'ssl: disable' sends everything in clear text"))
        : Distrust.in(Distrust.words(e), "" + hosts, tls);
  }

  public static ConfigException password(String user) {
    return new ConfigException(
        "target.password-env", "the server refuses user " + user + " with this password");
  }

  /** Of a server that does not name the reason: some users may log in with TLS alone. */
  public static ConfigException password(String user, Mode mode) {
    ConfigException refusal = password(user);
    return mode.encrypts()
        ? refusal
        : new ConfigException(refusal.key(), refusal.getMessage() + ", or without TLS");
  }

  /** Makes a schema or database, or names the right that is missing. */
  public static void create(Statement statement, String sql, String what, String right)
      throws SQLException {
    try {
      statement.execute(sql);
    } catch (SQLException e) {
      if (!MISSING_RIGHT.contains(Outcomes.state(e))) {
        throw e;
      }
      throw new ConfigException(
          "target.user", "may not create a %s: GRANT %s permits it".formatted(what, right));
    }
  }

  /** Anything else. */
  public static ConfigException connection(Hosts hosts, String line) {
    return new ConfigException(ServerUrl.KEY, "cannot connect to " + hosts + ": " + line);
  }
}
