package io.shardload.driver.postgresql.client;

import io.shardload.driver.Hosts;
import io.shardload.driver.Session;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What connections of a run are set to, for the run bundle; no secrets. */
final class EffectiveSettings {
  private EffectiveSettings() {}

  static Map<String, String> of(Settings settings, Session session, Hosts hosts) {
    int socketTimeoutSeconds = Connections.socketTimeoutSeconds(session.statementTimeout());
    Map<String, String> all = new TreeMap<>();
    all.put("statements", settings.simple() ? "simple" : "prepared");
    all.put("connections", settings.perTransaction() ? "per-transaction" : "pooled");
    if (!settings.perTransaction()) {
      all.put("pool-size", "" + settings.poolSizeFor(session.workers()));
      all.put("idle-check", "none");
    }
    all.put("fetch-size", "" + settings.fetchSize());
    all.put("connect-timeout", settings.connectTimeout().toMillis() + "ms");
    all.put("statement-timeout", session.statementTimeout().toMillis() + "ms");
    all.put("socket-timeout", socketTimeoutSeconds * 1000L + "ms");
    all.put("ssl", settings.tls().mode(hosts.local()).word());
    all.put("server-authentication", settings.tls().authentication(hosts.local()));
    all.put("tcp-keepalive", "" + settings.tcpKeepalive());
    all.put("balance", settings.balance().name().toLowerCase(Locale.ROOT));
    all.put("reads", settings.replicaReads() ? "replicas" : "primary");
    all.put("pooler", settings.pgbouncer() ? "pgbouncer" : "none");
    all.put("hosts", hosts.toString());
    all.put("pgjdbc", org.postgresql.util.DriverInfo.DRIVER_VERSION);
    return all;
  }
}
