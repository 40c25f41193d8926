package io.shardload.driver.postgresql.client;

import io.shardload.config.ConfigException;
import java.sql.SQLException;

/** Why a server refuses a connection, as a finding about the target. */
public final class Refusal {
  private Refusal() {}

  /** One clear line for what a first connection can meet. */
  public static ConfigException of(SQLException e, Address address, String user) {
    if (String.valueOf(e.getMessage()).contains("does not support SSL")) {
      return new ConfigException(
          "target.options.ssl",
          address.hosts()
              + " does not offer TLS, which is asked for unless the server is on this machine;"
              + " 'ssl: disable' sends everything in the clear");
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
          new ConfigException("target.url", "database " + address.database() + " does not exist");
      default ->
          new ConfigException(
              "target.url", "cannot connect to " + address.hosts() + ": " + Failures.firstLine(e));
    };
  }
}
