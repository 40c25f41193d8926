package io.shardload.driver.mongodb.client;

import com.mongodb.event.ConnectionCheckedOutEvent;
import com.mongodb.event.ConnectionClosedEvent;
import com.mongodb.event.ConnectionPoolListener;
import com.mongodb.event.ConnectionReadyEvent;
import io.shardload.workload.Phases;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The driver's own account of its pools. It tells of a check-out on the thread that calls, so each
 * thread has a slot in which its call waits for it. Thread-safe.
 */
public final class PoolEvents implements ConnectionPoolListener {
  private final ThreadLocal<Slot> slots = ThreadLocal.withInitial(Slot::new);
  private final Map<String, AtomicInteger> ready = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> opened = new ConcurrentHashMap<>();

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
    AtomicInteger count = ready.get(hostAndPort);
    return count == null ? 0 : count.get();
  }

  /** How many have been opened and authenticated so far, by server. */
  public Map<String, Long> opened() {
    Map<String, Long> counts = new TreeMap<>();
    opened.forEach((host, count) -> counts.put(host, count.sum()));
    return counts;
  }

  /** Only the first of a call counts: further batches of a find check out anew. */
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
    String host = event.getConnectionId().getServerId().getAddress().toString();
    ready.computeIfAbsent(host, h -> new AtomicInteger()).incrementAndGet();
    opened.computeIfAbsent(host, h -> new LongAdder()).increment();
  }

  @Override
  public void connectionClosed(ConnectionClosedEvent event) {
    // One that failed before it was ready is counted too; as such a failure ends the filling of the
    // pool, the count is then below what was wanted all the same.
    AtomicInteger count = ready.get(event.getConnectionId().getServerId().getAddress().toString());
    if (count != null) {
      count.decrementAndGet();
    }
  }
}
