package io.shardload.keys.ranges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.embedded.EmbeddedRedis;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisPooled;

/** The contract on a real Redis, with a connection of its own for each user. */
class RedisRangesTest extends RangesContract {
  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_REDIS_PASSWORD";
  private static EmbeddedRedis redis;

  private final String runId = UUID.randomUUID().toString();

  @BeforeAll
  static void start() {
    String password = UUID.randomUUID().toString();
    Secrets.provide(PASSWORD_ENV, password);
    redis = EmbeddedRedis.start(password);
  }

  @AfterAll
  static void stop() {
    redis.stop();
  }

  @Override
  Ranges join() {
    return RedisRanges.connect(redis.url(), PASSWORD_ENV, runId, HIGH_WATER, SIZE);
  }

  /** Another run has a counter of its own. Mutation: leave the run's id out of the key. */
  @Test
  void runsDoNotShareRanges() {
    try (Ranges one = join();
        Ranges other = RedisRanges.connect(redis.url(), PASSWORD_ENV, runId + "x", 7, SIZE)) {
      assertThat(one.next()).isEqualTo(HIGH_WATER);
      assertThat(other.next()).isEqualTo(7);
    }
  }

  /** Redis holds one number per run and nothing else, and not for ever. */
  @Test
  void redisHoldsOnlyTheOrdinal() {
    try (Ranges ranges = join();
        JedisPooled client =
            new JedisPooled(
                RedisRanges.address(redis.url()),
                DefaultJedisClientConfig.builder()
                    .password(Secrets.require("test", PASSWORD_ENV))
                    .build())) {
      ranges.next();
      String key = "shardload:" + runId + ":next-ordinal";
      assertThat(client.keys("*" + runId + "*")).containsExactly(key);
      assertThat(client.get(key)).isEqualTo(Long.toString(HIGH_WATER + SIZE));
      assertThat(client.ttl(key)).isBetween(1L, 86_400L);
    }
  }

  /** Each is one clear line. Mutation: accept user-info. */
  @Test
  void refusesWhatIsNoRedis() {
    assertThatThrownBy(() -> RedisRanges.address("redis://user:secret@127.0.0.1:6379"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("without user-info")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> RedisRanges.address("http://127.0.0.1"))
        .isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> RedisRanges.connect("redis://127.0.0.1:1", "", "r", 0, SIZE))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("127.0.0.1:1");
    assertThatThrownBy(() -> RedisRanges.connect(redis.url(), "NOT_SET_ANYWHERE", "r", 0, SIZE))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("NOT_SET_ANYWHERE");
  }
}
