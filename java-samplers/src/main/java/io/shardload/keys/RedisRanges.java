package io.shardload.keys;

import redis.clients.jedis.JedisPooled;

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

  /**
   * Takes over the connection and closes it.
   *
   * @param runId the same for all generators of a run and for no other run
   */
  public RedisRanges(JedisPooled redis, String runId, long highWater, int size) {
    this.redis = redis;
    this.key = "shardload:" + runId + ":next-ordinal";
    this.size = size;
    redis.setnx(key, Long.toString(highWater));
    redis.expire(key, KEY_LIFE_SECONDS);
  }

  @Override
  public long next() {
    return redis.incrBy(key, size) - size;
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
