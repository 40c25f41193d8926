package io.shardload.driver.postgresql.client;

import io.shardload.config.ConfigException;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.jdbc.client.Refusals;
import io.shardload.tls.Tls;
import java.sql.SQLException;
import java.util.Optional;

/** Why a server refuses a connection, as a finding about the target. */
public final class Refusal {
  private Refusal() {}

  /** One clear line for what a first connection can meet. */
  public static ConfigException of(SQLException e, ServerUrl address, String user, Tls tls) {
    Optional<ConfigException> encryption =
        Refusals.encryption(e, "does not support SSL", address.hosts(), tls);
    if (encryption.isPresent()) {
      return encryption.get();
    }
    if (String.valueOf(e.getMessage()).startsWith(NoCleartext.REASON)) {
      return new ConfigException(Tls.MODE_KEY, Failures.OUTCOMES.connectLine(e));
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
      case "28P01" -> Refusals.password(user);
      case "08004" -> new ConfigException("target.password-env", Failures.firstLine(e));
      case "28000" -> new ConfigException("target.user", Failures.firstLine(e));
      case "3D000" ->
          new ConfigException(
              "target.url",
              "database %s does not exist; to create it: CREATE DATABASE \"%s\" OWNER \"%s\""
                  .formatted(address.database(), address.database(), user));
      default -> Refusals.connection(address.hosts(), Failures.OUTCOMES.connectLine(e));
    };
  }
}
