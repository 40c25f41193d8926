package io.shardload.workload.statements.calls;

import io.shardload.workload.statements.parameters.Occasion;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The newest rows that a generator has added to one table, by their new numbers. Thread-safe;
 * readers do not wait.
 */
final class AddedRows implements Occasion.Recent {
  /** A power of two; older rows are forgotten. */
  static final int MOST = 1 << 14;

  private final AtomicLongArray ring = new AtomicLongArray(MOST);
  private volatile long added;

  synchronized void add(long fresh) {
    ring.set((int) (added & (MOST - 1)), fresh);
    added++;
  }

  /** Slightly less than {@link #MOST}, so that rows are not overwritten while they are read. */
  @Override
  public long count() {
    return Math.min(added, MOST - MOST / 8);
  }

  @Override
  public long at(long age) {
    long now = added;
    if (age < 0 || age >= Math.min(now, MOST)) {
      throw new IndexOutOfBoundsException("age " + age + " of " + now);
    }
    return ring.get((int) ((now - 1 - age) & (MOST - 1)));
  }
}
