package io.shardload.driver.mongodb.client;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ServerDescription;
import io.shardload.config.ConfigException;
import java.time.Duration;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** A client's pools, one per server, before the first transaction. */
public final class Pools {
  private Pools() {}

  /**
   * Waits as long as connections keep coming, to every server that transactions can go to. A first
   * command makes the driver discover the servers; the driver then fills the pools.
   *
   * @param patience how long to wait for one more connection
   * @throws ConfigException none came for that long
   */
  static void awaitFull(
      MongoClient client,
      PoolEvents poolEvents,
      ReadPreference preference,
      int size,
      Duration patience) {
    client.getDatabase("admin").runCommand(new BsonDocument("ping", new BsonInt32(1)));
    int got = -1;
    long deadline = 0;
    for (int now = fewestReady(client, poolEvents, preference);
        now < size;
        now = fewestReady(client, poolEvents, preference)) {
      if (now > got) {
        got = now;
        deadline = System.nanoTime() + patience.toNanos();
      } else if (System.nanoTime() > deadline) {
        throw new ConfigException(
            "target.options.pool-size",
            "a server accepts only " + got + " of " + size + " connections");
      }
      try {
        Thread.sleep(2);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private static int fewestReady(
      MongoClient client, PoolEvents poolEvents, ReadPreference preference) {
    return client.getClusterDescription().getServerDescriptions().stream()
        .filter(server -> isNeeded(server, preference))
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
