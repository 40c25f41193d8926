package io.shardload.keys;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.embedded.EmbeddedRedis;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;

/** The contract on a real Redis, with a connection of its own for each user. */
class RedisRangesTest extends RangesContract {
  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_REDIS_PASSWORD";

  @AutoClose("stop")
  private static EmbeddedRedis redis;

  private final String runId = UUID.randomUUID().toString();

  @BeforeAll
  static void start() {
    String password = UUID.randomUUID().toString();
    Secrets.provide(PASSWORD_ENV, password);
    redis = EmbeddedRedis.start(password);
  }

  @Override
  Ranges join() {
    return RedisRanges.connect(redis.url(), PASSWORD_ENV, runId, HIGH_WATER, SIZE);
  }

  private static JedisPooled client() {
    return new JedisPooled(
        new HostAndPort("127.0.0.1", redis.port()),
        DefaultJedisClientConfig.builder().password(Secrets.require("test", PASSWORD_ENV)).build());
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
    try (EmbeddedRedis open = EmbeddedRedis.start();
        Ranges ranges = RedisRanges.connect(open.url(), "", runId, HIGH_WATER, SIZE);
        JedisPooled client = new JedisPooled("127.0.0.1", open.port())) {
      ranges.next();
      String key = "shardload:" + runId + ":next-ordinal";
      assertThat(client.keys("*" + runId + "*")).containsExactly(key);
      assertThat(client.get(key)).isEqualTo(Long.toString(HIGH_WATER + SIZE));
      assertThat(client.ttl(key)).isBetween(1L, 7 * 86_400L);
    }
  }

  /** Refused for good: refusals change nothing. Mutation: increment before the key is looked at. */
  @Test
  void aLostKeyIsNoticed() {
    try (Ranges ranges = join();
        JedisPooled client = client()) {
      ranges.next();
      client.del("shardload:" + runId + ":next-ordinal");
      for (int i = 0; i < 300; i++) {
        assertThatThrownBy(ranges::next)
            .isInstanceOf(RangesLostException.class)
            .hasMessageContaining("has lost the key shardload:" + runId);
      }
      assertThat(client.exists("shardload:" + runId + ":next-ordinal")).isFalse();
    }
  }

  /** Somebody who joins late makes the key anew. Mutation: forget what was taken before. */
  @Test
  void aKeyThatWasSetBackIsNoticed() {
    try (Ranges ranges = join();
        JedisPooled client = client()) {
      ranges.next();
      ranges.next();
      client.del("shardload:" + runId + ":next-ordinal");
      try (Ranges late = join()) {
        assertThat(late.size()).isEqualTo(SIZE);
        for (int i = 0; i < 300; i++) {
          assertThatThrownBy(ranges::next)
              .isInstanceOf(RangesLostException.class)
              .hasMessageContaining("older state");
        }
        assertThat(client.get("shardload:" + runId + ":next-ordinal"))
            .isEqualTo(Long.toString(HIGH_WATER));
      }
    }
  }

  /** The ordinals from there on are in use. Mutation: expect no more than the last range. */
  @Test
  void aKeyThatWasSetBackByOneRangeIsNoticed() {
    try (Ranges ranges = join();
        JedisPooled client = client()) {
      assertThat(ranges.next()).isEqualTo(12_345);
      client.del("shardload:" + runId + ":next-ordinal");
      client.setnx("shardload:" + runId + ":next-ordinal", "12345");
      assertThatThrownBy(ranges::next)
          .isInstanceOf(RangesLostException.class)
          .hasMessageContaining("back from at least 12409 to 12345");
    }
  }

  /** It keeps nothing on disk here. Mutation: give up at the first broken connection. */
  @Test
  void aRestartedRedisIsNoticed() {
    String password = Secrets.require("test", PASSWORD_ENV);
    EmbeddedRedis first = EmbeddedRedis.start(password);
    try (Ranges ranges = RedisRanges.connect(first.url(), PASSWORD_ENV, runId, HIGH_WATER, SIZE)) {
      ranges.next();
      first.stop();
      try (EmbeddedRedis second = EmbeddedRedis.start(first.port(), password)) {
        assertThat(second.port()).isEqualTo(first.port());
        assertThatThrownBy(ranges::next)
            .isInstanceOf(RangesLostException.class)
            .hasMessageContaining("has lost the key");
      }
    }
  }

  /** Each is one clear line. Mutation: accept user-info. */
  @Test
  void refusesWhatIsNoRedis() {
    assertThat(
            refusalOf(
                () -> RedisRanges.connect("redis://user:secret@127.0.0.1:6379", "", "r", 0, SIZE)))
        .hasMessageContaining("without user-info")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> RedisRanges.connect("http://127.0.0.1", "", "r", 0, SIZE))
        .isInstanceOf(ConfigException.class);
    assertThat(refusalOf(() -> RedisRanges.connect("redis://127.0.0.1:1", "", "r", 0, SIZE)))
        .hasMessageContaining("127.0.0.1:1");
    assertThat(refusalOf(() -> RedisRanges.connect(redis.url(), "NOT_SET_ANYWHERE", "r", 0, SIZE)))
        .hasMessageContaining("NOT_SET_ANYWHERE");
  }
}
