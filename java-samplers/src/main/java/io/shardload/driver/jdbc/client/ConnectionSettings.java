package io.shardload.driver.jdbc.client;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Driver;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.Session;
import io.shardload.tls.Mode;
import io.shardload.tls.Tls;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The keys of {@code target.options} that all drivers share.
 *
 * @param perTransaction every call opens a connection and closes it
 * @param poolSize connections of the pool, or 0 for one per worker
 * @param fetchSize rows per round trip, or 0 for all at once
 * @param balance which hosts transactions go to: the first that takes writes, all in turn, or all
 *     but the first in turn
 * @param connectTimeout how long a call waits for a connection
 * @param tls how connections are encrypted
 */
public record ConnectionSettings(
    boolean perTransaction,
    int poolSize,
    int fetchSize,
    Balance balance,
    Duration connectTimeout,
    Tls tls,
    boolean tcpKeepalive) {
  /** Which hosts of the URL transactions go to. */
  public enum Balance {
    FIRST,
    ANY,
    OTHERS
  }

  /** How much longer than the server the client waits before it abandons a connection. */
  private static final Duration SOCKET_GRACE = Duration.ofSeconds(5);

  /**
   * Reads the keys; the driver reads its own and then refuses unknown ones.
   *
   * @param local the connection stays on this machine; otherwise it is encrypted, and the server's
   *     identity is verified, unless {@code ssl} explicitly disables this
   * @param modes of encryption that the driver has
   */
  public static ConnectionSettings read(
      Options options, boolean local, List<Mode> modes, Mode localMode) {
    ConnectionSettings settings =
        new ConnectionSettings(
            options
                .choice("connections", "pooled", List.of("pooled", "per-transaction"))
                .equals("per-transaction"),
            (int) options.integer("pool-size", 0, 1, 10_000),
            (int) options.integer("fetch-size", 0, 0, 1_000_000),
            Balance.valueOf(
                options
                    .choice("balance", "first", List.of("first", "any", "others"))
                    .toUpperCase(Locale.ROOT)),
            Driver.connecting(options, "connect-timeout"),
            Tls.read(options, local, modes, localMode),
            options.flag("tcp-keepalive", true));
    if (settings.perTransaction && settings.poolSize > 0) {
      throw new ConfigException(
          options.pathOf("pool-size"), "needs 'connections: pooled': otherwise there is no pool");
    }
    return settings;
  }

  /** Refuses a choice that needs several hosts where there is one. */
  public static void requireSeveral(Hosts hosts, String choice) {
    if (hosts.size() == 1) {
      throw new ConfigException(
          ServerUrl.KEY,
          "names one host, but '%s' needs several: host1:port,host2:port".formatted(choice));
    }
  }

  /** Those of the target's hosts that transactions go to. */
  public Hosts transactionHosts(Hosts hosts) {
    return balance == Balance.OTHERS ? hosts.others() : hosts;
  }

  public int poolSizeFor(int workers) {
    return poolSize == 0 ? Math.max(1, workers) : poolSize;
  }

  /** The least number of whole seconds that is not shorter. */
  public static int ceilSeconds(Duration duration) {
    return Math.toIntExact(duration.plusMillis(999).toSeconds());
  }

  /** How long the client waits for an answer, or 0 for ever. */
  public static int socketTimeoutSeconds(Duration statementTimeout) {
    return statementTimeout.isZero() ? 0 : ceilSeconds(statementTimeout.plus(SOCKET_GRACE));
  }

  /** What connections of a run are set to, for the run bundle; no secrets. */
  Map<String, String> describe(Session session, Hosts hosts) {
    Map<String, String> all = new TreeMap<>();
    all.put("connections", perTransaction ? "per-transaction" : "pooled");
    if (!perTransaction) {
      all.put("pool-size", "" + poolSizeFor(session.workers()));
      all.put("idle-check", "none");
    }
    all.put("fetch-size", "" + fetchSize);
    all.put("connect-timeout", connectTimeout.toMillis() + "ms");
    all.put("statement-timeout", session.statementTimeout().toMillis() + "ms");
    all.put("socket-timeout", socketTimeoutSeconds(session.statementTimeout()) * 1000L + "ms");
    all.put("ssl", tls.mode(hosts.local()).word());
    all.put("server-authentication", tls.authentication(hosts.local()));
    all.put("tcp-keepalive", "" + tcpKeepalive);
    all.put("balance", balance.name().toLowerCase(Locale.ROOT));
    all.put("hosts", hosts.toString());
    return all;
  }
}
