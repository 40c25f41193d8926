package io.shardload.remote.generator;

import io.shardload.generator.TimedLease;
import io.shardload.redis.Redis.Exchanged;
import io.shardload.redis.RedisException;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.RunKeys;
import io.shardload.remote.wire.Timing;
import io.shardload.remote.wire.WireEncoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The contact of a generator with its controller: sends waiting messages and acts on the
 * controller's orders. Used by one thread, except {@link #start} and {@link #isCut}.
 */
final class Contact {
  /** Sends messages and returns the run's hash. */
  @FunctionalInterface
  interface Channel {
    Exchanged exchange(List<byte[]> messages);
  }

  /** Reason of a generator that does not reach the meeting point, or is not expected there. */
  static final String LEASE_LOST = "lease-lost";

  static final String CONTROLLER_LOST = "controller-lost";

  /** Reason of a generator that cannot read what the controller or somebody else wrote. */
  static final String FAILED = "exchange-failed";

  private static final Logger LOG = Logger.getLogger(Contact.class.getName());
  private static final int PART_DIED = 2;
  private static final String GENERATOR_LOST = "generator-lost";
  private static final String ORDERED = "stop";

  /** Orders that are reasons of their own; the controller's outcome explains all others. */
  private static final Set<String> SELF_EXPLAINING = Set.of(GENERATOR_LOST, CONTROLLER_LOST);

  private static final long LEASE_NANOS = Timing.LEASE.toNanos();
  private static final long NOT_YET = Long.MIN_VALUE;

  private final int generator;
  private final LongSupplier nanoTime;
  private final Channel channel;
  private final Outbox outbox;
  private final TimedLease lease;
  private final Consumer<String> stop;
  private final LongConsumer prolong;
  private boolean met;
  private String beat;
  private long beatNanos;
  private final long createdNanos;
  private volatile long startMicros = NOT_YET;
  private volatile boolean cut;

  /**
   * @param stop receives the reason why the run must stop, perhaps several times
   * @param prolong receives by how much the warm-up is prolonged in total, with each exchange
   */
  Contact(
      int generator,
      LongSupplier nanoTime,
      Channel channel,
      Outbox outbox,
      TimedLease lease,
      Consumer<String> stop,
      LongConsumer prolong) {
    this.generator = generator;
    this.nanoTime = nanoTime;
    this.channel = channel;
    this.outbox = outbox;
    this.lease = lease;
    this.stop = stop;
    this.prolong = prolong;
    this.createdNanos = nanoTime.getAsLong();
  }

  /** Exchanges once; returns whether it succeeded. */
  boolean exchange() {
    List<byte[]> batch = outbox.batch();
    long sent = nanoTime.getAsLong();
    List<byte[]> messages =
        batch.isEmpty() ? List.of(WireEncoder.encode(new Message.Beat(generator, sent))) : batch;
    try {
      Map<String, String> run = channel.exchange(messages).hash();
      outbox.arrived(batch.size());
      conclude(run, sent);
      return true;
    } catch (RedisException e) {
      return false;
    } catch (RuntimeException e) {
      fail(e);
      return false;
    } finally {
      // Before the first exchange there was no lease that could run out.
      if (!lease.holds() && (met || nanoTime.getAsLong() - createdNanos > LEASE_NANOS)) {
        cut = true;
        stop.accept(LEASE_LOST);
      }
    }
  }

  /** Ends the run with the reason: what Redis has of this run will be no better next time. */
  private void fail(RuntimeException e) {
    LOG.log(Level.SEVERE, "cannot use what Redis has of this run", e);
    stop.accept(FAILED);
    lease.revoke();
    String text = "cannot use what Redis has of this run: " + e;
    Message last = new Message.Trouble(generator, "hosts", text, PART_DIED);
    try {
      channel.exchange(List.of(WireEncoder.encode(last)));
    } catch (RedisException unreachable) {
      LOG.log(Level.WARNING, "the controller does not know it", unreachable);
    }
  }

  private void conclude(Map<String, String> run, long sent) {
    met = true;
    if (run.isEmpty() || run.containsKey(RunKeys.lost(generator))) {
      lease.revoke();
      return;
    }
    lease.renew(sent);
    watchBeat(run.getOrDefault(RunKeys.BEAT, ""));
    String order = run.get(RunKeys.STOP);
    if (order != null) {
      stop.accept(SELF_EXPLAINING.contains(order) ? order : ORDERED);
    }
    String prolonged = run.get(RunKeys.PROLONGED_NANOS);
    if (prolonged != null) {
      prolong.accept(Long.parseLong(prolonged));
    }
    String start = run.get(RunKeys.START_MICROS);
    if (start != null) {
      startMicros = Long.parseLong(start);
    }
  }

  private void watchBeat(String now) {
    long nanos = nanoTime.getAsLong();
    if (!now.equals(beat)) {
      beat = now;
      beatNanos = nanos;
    } else if (nanos - beatNanos > Timing.CONTROLLER_LOST.toNanos()) {
      stop.accept(CONTROLLER_LOST);
    }
  }

  /** The agreed start by Redis's clock, in microseconds; empty until it is known. */
  OptionalLong start() {
    long start = startMicros;
    return start == NOT_YET ? OptionalLong.empty() : OptionalLong.of(start);
  }

  /** Whether the lease has expired: the controller no longer waits for this generator. */
  boolean isCut() {
    return cut;
  }

  /**
   * The messages to send, in order. A message leaves it when it has arrived; until then it is sent
   * again with the same bytes. Thread-safe.
   */
  static final class Outbox {
    /** Some bytes for each second: after so long without contact the lease has expired long ago. */
    static final int MOST_MESSAGES = 64;

    private static final int BATCH_BYTES = 4 << 20;

    private static final class Letter {
      private final Message message;
      private byte[] bytes;

      Letter(Message message) {
        this.message = message;
      }

      byte[] bytes() {
        if (bytes == null) {
          bytes = WireEncoder.encode(message);
        }
        return bytes;
      }
    }

    private final Deque<Letter> letters = new ArrayDeque<>();
    private boolean closed;

    /**
     * Adds a message. An overflown outbox accepts nothing more, because a message would follow a
     * gap.
     */
    synchronized void add(Message message) {
      closed |= letters.size() == MOST_MESSAGES;
      if (!closed) {
        letters.add(new Letter(message));
      }
    }

    /** The first messages, some megabytes at most. Encodes them, so one thread calls it. */
    List<byte[]> batch() {
      List<Letter> waiting;
      synchronized (this) {
        waiting = List.copyOf(letters);
      }
      List<byte[]> batch = new ArrayList<>();
      long size = 0;
      for (Letter letter : waiting) {
        if (size >= BATCH_BYTES) {
          break;
        }
        batch.add(letter.bytes());
        size += letter.bytes().length;
      }
      return batch;
    }

    /** The first messages have arrived. */
    synchronized void arrived(int messages) {
      for (int i = 0; i < messages; i++) {
        letters.remove();
      }
    }

    synchronized int size() {
      return letters.size();
    }
  }
}
