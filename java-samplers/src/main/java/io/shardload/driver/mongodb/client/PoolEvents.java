package io.shardload.driver.mongodb.client;

import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ConnectionId;
import com.mongodb.connection.ServerDescription;
import com.mongodb.event.ConnectionCheckedOutEvent;
import com.mongodb.event.ConnectionClosedEvent;
import com.mongodb.event.ConnectionPoolListener;
import com.mongodb.event.ConnectionReadyEvent;
import io.shardload.config.ConfigException;
import io.shardload.driver.Waits;
import io.shardload.workload.Phases;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The driver's own account of its pools. It reports a check-out on the calling thread, so each
 * thread has a slot in which its call waits for the event. Thread-safe.
 */
public final class PoolEvents implements ConnectionPoolListener {
  private final ThreadLocal<Slot> slots = ThreadLocal.withInitial(Slot::new);
  private final Map<String, Set<Long>> ready = new ConcurrentHashMap<>();
  private final Map<String, Long> opened = new ConcurrentHashMap<>();

  /** What one thread waits for. */
  public static final class Slot {
    private Phases waiting;

    /** A call begins. */
    public void await(Phases phases) {
      waiting = phases;
    }

    /** Whether the call that began last has got a connection: without one nothing was sent. */
    public boolean connected() {
      return waiting == null;
    }
  }

  /** The calling thread's. */
  public Slot slot() {
    return slots.get();
  }

  /** How many connections to a server have been opened and authenticated, and live. */
  int ready(String hostAndPort) {
    return ready.getOrDefault(hostAndPort, Set.of()).size();
  }

  /** How many have been opened and authenticated so far, by server. */
  public Map<String, Long> opened() {
    return new TreeMap<>(opened);
  }

  /** Only the first of a call counts: further batches of a find check out again. */
  @Override
  public void connectionCheckedOut(ConnectionCheckedOutEvent event) {
    Slot slot = slots.get();
    Phases phases = slot.waiting;
    if (phases != null) {
      slot.waiting = null;
      phases.connected();
    }
  }

  @Override
  public void connectionReady(ConnectionReadyEvent event) {
    String host = host(event.getConnectionId());
    ready
        .computeIfAbsent(host, h -> ConcurrentHashMap.newKeySet())
        .add(event.getConnectionId().getLocalValue());
    opened.merge(host, 1L, Long::sum);
  }

  /** A connection that failed before it was ready closes, too; it was never among those. */
  @Override
  public void connectionClosed(ConnectionClosedEvent event) {
    Set<Long> ids = ready.get(host(event.getConnectionId()));
    if (ids != null) {
      ids.remove(event.getConnectionId().getLocalValue());
    }
  }

  private static String host(ConnectionId connection) {
    return connection.getServerId().getAddress().toString();
  }

  /**
   * Before the first transaction: waits as long as connections keep coming, to every server that
   * transactions can go to. A first command makes the driver discover the servers; the driver then
   * fills the pools, one per server.
   *
   * @param patience how long to wait for one more connection
   */
  void awaitFull(MongoClient client, ReadPreference preference, int size, Duration patience) {
    Bson.ask(client, "ping");
    Set<ServerAddress> needed = new LinkedHashSet<>();
    int got = Waits.forConnections(size, patience, () -> fewestReady(client, preference, needed));
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
  private int fewestReady(
      MongoClient client, ReadPreference preference, Set<ServerAddress> needed) {
    return client.getClusterDescription().getServerDescriptions().stream()
        .filter(server -> isNeeded(server, preference))
        .peek(server -> needed.add(server.getAddress()))
        .mapToInt(server -> ready(server.getAddress().toString()))
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
