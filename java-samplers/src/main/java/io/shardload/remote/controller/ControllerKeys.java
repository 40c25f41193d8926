package io.shardload.remote.controller;

import io.shardload.config.ConfigException;
import io.shardload.redis.Redis;
import io.shardload.redis.RedisException;
import io.shardload.remote.wire.RunKeys;
import io.shardload.remote.wire.Timing;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The controller's side of the run's keys in Redis. Nothing is written to a hash that no longer
 * exists: otherwise it would look as if Redis had kept its data. Not thread-safe.
 */
final class ControllerKeys implements AutoCloseable {
  /** How many messages are read at once. */
  static final int BATCH = 256;

  private final Redis redis;
  private final RunKeys keys;
  private String lastRead = Redis.StreamEntry.BEFORE_FIRST;
  private String trimmed = Redis.StreamEntry.BEFORE_FIRST;

  /** Orders for generators that must be sent when Redis answers again. */
  private final Deque<Runnable> unsent = new ArrayDeque<>();

  /** Takes over the connection and closes it. */
  ControllerKeys(Redis redis, RunKeys keys) {
    this.redis = redis;
    this.keys = keys;
  }

  /**
   * Makes the run's keys.
   *
   * @throws ConfigException this Redis drops keys when its memory is full
   */
  void open(int generators) {
    String policy = redis.maxMemoryPolicy();
    if (!policy.isEmpty() && !policy.equals("noeviction")) {
      throw new ConfigException(
          "target.redis.url",
          "Redis at %s has maxmemory-policy %s, which may drop the keys of a run; set it to noeviction"
              .formatted(redis.address(), policy));
    }
    redis.hset(keys.run(), Map.of(RunKeys.GENERATORS, "" + generators, RunKeys.BEAT, "1"));
    redis.expire(keys.run(), Timing.KEY_LIFE);
  }

  /** Host and port, for messages. */
  String address() {
    return redis.address().toString();
  }

  /**
   * Signals that the controller is alive and extends the lifetime of the keys; false if Redis has
   * lost the run.
   */
  boolean beat() {
    boolean isKept =
        change(
            changes ->
                changes
                    .hincrBy(keys.run(), RunKeys.BEAT, 1)
                    .expire(keys.run(), Timing.KEY_LIFE)
                    .expire(keys.up(), Timing.KEY_LIFE));
    while (!unsent.isEmpty()) {
      unsent.peek().run();
      unsent.remove();
    }
    return isKept;
  }

  /**
   * The next messages, oldest first; those of the call before are dropped in Redis. Fewer than
   * {@link #BATCH} are all that there are.
   */
  List<Redis.StreamEntry> read() {
    if (!lastRead.equals(trimmed)) {
      redis.xtrim(keys.up(), lastRead);
      trimmed = lastRead;
    }
    List<Redis.StreamEntry> entries = redis.xread(keys.up(), lastRead, BATCH);
    if (!entries.isEmpty()) {
      lastRead = entries.get(entries.size() - 1).id();
    }
    return entries;
  }

  /** Redis's wall clock. */
  long timeMicros() {
    return redis.timeMicros();
  }

  /** Agrees on the start. */
  void start(long startMicros) {
    set(RunKeys.START_MICROS, Long.toString(startMicros));
  }

  /** Orders all generators to prolong the warm-up by so much in total. */
  void prolong(long nanos) {
    boolean unused =
        change(changes -> changes.hset(keys.run(), RunKeys.PROLONGED_NANOS, Long.toString(nanos)));
  }

  /** Orders all generators to stop, now or with the next beat; the first reason counts. */
  void stop(String reason) {
    send(() -> set(RunKeys.STOP, reason));
  }

  /** Abandons a generator, now or with the next beat; it stops when it reads this. */
  void lost(int generator) {
    send(() -> set(RunKeys.lost(generator), "1"));
  }

  private void send(Runnable what) {
    try {
      what.run();
    } catch (RedisException e) {
      unsent.add(what);
    }
  }

  /** Sets a field once, unless the hash is gone. */
  private void set(String field, String value) {
    boolean unused = change(changes -> changes.hsetIfAbsent(keys.run(), field, value));
  }

  private boolean change(Consumer<Redis.Changes> changes) {
    return redis.changeIf(keys.run(), () -> redis.exists(keys.run()), changes);
  }

  @Override
  public void close() {
    redis.close();
  }
}
