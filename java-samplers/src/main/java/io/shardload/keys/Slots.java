package io.shardload.keys;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The slots that the ranks of a key distribution select; each slot holds the position of a
 * document. Four bytes per slot, in chunks, so that growth copies nothing; a chunk whose slots all
 * hold their own number is not there. Slots are read without a lock and changed under the lock of
 * this object. Thread-safe.
 */
abstract sealed class Slots permits Slots.LiveSlots, RankedSlots {
  /** An empty slot, and the answer when no document is available. */
  static final int NONE = -1;

  static final int MAX_TRIES = 200;

  private static final int CHUNK_BITS = 16;
  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);

  final KeyDistribution distribution;
  final States states;
  private volatile int[][] chunks = new int[0][];
  private volatile int size;

  Slots(KeyDistribution distribution, States states) {
    this.distribution = distribution;
    this.states = states;
  }

  /** The slots of the live documents at positions 0 to owned - 1. */
  static Slots of(KeyDistribution distribution, States states, long owned) {
    return distribution.skewed()
        ? new RankedSlots(distribution, states, owned)
        : new LiveSlots(distribution, states, owned);
  }

  /** The position of a document to read, or {@link #NONE}. */
  abstract int read(Draws draws);

  /** The position of a document that is now claimed for a write, or {@link #NONE}. */
  abstract int claim(Draws draws, boolean toDelete);

  /** This run has inserted the document of a position. */
  abstract void inserted(int position);

  final int size() {
    return size;
  }

  final int at(int slot) {
    int[] chunk = chunks[slot >> CHUNK_BITS];
    return chunk == null ? slot : (int) INTS.getVolatile(chunk, slot & (CHUNK - 1));
  }

  /** The caller holds the lock, or is the constructor. */
  final void set(int slot, int position) {
    int index = slot >> CHUNK_BITS;
    if (chunks[index] == null && position != slot) {
      int[][] more = chunks.clone();
      more[index] = IntStream.range(index << CHUNK_BITS, (index + 1) << CHUNK_BITS).toArray();
      chunks = more;
    }
    if (chunks[index] != null) {
      INTS.setVolatile(chunks[index], slot & (CHUNK - 1), position);
    }
  }

  /** A further slot at the end. The caller holds the lock, or is the constructor. */
  final void append(int position) {
    int slot = size;
    if (slot >> CHUNK_BITS == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunks.length + 1);
    }
    set(slot, position);
    size = slot + 1;
  }

  /**
   * Removes slots from the end; a thread that drew one of them may still read it. The caller holds
   * the lock.
   */
  final void cutTo(int newSize) {
    size = newSize;
  }

  /** Claims a document if it can be written; a retired one can only be deleted. */
  final boolean claimAt(int position, boolean toDelete) {
    short state = states.get(position);
    return State.settledLive(state)
        && (toDelete || State.edition(state) < State.MAX_EDITION)
        && states.compareAndSet(position, state, State.withInFlight(state));
  }

  /**
   * Slots for a distribution without skew: one slot per live document, including documents that
   * this run inserts. A draw that hits a deleted document removes its slot, so deleted and unused
   * ordinals cost no further draws. A draw that hits a write in flight is repeated, which does not
   * distort the distribution because all documents are equally likely.
   */
  static final class LiveSlots extends Slots {
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
}
