package io.shardload.driver.postgresql.client;

import io.shardload.config.ConfigException;
import io.shardload.driver.ServerUrl;
import io.shardload.tls.Distrust;
import io.shardload.tls.Tls;
import java.sql.SQLException;
import java.util.Optional;

/** Why a server refuses a connection, as a finding about the target. */
public final class Refusal {
  private Refusal() {}

  private static String words(Throwable e) {
    StringBuilder words = new StringBuilder();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      words.append(cause).append(' ');
    }
    return words.toString();
  }

  /** One clear line for what a first connection can meet. */
  public static ConfigException of(SQLException e, ServerUrl address, String user, Tls tls) {
    Optional<ConfigException> distrust = Distrust.in(words(e), "" + address.hosts(), tls);
    if (distrust.isPresent()) {
      return distrust.get();
    }
    if (String.valueOf(e.getMessage()).startsWith(NoCleartext.REASON)) {
      return new ConfigException(Tls.MODE_KEY, Failures.OUTCOMES.connectLine(e));
    }
    if (String.valueOf(e.getMessage()).contains("does not support SSL")) {
      return new ConfigException(
          "target.options.ssl",
          address.hosts()
              + " does not offer TLS, which is required unless the server is on this"
              + " machine; 'ssl: disable' sends everything in clear text");
    }
    if (String.valueOf(e.getMessage()).contains("unsupported startup parameter")) {
      return new ConfigException(
          "target.options.pooler",
          address.hosts()
              + " is a pgbouncer: "
              + Failures.firstLine(e)
              + "; set 'pooler: pgbouncer' here and 'ignore_startup_parameters ="
              + " extra_float_digits' in its configuration");
    }
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    return switch (state) {
      case "28P01" ->
          new ConfigException(
              "target.password-env", "the server refuses user " + user + " with this password");
      case "08004" -> new ConfigException("target.password-env", Failures.firstLine(e));
      case "28000" -> new ConfigException("target.user", Failures.firstLine(e));
      case "3D000" ->
          new ConfigException(
              "target.url",
              "database %s does not exist; to create it: CREATE DATABASE \"%s\" OWNER \"%s\""
                  .formatted(address.database(), address.database(), user));
      default ->
          new ConfigException(
              "target.url",
              "cannot connect to " + address.hosts() + ": " + Failures.OUTCOMES.connectLine(e));
    };
  }
}
