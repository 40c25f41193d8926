package io.shardload.remote.generator;

import io.shardload.redis.Redis;
import io.shardload.redis.RedisException;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.RunKeys;
import io.shardload.remote.wire.Timing;
import io.shardload.remote.wire.WireDecoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The controller's side of a meeting point, as far as generators see it. */
final class FakeController implements AutoCloseable {
  private static final long PATIENCE_NANOS = 60_000_000_000L;
  private static final long BEAT_MILLIS = 200;

  private final Redis redis;
  private final RunKeys keys;
  private final List<Message> received = new ArrayList<>();
  private final Thread thread = new Thread(this::beat, "fake-controller");
  private String last = Redis.StreamEntry.BEFORE_FIRST;
  private volatile boolean beating = true;

  FakeController(Redis redis, String runId, int generators) {
    this.redis = redis;
    this.keys = new RunKeys(runId, "n");
    set(RunKeys.GENERATORS, "" + generators);
    thread.setDaemon(true);
    thread.start();
  }

  private void beat() {
    try {
      while (beating) {
        boolean unused =
            redis.changeIf(keys.run(), () -> true, c -> c.hincrBy(keys.run(), RunKeys.BEAT, 1));
        Thread.sleep(BEAT_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RedisException e) {
      // The test took Redis away.
    }
  }

  void set(String field, String value) {
    redis.hset(keys.run(), Map.of(field, value));
  }

  /** Agrees on a start once so many generators are there. */
  long startWhenReady(int generators) throws InterruptedException {
    awaitMessages(Message.Hello.class, generators);
    return startAt(0);
  }

  /** Agrees on a start, so many seconds later than usual by Redis's clock. */
  long startAt(long laterSeconds) {
    long start =
        redis.timeMicros() + Timing.START_DELAY.plusSeconds(laterSeconds).toMillis() * 1000;
    set(RunKeys.START_MICROS, "" + start);
    return start;
  }

  /** Stops the beat and waits for the last one. */
  void die() throws InterruptedException {
    beating = false;
    thread.join();
  }

  /** All messages of a kind so far, in their order. */
  synchronized <T extends Message> List<T> of(Class<T> kind) {
    List<Redis.StreamEntry> entries = redis.xread(keys.up(), last, 1000);
    while (!entries.isEmpty()) {
      entries.forEach(entry -> received.add(WireDecoder.decode(entry.message())));
      last = entries.get(entries.size() - 1).id();
      entries = redis.xread(keys.up(), last, 1000);
    }
    return received.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** Waits for so many messages of a kind; fails with what came instead. */
  void awaitMessages(Class<? extends Message> kind, int atLeast) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (of(kind).size() < atLeast) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("no " + kind.getSimpleName() + ", but " + received);
      }
      Thread.sleep(10);
    }
  }

  /** The kind of the last message of each generator that was no beat. */
  Map<Integer, Class<?>> lastKinds() {
    Map<Integer, Class<?>> last = new HashMap<>();
    of(Message.class).stream()
        .filter(message -> !(message instanceof Message.Beat))
        .forEach(message -> last.put(message.generator(), message.getClass()));
    return last;
  }

  @Override
  public void close() {
    try (redis) {
      die();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
