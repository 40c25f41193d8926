package io.shardload.driver.mongodb.client;

import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ServerDescription;
import io.shardload.config.ConfigException;
import io.shardload.driver.Waits;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/** A client's pools, one per server, before the first transaction. */
public final class Pools {
  private Pools() {}

  /**
   * Waits as long as connections keep coming, to every server that transactions can go to. A first
   * command makes the driver discover the servers; the driver then fills the pools.
   *
   * @param patience how long to wait for one more connection
   */
  static void awaitFull(
      MongoClient client,
      PoolEvents poolEvents,
      ReadPreference preference,
      int size,
      Duration patience) {
    Bson.ask(client, "ping");
    Set<ServerAddress> needed = new LinkedHashSet<>();
    int got =
        Waits.forConnections(
            size, patience, () -> fewestReady(client, poolEvents, preference, needed));
    if (got < size) {
      throw refusal(needed, got, size, patience);
    }
  }

  /** A server at its limit still takes one more connection, and then ends it. */
  private static ConfigException refusal(
      Set<ServerAddress> needed, int got, int size, Duration patience) {
    for (ServerAddress server : needed) {
      try (Socket more = new Socket()) {
        InetSocketAddress address = new InetSocketAddress(server.getHost(), server.getPort());
        more.connect(address, (int) patience.toMillis());
      } catch (IOException e) {
        return new ConfigException(
            "target.url",
            "the server gave %d of %d connections, and refused the next one: %s: %s"
                .formatted(got, size, server, e.getMessage()));
      }
    }
    return new ConfigException(
        "target.options.pool-size",
        "a server accepts only " + got + " of " + size + " connections");
  }

  /**
   * @param needed receives the servers that transactions can go to
   */
  private static int fewestReady(
      MongoClient client,
      PoolEvents poolEvents,
      ReadPreference preference,
      Set<ServerAddress> needed) {
    return client.getClusterDescription().getServerDescriptions().stream()
        .filter(server -> isNeeded(server, preference))
        .peek(server -> needed.add(server.getAddress()))
        .mapToInt(server -> poolEvents.ready(server.getAddress().toString()))
        .min()
        .orElse(0);
  }

  /** Secondaries that nothing is read from have pools, too, but need not fill them. */
  static boolean isNeeded(ServerDescription server, ReadPreference preference) {
    return server.isPrimary() || (preference.isSecondaryOk() && takesStatements(server));
  }

  /**
   * Whether clients' statements can go there: not to an arbiter, nor to a member that is starting
   * up or catching up, to which the driver opens no pool either.
   */
  public static boolean takesStatements(ServerDescription server) {
    return server.isPrimary() || server.isSecondary();
  }
}
