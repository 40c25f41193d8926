package io.shardload.keys;

import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.redis.Redis;
import io.shardload.redis.RedisException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ranges for several generators: a counter in Redis under the run's id. The first generator sets
 * the counter to the high-water mark; later generators find it set. This generator refuses a
 * counter that is missing or lower than its own last value. The data set's own mark reveals whether
 * another generator has taken more.
 *
 * <p>Only ordinals are kept in Redis, never names, documents or credentials, and the key expires
 * after a week.
 */
public final class RedisRanges implements Ranges {
  private static final Duration KEY_LIFE = Duration.ofDays(7);
  private static final int ATTEMPTS = 20;
  private static final long PAUSE_MILLIS = 250;

  private final Redis redis;
  private final String key;
  private final int size;

  /** The counter was never lower than this. */
  private long floor;

  /**
   * Takes over the connection and closes it.
   *
   * @param runId the same for all generators of a run and for no other run
   */
  public RedisRanges(Redis redis, String runId, long highWater, int size) {
    this.redis = redis;
    this.key = "shardload:" + runId + ":next-ordinal";
    this.size = size;
    this.floor = highWater;
    redis.setIfAbsent(key, Long.toString(highWater));
    redis.expire(key, KEY_LIFE);
  }

  /**
   * Connects.
   *
   * @param url {@code redis://host:port} or {@code rediss://host:port} (TLS), without user-info
   * @param passwordEnv name of the environment variable that holds the password, or empty
   * @throws ConfigException if the URL is invalid or Redis does not answer
   */
  public static RedisRanges connect(
      String url, String passwordEnv, String runId, long highWater, int size) {
    String password =
        passwordEnv.isEmpty() ? null : Secrets.require("target.redis.password-env", passwordEnv);
    Redis redis = Redis.connect(url, password, null);
    try {
      return new RedisRanges(redis, runId, highWater, size);
    } catch (RedisException e) {
      redis.close();
      throw new ConfigException("target.redis.url", "no answer from " + e.getMessage());
    }
  }

  /** Repeats for some seconds while Redis does not answer; other generators may continue. */
  @Override
  public synchronized long next() {
    for (int attempt = 1; ; attempt++) {
      try {
        return take();
      } catch (RedisException e) {
        if (attempt == ATTEMPTS) {
          throw new RangesLostException("Redis does not answer: " + e.getMessage());
        }
        pause();
      }
    }
  }

  /** Atomic, so a refusal changes nothing. */
  private long take() {
    AtomicLong first = new AtomicLong();
    boolean unused =
        redis.changeIf(
            key,
            () -> {
              first.set(checked(redis.get(key)));
              return true;
            },
            changes -> changes.incrBy(key, size).expire(key, KEY_LIFE));
    floor = first.get() + size;
    return first.get();
  }

  private long checked(String answer) {
    if (answer == null) {
      throw new RangesLostException("Redis has lost the key " + key);
    }
    long first = Long.parseLong(answer);
    if (first < floor) {
      throw new RangesLostException(
          "Redis has set the key %s back from at least %d to %d: Redis was restored from an older state"
              .formatted(key, floor, first));
    }
    return first;
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public void close() {
    redis.close();
  }
}
