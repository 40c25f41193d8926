package io.shardload.redis;

/** Redis does not answer, or refuses a command. It may recover later. */
public final class RedisException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RedisException(String message, Throwable cause) {
    super(message, cause);
  }
}
