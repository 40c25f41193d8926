package io.shardload.driver.mongodb.client;

import com.mongodb.MongoCredential;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.connection.ServerMonitoringMode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Opens clients for reading the servers' own metrics: each leads to one server, has one connection
 * for commands, and gives up soon. {@link io.shardload.driver.Session#APPLICATIONS} does not match
 * their application name, so verification does not wait for them.
 */
public final class DirectClients {
  public static final String APPLICATION = "shardload monitor";

  /** The interval at which the driver checks again whether a server that was down answers. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(2);

  private static final Duration CONNECTING = Duration.ofSeconds(2);
  private static final Duration ANSWER = Duration.ofSeconds(3);

  private final Optional<MongoCredential> credential;
  private final Settings settings;

  public DirectClients(String user, Optional<String> password, Settings settings) {
    this.credential = Connections.credential(user, password, settings);
    this.settings = settings;
  }

  /** Whether connections may lead to a host and port that a server names. */
  public boolean allows(String host) {
    return settings.encryption().allows(new ServerAddress(host).getHost());
  }

  /** One server by itself, by host and port; the caller closes it. */
  public MongoClient to(String host) {
    return MongoClients.create(
        Connections.client(APPLICATION, settings, credential, CONNECTING, ANSWER)
            .applyToClusterSettings(
                cluster -> {
                  Connections.single(cluster, host);
                  cluster.serverSelectionTimeout(CONNECTING.toMillis(), TimeUnit.MILLISECONDS);
                })
            .applyToServerSettings(
                server ->
                    server
                        .heartbeatFrequency(HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS)
                        .serverMonitoringMode(ServerMonitoringMode.POLL))
            .applyToConnectionPoolSettings(pool -> pool.maxSize(1))
            .build());
  }
}
