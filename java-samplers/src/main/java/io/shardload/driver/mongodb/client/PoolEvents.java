package io.shardload.driver.mongodb.client;

import com.mongodb.connection.ConnectionId;
import com.mongodb.event.ConnectionCheckedOutEvent;
import com.mongodb.event.ConnectionClosedEvent;
import com.mongodb.event.ConnectionPoolListener;
import com.mongodb.event.ConnectionReadyEvent;
import io.shardload.workload.Phases;
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
}
