package io.shardload.redis;

import io.shardload.config.ConfigException;
import java.net.URI;
import java.net.URISyntaxException;

/** Where a Redis server is, as a target names it. */
public record RedisAddress(String host, int port, boolean tls) {
  private static final int DEFAULT_PORT = 6379;

  /**
   * Reads a URL; the default port is 6379.
   *
   * @param url {@code redis://host:port} or {@code rediss://host:port} (TLS), without user-info
   * @throws ConfigException it is not such a URL
   */
  public static RedisAddress parse(String url) {
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
    return new RedisAddress(
        uri.getHost(),
        uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(),
        "rediss".equals(uri.getScheme()));
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
