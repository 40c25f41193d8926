package io.shardload.remote.generator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Redis's clock against the host's two clocks, all of them the test's own. */
class RedisClockTest {
  private static final long MS = 1_000_000;

  /** What Redis's clock shows at nanosecond 0 of the monotonic one. */
  private static final long REDIS = 1_700_000_000_000_000L;

  private long nanos;
  private long wallAheadMicros;
  private long redisAheadMicros;
  private final Deque<long[]> trips = new ArrayDeque<>();
  private final RedisClock clock = new RedisClock(() -> nanos, this::wall, this::askRedis);

  private long wall() {
    return REDIS + wallAheadMicros + nanos / 1000;
  }

  /** A trip: nanoseconds until Redis looks at its clock, and back. */
  private long askRedis() {
    long[] trip = trips.isEmpty() ? new long[] {MS, MS} : trips.remove();
    nanos += trip[0];
    long answer = REDIS + redisAheadMicros + nanos / 1000;
    nanos += trip[1];
    return answer;
  }

  /** Mutations: the first trip; the mean; the time after the trip. */
  @Test
  void theShortestRoundTripCounts() {
    wallAheadMicros = 3_000_000;
    trips.addAll(List.of(new long[] {90 * MS, MS}, new long[] {MS, MS}, new long[] {MS, 200 * MS}));
    clock.measure(3);
    assertThat(clock.uncertaintyMillis()).isEqualTo(1);
    assertThat(clock.offsetMillis()).isEqualTo(3000);
    assertThat(clock.nanoTimeAt(REDIS + 5_000_000)).isEqualTo(5000 * MS);
    assertThat(clock.redisMicrosAt(7000 * MS)).isEqualTo(REDIS + 7_000_000);
  }

  /**
   * A wall clock that is 3 s off, or is set, changes nothing of the start. Mutation: convert with
   * the wall clock.
   */
  @Test
  void theWallClockDecidesNothing() {
    clock.measure(1);
    long before = clock.nanoTimeAt(REDIS + 5_000_000);
    wallAheadMicros = -3_000_000;
    clock.measure(1);
    assertThat(clock.nanoTimeAt(REDIS + 5_000_000)).isEqualTo(before);
    assertThat(clock.offsetMillis()).isEqualTo(-3000);
  }

  /** The truth lies within the uncertainty, however uneven a trip is. */
  @Test
  void anUnevenTripIsWithinTheUncertainty() {
    trips.add(new long[] {9 * MS, MS});
    clock.measure(1);
    assertThat(clock.uncertaintyMillis()).isEqualTo(5);
    assertThat(Math.abs(clock.nanoTimeAt(REDIS) - 0)).isLessThanOrEqualTo(5 * MS);
  }

  /** Mutations: the sum of the steps; report what a clock is slewed. */
  @Test
  void theLargestStepOfTheWallClockIsReported() {
    clock.watchWallClock();
    for (int second = 0; second < 60; second++) {
      nanos += 1000 * MS;
      wallAheadMicros += 500;
      clock.watchWallClock();
    }
    assertThat(clock.stepMillis()).isZero();
    for (long step : new long[] {-2_000_000, 100_000, 1_500_000}) {
      nanos += 1000 * MS;
      wallAheadMicros += step;
      clock.watchWallClock();
    }
    assertThat(clock.stepMillis()).isEqualTo(-2000);
  }

  /** Mutations: take a slow trip or the machine's own clock for a step; the last step. */
  @Test
  void aStepOfRedissClockShowsBetweenTwoMeasurements() {
    clock.measure(1);
    nanos += 10_000 * MS;
    wallAheadMicros = 3_000_000;
    redisAheadMicros = 5_000;
    trips.add(new long[] {90 * MS, MS});
    clock.measure(1);
    assertThat(clock.redisStepMillis()).isZero();
    for (long ahead : new long[] {-30_000_000, -29_900_000}) {
      nanos += 1000 * MS;
      redisAheadMicros = ahead;
      clock.measure(1);
    }
    assertThat(clock.redisStepMillis()).isBetween(-30_100.0, -30_000.0);
  }
}
