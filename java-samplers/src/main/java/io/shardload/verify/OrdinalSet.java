package io.shardload.verify;

import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** A set of ordinals below a bound, one bit each, beyond the 2^31 of a BitSet. Thread-safe. */
final class OrdinalSet {
  private static final int PART_BITS = 20;
  private static final int PART_WORDS = 1 << (PART_BITS - 6);

  /** Shares of one set consist of pieces of this many bits. */
  private static final int PIECE_BITS = 12;

  private final long bound;
  private final AtomicReferenceArray<AtomicLongArray> parts;
  private final AtomicLong size = new AtomicLong();

  /**
   * @param bound above all ordinals that will be added
   */
  OrdinalSet(long bound) {
    this.bound = bound;
    this.parts = new AtomicReferenceArray<>((int) (bound >> PART_BITS) + 1);
  }

  /** False if it was in the set already. */
  boolean add(long ordinal) {
    int index = (int) (ordinal >> PART_BITS);
    AtomicLongArray part = parts.get(index);
    if (part == null) {
      parts.compareAndSet(index, null, new AtomicLongArray(PART_WORDS));
      part = parts.get(index);
    }
    long bit = 1L << ordinal;
    boolean added = (part.getAndUpdate(word(ordinal), word -> word | bit) & bit) == 0;
    if (added) {
      size.incrementAndGet();
    }
    return added;
  }

  boolean contains(long ordinal) {
    AtomicLongArray part = parts.get((int) (ordinal >> PART_BITS));
    return part != null && (part.get(word(ordinal)) & 1L << ordinal) != 0;
  }

  long size() {
    return size.get();
  }

  /** The ordinals of one of several disjoint shares that together form the set, ascending. */
  PrimitiveIterator.OfLong share(int share, int shares) {
    return new PrimitiveIterator.OfLong() {
      private long next = find(0);

      private long find(long from) {
        for (long ordinal = from; ordinal < bound; ordinal++) {
          if ((ordinal >> PIECE_BITS) % shares != share
              || parts.get((int) (ordinal >> PART_BITS)) == null) {
            ordinal |= (1 << PIECE_BITS) - 1;
          } else if (contains(ordinal)) {
            return ordinal;
          }
        }
        return bound;
      }

      @Override
      public boolean hasNext() {
        return next < bound;
      }

      @Override
      public long nextLong() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        long ordinal = next;
        next = find(ordinal + 1);
        return ordinal;
      }
    };
  }

  private static int word(long ordinal) {
    return (int) (ordinal >> 6) & (PART_WORDS - 1);
  }
}
