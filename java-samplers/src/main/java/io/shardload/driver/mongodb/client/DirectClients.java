package io.shardload.driver.mongodb.client;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCredential;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.connection.ClusterConnectionMode;
import com.mongodb.connection.ServerMonitoringMode;
import java.time.Duration;
import java.util.List;
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

  private final Optional<MongoCredential> credential;
  private final Settings settings;
  private final Duration connectTimeout;
  private final Duration readTimeout;

  public DirectClients(
      String user,
      Optional<String> password,
      Settings settings,
      Duration connectTimeout,
      Duration readTimeout) {
    this.credential = Connections.credential(user, password, settings);
    this.settings = settings;
    this.connectTimeout = connectTimeout;
    this.readTimeout = readTimeout;
  }

  /**
   * Whether the options say how to reach a server: without the option {@code ssl}, connections that
   * stay on this machine are not encrypted, but a server may name others.
   *
   * @param host with its port
   */
  public boolean allows(String host) {
    return settings.encryption().allows(new ServerAddress(host).getHost());
  }

  /**
   * One server by itself, whatever else there is; the caller closes it.
   *
   * @param host with its port
   */
  public MongoClient to(String host) {
    MongoClientSettings.Builder builder =
        MongoClientSettings.builder()
            .applicationName(APPLICATION)
            .applyToClusterSettings(
                cluster ->
                    cluster
                        .hosts(List.of(new ServerAddress(host)))
                        .mode(ClusterConnectionMode.SINGLE)
                        .serverSelectionTimeout(connectTimeout.toMillis(), TimeUnit.MILLISECONDS))
            .applyToServerSettings(
                server ->
                    server
                        .heartbeatFrequency(HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS)
                        .serverMonitoringMode(ServerMonitoringMode.POLL))
            .applyToSocketSettings(
                socket ->
                    socket
                        .connectTimeout(connectTimeout.toMillis(), TimeUnit.MILLISECONDS)
                        .readTimeout(readTimeout.toMillis(), TimeUnit.MILLISECONDS))
            .applyToConnectionPoolSettings(
                pool ->
                    pool.maxSize(1).maxWaitTime(connectTimeout.toMillis(), TimeUnit.MILLISECONDS));
    credential.ifPresent(builder::credential);
    settings.encryption().apply(builder);
    return MongoClients.create(builder.build());
  }
}
