package io.shardload.keys.ranges;

import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Ranges for several generators: a counter in Redis under the run's id. The first generator sets it
 * to the high-water mark; whoever comes later finds it set. A counter that is gone or was set back
 * is refused as far as this generator can tell; that another one has taken more is for the data
 * set's own mark to show.
 *
 * <p>Only ordinals are kept in Redis, never names, documents or credentials, and the key expires
 * after a week.
 */
public final class RedisRanges implements Ranges {
  private static final long KEY_LIFE_SECONDS = 7 * 24 * 60 * 60;
  private static final int ATTEMPTS = 20;
  private static final long PAUSE_MILLIS = 250;

  /**
   * Takes a range of ARGV[1] ordinals if the counter is there and at least ARGV[2]; returns the
   * counter as it was, or nil if it is not there. Atomic, so a refusal changes nothing.
   */
  private static final String TAKE =
      """
      local first = redis.call('GET', KEYS[1])
      if first and tonumber(first) >= tonumber(ARGV[2]) then
        redis.call('INCRBY', KEYS[1], ARGV[1])
        redis.call('EXPIRE', KEYS[1], ARGV[3])
      end
      return first
      """;

  private final JedisPooled redis;
  private final String key;
  private final int size;

  /** The counter was never lower than this. */
  private long floor;

  /**
   * Takes over the connection and closes it.
   *
   * @param runId the same for all generators of a run and for no other run
   */
  public RedisRanges(JedisPooled redis, String runId, long highWater, int size) {
    this.redis = redis;
    this.key = "shardload:" + runId + ":next-ordinal";
    this.size = size;
    this.floor = highWater;
    redis.setnx(key, Long.toString(highWater));
    redis.expire(key, KEY_LIFE_SECONDS);
  }

  /**
   * Connects.
   *
   * @param url {@code redis://host:port} or {@code rediss://host:port} (TLS), without user-info
   * @param passwordEnv name of the environment variable that holds the password, or empty
   * @throws ConfigException if the URL is none or Redis does not answer
   */
  public static RedisRanges connect(
      String url, String passwordEnv, String runId, long highWater, int size) {
    HostAndPort address = address(url);
    DefaultJedisClientConfig.Builder client =
        DefaultJedisClientConfig.builder().ssl(url.startsWith("rediss:"));
    if (!passwordEnv.isEmpty()) {
      client.password(Secrets.require("target.redis.password-env", passwordEnv));
    }
    try {
      return new RedisRanges(new JedisPooled(address, client.build()), runId, highWater, size);
    } catch (JedisException e) {
      throw new ConfigException(
          "target.redis.url", "no answer from " + address + ": " + e.getMessage());
    }
  }

  /** Host and port of a Redis URL; the default port is 6379. */
  static HostAndPort address(String url) {
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException e) {
      throw new ConfigException("target.redis.url", "is not a URL: " + e.getReason());
    }
    boolean redis = "redis".equals(uri.getScheme()) || "rediss".equals(uri.getScheme());
    if (!redis || uri.getHost() == null || uri.getUserInfo() != null) {
      throw new ConfigException(
          "target.redis.url", "must be redis://host:port or rediss://host:port, without user-info");
    }
    return new HostAndPort(uri.getHost(), uri.getPort() < 0 ? 6379 : uri.getPort());
  }

  /** Repeats while Redis does not answer, for some seconds; other generators may go on. */
  @Override
  public synchronized long next() {
    for (int attempt = 1; ; attempt++) {
      try {
        return take();
      } catch (JedisException e) {
        if (attempt == ATTEMPTS) {
          throw new RangesLostException("Redis does not answer: " + e.getMessage());
        }
        pause();
      }
    }
  }

  private long take() {
    Object answer =
        redis.eval(
            TAKE, List.of(key), List.of("" + size, "" + floor, Long.toString(KEY_LIFE_SECONDS)));
    if (answer == null) {
      throw new RangesLostException("Redis has lost the key " + key);
    }
    long first = Long.parseLong(answer.toString());
    if (first < floor) {
      throw new RangesLostException(
          "Redis has set the key %s back from at least %d to %d: it was restored from an older state"
              .formatted(key, floor, first));
    }
    floor = first + size;
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
