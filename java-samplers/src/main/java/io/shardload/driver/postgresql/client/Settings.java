package io.shardload.driver.postgresql.client;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Hosts;
import io.shardload.tls.Mode;
import io.shardload.tls.Tls;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The section {@code target.options}.
 *
 * @param simple values are part of the statement text, nothing is prepared on the server
 * @param perTransaction every call opens a connection and closes it
 * @param poolSize connections of the pool, or 0 for one per worker
 * @param fetchSize rows per round trip, or 0 for all at once
 * @param balance which hosts transactions go to: the first that is a primary, all in turn, or all
 *     but the first in turn
 * @param replicaReads finds go to the hosts that are replicas
 * @param pgbouncer there is a pgbouncer in transaction mode between
 * @param connectTimeout how long a call waits for a connection
 * @param tls how connections are encrypted
 */
public record Settings(
    boolean simple,
    boolean perTransaction,
    int poolSize,
    int fetchSize,
    Balance balance,
    boolean replicaReads,
    boolean pgbouncer,
    Duration connectTimeout,
    Tls tls,
    boolean tcpKeepalive) {
  /** Which hosts of the URL transactions go to. */
  enum Balance {
    FIRST,
    ANY,
    OTHERS
  }

  /** Primary or standby, in pgjdbc's word. */
  static final String ANY_SERVER = "any";

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
            options
                .choice("connections", "pooled", List.of("pooled", "per-transaction"))
                .equals("per-transaction"),
            (int) options.integer("pool-size", 0, 1, 10_000),
            (int) options.integer("fetch-size", 0, 0, 1_000_000),
            Balance.valueOf(
                options
                    .choice("balance", "first", List.of("first", "any", "others"))
                    .toUpperCase(Locale.ROOT)),
            options.choice("reads", "primary", List.of("primary", "replicas")).equals("replicas"),
            options.choice("pooler", "none", List.of("none", "pgbouncer")).equals("pgbouncer"),
            options.duration("connect-timeout", Duration.ofSeconds(5)),
            Tls.read(options, local, TLS_MODES, Mode.PREFER),
            options.flag("tcp-keepalive", true));
    if (settings.simple && settings.fetchSize > 0) {
      throw new ConfigException(
          options.pathOf("fetch-size"),
          "needs 'statements: prepared': the simple protocol does not support it");
    }
    if (settings.perTransaction && settings.poolSize > 0) {
      throw new ConfigException(
          options.pathOf("pool-size"), "needs 'connections: pooled': otherwise there is no pool");
    }
    if (settings.connectTimeout.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new ConfigException(options.pathOf("connect-timeout"), "is below 1s");
    }
    if (settings.replicaReads && settings.balance != Balance.FIRST) {
      throw new ConfigException(
          options.pathOf("balance"),
          "cannot be combined with 'reads: replicas': writes go only to the primary");
    }
    options.rejectUnknown();
    return settings;
  }

  /** Refuses what needs several hosts where there is one. */
  public void check(Hosts hosts) {
    if (hosts.size() == 1 && (replicaReads || balance == Balance.OTHERS)) {
      throw new ConfigException(
          "target.url",
          "names one host, but '%s' needs several: postgresql://host1:port,host2:port/database"
              .formatted(replicaReads ? "reads: replicas" : "balance: others"));
    }
  }

  /** Those of the target's hosts that transactions go to; with {@code reads: replicas}, writes. */
  Hosts transactionHosts(Hosts hosts) {
    return balance == Balance.OTHERS ? hosts.others() : hosts;
  }

  int hostsAtOnce(Hosts hosts) {
    return balance == Balance.FIRST ? 1 : transactionHosts(hosts).size();
  }

  /** Whether transactions use a statement again that the server has parsed and may have planned. */
  public boolean keepsStatements() {
    return !simple && !perTransaction;
  }

  /**
   * The kind of server, in pgjdbc's word, that connections for writes, for the data set's record
   * and for verification lead to: with several hosts, none that has become a standby.
   */
  String serverType(Hosts hosts) {
    return balance == Balance.FIRST && hosts.size() > 1 ? "primary" : ANY_SERVER;
  }

  /** Whether finds go to the one host that writes go to. */
  public boolean readsPrimary() {
    return !replicaReads && balance == Balance.FIRST;
  }

  int poolSizeFor(int workers) {
    return poolSize == 0 ? Math.max(1, workers) : poolSize;
  }
}
