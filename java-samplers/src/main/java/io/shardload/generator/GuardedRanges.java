package io.shardload.generator;

import io.shardload.driver.DataSetStore;
import io.shardload.driver.Target;
import io.shardload.keys.ranges.LocalRanges;
import io.shardload.keys.ranges.Ranges;
import io.shardload.keys.ranges.RedisRanges;
import io.shardload.workload.CallFailure;

/** Ranges that raise the data set's high-water mark before anybody uses them. */
final class GuardedRanges implements Ranges {
  /** Ordinals per range: one statement on the header per so many inserts. */
  private static final int SIZE = 4096;

  private final Ranges ranges;
  private final DataSetStore store;

  private GuardedRanges(Ranges ranges, DataSetStore store) {
    this.ranges = ranges;
    this.store = store;
  }

  /** Local ranges, or ranges from Redis when the configuration names one. */
  static Ranges open(RunConfig config, Target target, long highWater) {
    Ranges plain =
        config.redisUrl().isEmpty()
            ? new LocalRanges(highWater, SIZE)
            : RedisRanges.connect(
                config.redisUrl(), config.redisPasswordEnv(), config.runId(), highWater, SIZE);
    return target.keepsData() ? new GuardedRanges(plain, target.dataSets()) : plain;
  }

  @Override
  public long next() {
    long first = ranges.next();
    try {
      store.raiseHighWater(first + ranges.size());
    } catch (CallFailure e) {
      throw new IllegalStateException("cannot raise the high-water mark: " + e.getMessage(), e);
    }
    return first;
  }

  @Override
  public int size() {
    return ranges.size();
  }

  @Override
  public void close() {
    ranges.close();
  }
}
