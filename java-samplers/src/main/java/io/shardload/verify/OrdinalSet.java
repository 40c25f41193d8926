package io.shardload.verify;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** A set of ordinals, one bit each, beyond the 2^31 of one BitSet. Not thread-safe. */
final class OrdinalSet {
  private static final int PART_BITS = 20;

  private final List<BitSet> parts = new ArrayList<>();

  /** False if it was in the set already. */
  boolean add(long ordinal) {
    int part = (int) (ordinal >> PART_BITS);
    while (parts.size() <= part) {
      parts.add(new BitSet());
    }
    int bit = (int) ordinal & ((1 << PART_BITS) - 1);
    boolean added = !parts.get(part).get(bit);
    parts.get(part).set(bit);
    return added;
  }

  boolean contains(long ordinal) {
    int part = (int) (ordinal >> PART_BITS);
    return part < parts.size() && parts.get(part).get((int) ordinal & ((1 << PART_BITS) - 1));
  }
}
