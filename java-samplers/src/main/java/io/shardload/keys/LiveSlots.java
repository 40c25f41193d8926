package io.shardload.keys;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;

/**
 * Slots for a distribution without skew: one for every document that lives, also for those that
 * this run inserts. A draw that falls on a document that is gone takes its slot away, so gone and
 * never used ordinals cost no further draws. One that falls on a write in flight is repeated, which
 * distorts nothing as all documents are alike.
 */
final class LiveSlots extends Slots {
  LiveSlots(KeyDistribution distribution, States states, long owned) {
    super(distribution, states);
    for (int position = 0; position < owned; position++) {
      if (State.settledLive(states.get(position))) {
        append(position);
      }
    }
  }

  @Override
  int read(Draws draws) {
    for (int busy = 0; busy < MAX_TRIES; ) {
      int n = size();
      if (n == 0) {
        return NONE;
      }
      int slot = (int) distribution.draw(draws, n);
      int position = at(slot);
      short state = states.get(position);
      if (State.settledLive(state)) {
        return position;
      }
      busy += passOver(slot, position, state);
    }
    return NONE;
  }

  @Override
  int claim(Draws draws, boolean toDelete) {
    for (int busy = 0; busy < MAX_TRIES; ) {
      int n = size();
      if (n == 0) {
        return NONE;
      }
      int slot = (int) distribution.draw(draws, n);
      int position = at(slot);
      if (claimAt(position, toDelete)) {
        return position;
      }
      busy += passOver(slot, position, states.get(position));
    }
    return NONE;
  }

  @Override
  synchronized void inserted(int position) {
    append(position);
  }

  /** Takes the slot away if its document is gone; returns how many busy documents were met. */
  private int passOver(int slot, int position, short state) {
    if (!State.gone(state)) {
      return 1;
    }
    remove(slot, position);
    return 0;
  }

  private synchronized void remove(int slot, int position) {
    int last = size() - 1;
    // Another thread may have been faster.
    if (slot <= last && at(slot) == position) {
      set(slot, at(last));
      cutTo(last);
    }
  }
}
