package io.shardload.keys;

/** The contract on the counter of one JVM. */
class LocalRangesTest extends RangesContract {
  private final LocalRanges shared = new LocalRanges(HIGH_WATER, SIZE);

  @Override
  Ranges join() {
    return shared;
  }
}
