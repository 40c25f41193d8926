package io.shardload.redis;

import java.time.Duration;
import redis.clients.jedis.AbstractTransaction;

/** Changes that take effect together: see {@link Redis#changeIf}. */
public final class Changes {
  private final AbstractTransaction transaction;

  Changes(AbstractTransaction transaction) {
    this.transaction = transaction;
  }

  public Changes incrBy(String key, long more) {
    transaction.incrBy(key, more);
    return this;
  }

  public Changes hincrBy(String key, String field, long more) {
    transaction.hincrBy(key, field, more);
    return this;
  }

  /** Sets a field that does not exist. */
  public Changes hsetIfAbsent(String key, String field, String value) {
    transaction.hsetnx(key, field, value);
    return this;
  }

  public Changes expire(String key, Duration life) {
    transaction.expire(key, life.toSeconds());
    return this;
  }
}
