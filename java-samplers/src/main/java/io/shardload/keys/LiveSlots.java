package io.shardload.keys;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;

/**
 * Slots for a distribution without skew: one slot per live document, including documents that this
 * run inserts. A draw that hits a deleted document removes its slot, so deleted and unused ordinals
 * cost no further draws. A draw that hits a write in flight is repeated, which does not distort the
 * distribution because all documents are equally likely.
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

  /** Removes the slot if its document is deleted; returns how many busy documents were found. */
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
