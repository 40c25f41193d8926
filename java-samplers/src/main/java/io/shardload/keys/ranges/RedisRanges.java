package io.shardload.keys.ranges;

import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import java.net.URI;
import java.net.URISyntaxException;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Ranges for several generators: a counter in Redis under the run's id. The first generator sets it
 * to the high-water mark; whoever comes later finds it set.
 *
 * <p>Only ordinals are kept in Redis, never names, documents or credentials, and the key expires
 * after a day.
 */
public final class RedisRanges implements Ranges {
  private static final long KEY_LIFE_SECONDS = 24 * 60 * 60;

  private final JedisPooled redis;
  private final String key;
  private final int size;
  private final long highWater;

  /**
   * Takes over the connection and closes it.
   *
   * @param runId the same for all generators of a run and for no other run
   */
  public RedisRanges(JedisPooled redis, String runId, long highWater, int size) {
    this.redis = redis;
    this.key = "shardload:" + runId + ":next-ordinal";
    this.size = size;
    this.highWater = highWater;
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

  @Override
  public long next() {
    long first = redis.incrBy(key, size) - size;
    redis.expire(key, KEY_LIFE_SECONDS);
    if (first < highWater) {
      throw new IllegalStateException(
          "Redis has lost the key " + key + ": it would hand out ordinals that are in use");
    }
    return first;
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
