package io.shardload.driver.postgresql.client;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Hosts;
import io.shardload.driver.jdbc.client.ConnectionSettings;
import io.shardload.driver.jdbc.client.ConnectionSettings.Balance;
import io.shardload.tls.Mode;
import java.util.List;

/**
 * The section {@code target.options}.
 *
 * @param simple values are part of the statement text, nothing is prepared on the server
 * @param shared what all drivers by JDBC have
 * @param replicaReads finds go to the hosts that are replicas
 * @param pgbouncer there is a pgbouncer in transaction mode between
 */
public record Settings(
    boolean simple, ConnectionSettings shared, boolean replicaReads, boolean pgbouncer) {
  private static final List<Mode> TLS_MODES =
      List.of(Mode.DISABLE, Mode.PREFER, Mode.REQUIRE, Mode.VERIFY_CA, Mode.VERIFY_FULL);

  /**
   * Reads section {@code target.options}.
   *
   * @param local the connection stays on this machine; otherwise it is encrypted, and the server's
   *     identity is verified, unless {@code ssl} explicitly disables this
   */
  public static Settings read(Options options, boolean local) {
    Settings settings =
        new Settings(
            options
                .choice("statements", "prepared", List.of("prepared", "simple"))
                .equals("simple"),
            ConnectionSettings.read(options, local, TLS_MODES, Mode.PREFER),
            options.choice("reads", "primary", List.of("primary", "replicas")).equals("replicas"),
            options.choice("pooler", "none", List.of("none", "pgbouncer")).equals("pgbouncer"));
    if (settings.simple && settings.shared.fetchSize() > 0) {
      throw new ConfigException(
          options.pathOf("fetch-size"),
          "needs 'statements: prepared': the simple protocol does not support it");
    }
    if (settings.replicaReads && settings.shared.balance() != Balance.FIRST) {
      throw new ConfigException(
          options.pathOf("balance"),
          "cannot be combined with 'reads: replicas': writes go only to the primary");
    }
    options.rejectUnknown();
    return settings;
  }

  /** Refuses what needs several hosts where there is one. */
  public void check(Hosts hosts) {
    if (replicaReads || shared.balance() == Balance.OTHERS) {
      ConnectionSettings.requireSeveral(
          hosts, replicaReads ? "reads: replicas" : "balance: others");
    }
  }

  /** Whether transactions use a statement again that the server has parsed and may have planned. */
  public boolean keepsStatements() {
    return !simple && !shared.perTransaction();
  }

  /**
   * The kind of server, in pgjdbc's word, that connections lead to: those for writes, for the data
   * set's record and for verification, with several hosts, to none that has become a standby.
   *
   * @param any whether a standby will do
   */
  String serverType(Hosts hosts, boolean any) {
    return !any && shared.balance() == Balance.FIRST && hosts.size() > 1 ? "primary" : "any";
  }

  /** Whether finds go to the one host that writes go to. */
  public boolean readsPrimary() {
    return !replicaReads && shared.balance() == Balance.FIRST;
  }
}
