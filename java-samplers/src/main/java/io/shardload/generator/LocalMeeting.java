package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ranges;
import io.shardload.keys.RedisRanges;
import io.shardload.metrics.Recording;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The meeting point of a single generator: it begins at once, by its own clock. Such generators can
 * still share ordinals through Redis.
 */
public final class LocalMeeting implements MeetingPoint {
  private static final long START_DELAY_NANOS = 50_000_000;

  private final String runId;
  private final String redisUrl;
  private final String redisPasswordEnv;

  /**
   * @param redisUrl where several generators share ordinals, or empty
   */
  public LocalMeeting(String runId, String redisUrl, String redisPasswordEnv) {
    this.runId = runId;
    this.redisUrl = redisUrl;
    this.redisPasswordEnv = redisPasswordEnv;
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public MeetingPoint.Lease lease() {
    return MeetingPoint.Lease.UNLIMITED;
  }

  @Override
  public Ranges ranges(long highWater, int size) {
    return redisUrl.isEmpty()
        ? new LocalRanges(highWater, size)
        : RedisRanges.connect(redisUrl, redisPasswordEnv, runId, highWater, size);
  }

  @Override
  public void onOrder(Consumer<String> stop, LongConsumer prolong) {
    // The owner of the process stops it, and the generator itself prolongs its warm-up.
  }

  @Override
  public MeetingPoint.Start agreeStart(MeetingPoint.Readiness readiness, BooleanSupplier stopped) {
    return new MeetingPoint.Start(
        System.nanoTime() + START_DELAY_NANOS,
        System.currentTimeMillis() + START_DELAY_NANOS / 1_000_000);
  }

  @Override
  public void describe(JsonObject line) {
    line.addProperty("epoch_ms", System.currentTimeMillis());
  }

  @Override
  public void describeEnd(JsonObject line) {
    // Nothing was agreed.
  }

  @Override
  public void second(JsonObject line, List<Recording.Interval> histograms) {
    // Its files are followed.
  }

  @Override
  public void trouble(String key, String message, int exit) {
    // It is in its files.
  }

  @Override
  public void finish(JsonObject line) {
    // The line is in its file.
  }

  @Override
  public void close() {
    // It holds nothing.
  }
}
