package io.shardload.compare;

import java.util.ArrayList;
import java.util.List;

/** Which runs of two sides belong together. */
final class Rounds {
  private Rounds() {}

  /** {@code {base, side}} of every round in which both count, in order. */
  static List<Entry[]> of(Side base, Side side) {
    List<Entry[]> pairs = new ArrayList<>();
    for (Entry left : base.counted()) {
      for (Entry right : side.counted()) {
        if (left.round() > 0 && left.round() == right.round()) {
          pairs.add(new Entry[] {left, right});
        }
      }
    }
    return pairs;
  }
}
