package io.shardload.keys;

import java.util.concurrent.atomic.AtomicLong;

/** Ranges for a single generator: a counter in this JVM. */
public final class LocalRanges implements Ranges {
  private final AtomicLong next;
  private final int size;

  public LocalRanges(long highWater, int size) {
    this.next = new AtomicLong(highWater);
    this.size = size;
  }

  @Override
  public long next() {
    return next.getAndAdd(size);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public void close() {}
}
