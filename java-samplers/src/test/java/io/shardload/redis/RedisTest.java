package io.shardload.redis;

import static io.shardload.driver.Caught.refusalOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.embedded.EmbeddedRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On a real server. */
class RedisTest {
  private static final String PASSWORD = UUID.randomUUID().toString();
  private static EmbeddedRedis server;
  private static final Duration LIFE = Duration.ofHours(1);
  private static Redis redis;

  private final String key = "shardload:" + UUID.randomUUID().toString();

  @BeforeAll
  static void start() {
    server = EmbeddedRedis.start(PASSWORD);
    redis = Redis.connect(server.url(), PASSWORD, null);
  }

  @AfterAll
  static void stop() {
    redis.close();
    server.stop();
  }

  @Test
  void streamsKeepOrderAndBytes() {
    for (int i = 0; i < 5; i++) {
      redis.xadd(key, new byte[] {(byte) (i - 2), 0, (byte) 200});
    }
    List<Redis.StreamEntry> first = redis.xread(key, Redis.StreamEntry.BEFORE_FIRST, 3);
    assertThat(first).hasSize(3);
    assertThat(first.get(0).message()).containsExactly(-2, 0, 200);
    List<Redis.StreamEntry> rest = redis.xread(key, first.get(2).id(), 100);
    assertThat(rest).hasSize(2);
    assertThat(rest.get(1).message()).containsExactly(2, 0, 200);
    assertThat(redis.xread(key, rest.get(1).id(), 100)).isEmpty();
    redis.xtrim(key, first.get(2).id());
    assertThat(redis.xlen(key)).isEqualTo(2);
    assertThat(redis.xread(key, Redis.StreamEntry.BEFORE_FIRST, 9).get(0).id())
        .isEqualTo(rest.get(0).id());
  }

  @Test
  void anExchangeSendsReadsAndTellsTheTime() {
    String hash = key + ":hash";
    assertThat(redis.exchange(key, List.of(), hash, LIFE).hash()).isEmpty();
    redis.hset(hash, Map.of("beat", "1", "stop", "signal"));
    assertThat(redis.changeIf(hash, () -> true, c -> c.hincrBy(hash, "beat", 2))).isTrue();
    long before = redis.timeMicros();
    Redis.Exchanged exchanged =
        redis.exchange(key, List.of("a".getBytes(UTF_8), "b".getBytes(UTF_8)), hash, LIFE);
    assertThat(exchanged.hash()).isEqualTo(Map.of("beat", "3", "stop", "signal"));
    assertThat(exchanged.timeMicros()).isBetween(before, redis.timeMicros());
    assertThat(redis.xread(key, Redis.StreamEntry.BEFORE_FIRST, 9))
        .extracting(entry -> new String(entry.message(), UTF_8))
        .containsExactly("a", "b");
    redis.exchange(key, List.of("late".getBytes(UTF_8)), hash, Duration.ZERO);
    assertThat(redis.xlen(key)).isZero();
  }

  /** Mutation: do not look at the answers of the single commands. */
  @Test
  void anExchangeFailsIfAMessageWasRefused() {
    redis.setIfAbsent(key, "no stream");
    assertThatThrownBy(() -> redis.exchange(key, List.of(new byte[1]), "none", LIFE))
        .isInstanceOf(RedisException.class)
        .hasMessageContaining("WRONGTYPE");
  }

  @Test
  void hashesChangesAndTheMemoryPolicy() {
    redis.hset(key, Map.of("a", "1"));
    redis.expire(key, Duration.ofMinutes(1));
    assertThat(redis.hgetAll(key)).isEqualTo(Map.of("a", "1"));
    assertThat(redis.changeIf(key, () -> redis.exists(key), c -> c.hincrBy(key, "a", 2))).isTrue();
    assertThat(redis.hgetAll(key)).isEqualTo(Map.of("a", "3"));
    redis.delete(key);
    assertThat(redis.changeIf(key, () -> redis.exists(key), c -> c.hincrBy(key, "a", 2))).isFalse();
    assertThat(redis.hgetAll(key)).isEmpty();
    assertThat(redis.maxMemoryPolicy()).isEqualTo("noeviction");
  }

  /** Mutation: make the changes without watching the key. */
  @Test
  void aKeyThatIsChangedBetweenConditionAndChangesIsLookedAtAgain() {
    redis.hset(key, Map.of("a", "1"));
    AtomicInteger looks = new AtomicInteger();
    BooleanSupplier deletedByAnother =
        () -> {
          boolean exists = redis.exists(key);
          if (looks.getAndIncrement() == 0) {
            redis.delete(key);
          }
          return exists;
        };
    assertThat(redis.changeIf(key, deletedByAnother, c -> c.hincrBy(key, "a", 1))).isFalse();
    assertThat(looks).hasValue(2);
    assertThat(redis.exists(key)).isFalse();
  }

  @Test
  void refusalsAreOneClearLine() throws IOException {
    assertThat(refusalOf(() -> Redis.connect(server.url(), "geheim-4711", null)))
        .hasMessageContaining("127.0.0.1:" + server.port() + " rejects the password")
        .hasMessageNotContaining("geheim-4711");
    assertThat(refusalOf(() -> Redis.connect(server.url(), null, null)))
        .hasMessageContaining("127.0.0.1:" + server.port() + " requires a password");
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = socket.getLocalPort();
    }
    assertThat(refusalOf(() -> Redis.connect("redis://127.0.0.1:" + closed, null, null)))
        .hasMessageContaining("no answer from 127.0.0.1:" + closed)
        .hasMessageContaining("refused");
    assertThat(
            refusalOf(() -> Redis.connect("rediss://127.0.0.1:" + server.port(), PASSWORD, null)))
        .hasMessageContaining("no answer from 127.0.0.1:" + server.port());
    for (String url :
        List.of("http://127.0.0.1", "redis://user:secret@127.0.0.1", "127.0.0.1:6379", "redis:")) {
      assertThat(refusalOf(() -> Redis.connect(url, null, null))).hasMessageNotContaining("secret");
    }
  }

  @Test
  void aCallAfterARestartConnectsAnew() {
    EmbeddedRedis first = EmbeddedRedis.start(PASSWORD);
    try (Redis client = Redis.connect(first.url(), PASSWORD, null)) {
      first.stop();
      assertThatThrownBy(client::timeMicros)
          .isInstanceOf(RedisException.class)
          .hasMessageContaining("127.0.0.1:" + first.port());
      try (EmbeddedRedis second = EmbeddedRedis.start(first.port(), PASSWORD)) {
        assertThat(second.port()).isEqualTo(first.port());
        assertThat(client.timeMicros()).isPositive();
      }
    }
  }
}
