package io.shardload.remote.controller;

import io.shardload.generator.schedule.LoadConfig;
import java.util.function.LongConsumer;

/**
 * Decides by how much all generators of a run prolong their warm-up: by a second at a time, while
 * the JIT compilers of any of them are busy. Not thread-safe.
 */
final class CommonWarmUp {
  private static final long SECOND = 1_000_000_000;

  /** Each generator needs one exchange to learn it; here are six. */
  private static final long LEAST_AHEAD_NANOS = 3 * SECOND / 2;

  /** Earlier, the compilers still have time to finish. */
  private static final long MOST_AHEAD_NANOS = 2 * SECOND;

  private final long askedNanos;
  private final long mostNanos;
  private long prolongedNanos;
  private boolean uncertain;

  CommonWarmUp(LoadConfig load) {
    this.askedNanos = load.warmUpNanos();
    this.mostNanos = load.mostProlongedNanos();
  }

  /**
   * Prolongs the warm-up if that is due. Nothing follows an order that failed: the generators may
   * have it or not, and a later one would reach them later.
   *
   * @param nowNanos since the start of the run
   * @param busy whether the compilers of a generator are
   * @param order passes the total on to all generators; throws if Redis does not answer
   */
  void decide(long nowNanos, boolean busy, LongConsumer order) {
    long left = askedNanos + prolongedNanos - nowNanos;
    boolean inTime = left >= LEAST_AHEAD_NANOS && left < MOST_AHEAD_NANOS;
    if (busy && inTime && !uncertain) {
      uncertain = true;
      long total = Math.min(prolongedNanos + SECOND, mostNanos);
      order.accept(total);
      prolongedNanos = total;
      uncertain = false;
    }
  }
}
