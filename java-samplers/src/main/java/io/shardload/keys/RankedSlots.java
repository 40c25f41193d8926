package io.shardload.keys;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Slots for a skewed distribution: one per rank, as many as there are live documents when the run
 * begins. An arrival draws its rank once, so the rank depends on the arrival alone and not on what
 * the target has answered so far, and the skew stays for the whole run.
 *
 * <p>If the document of a slot cannot be used, the slot takes the next spare document, or exchanges
 * its document with another slot. A deleted document cannot be used; a write cannot use a document
 * that another write holds, and an update cannot use a document at the highest edition. A read may
 * use a document that a write holds. Spare documents are documents without a slot, in the order of
 * their insertion.
 */
final class RankedSlots extends Slots {
  /** Most slots that one exchange looks at under the lock. */
  private static final int MOST_LOOKED_AT = 1000;

  private final Spares spares = new Spares();
  private int lookedAt;

  RankedSlots(KeyDistribution distribution, States states, long owned) {
    super(distribution, states);
    long stride = Keys.strideOfRanks(owned);
    long position = 0;
    for (long i = 0; i < owned; i++) {
      if (State.settledLive(states.get(position))) {
        append((int) position);
      }
      position = (position + stride) % owned;
    }
    if (size() == 0) {
      append(NONE);
    }
  }

  @Override
  int read(Draws draws) {
    int slot = (int) distribution.draw(draws, size());
    for (int i = 0; i < MAX_TRIES; i++) {
      int position = at(slot);
      if (position != NONE && State.live(states.get(position))) {
        return position;
      }
      if (!refill(slot, position)) {
        return NONE;
      }
    }
    return NONE;
  }

  @Override
  int claim(Draws draws, boolean toDelete) {
    int slot = (int) distribution.draw(draws, size());
    for (int i = 0; i < MAX_TRIES; i++) {
      int position = at(slot);
      if (position != NONE && claimAt(position, toDelete)) {
        if (toDelete) {
          leave(slot, position);
        }
        return position;
      }
      if (!refill(slot, position)) {
        return NONE;
      }
    }
    return NONE;
  }

  @Override
  synchronized void inserted(int position) {
    spares.add(position);
  }

  /**
   * A document that is about to be deleted must not be read; if the delete fails, the document is
   * spare.
   */
  private synchronized void leave(int slot, int position) {
    if (at(slot) == position) {
      set(slot, NONE);
      spares.add(position);
    }
  }

  /**
   * Gives a slot another document.
   *
   * @param seen the document of the slot when it was found unusable
   * @return false if there is no other document
   */
  private synchronized boolean refill(int slot, int seen) {
    int now = at(slot);
    if (now != seen) {
      return true;
    }
    boolean gone = now == NONE || State.gone(states.get(now));
    int next = nextSpare();
    if (next != NONE) {
      if (!gone) {
        spares.add(now);
      }
    } else {
      next = takeFromAnotherSlot(slot, gone ? NONE : now);
    }
    if (next != NONE || gone) {
      set(slot, next);
    }
    return next != NONE;
  }

  /** Skips documents that a write holds, and drops deleted and retired documents. */
  private int nextSpare() {
    for (int i = spares.size(); i > 0; i--) {
      int position = spares.remove();
      short state = states.get(position);
      if (usable(state)) {
        return position;
      }
      if (State.live(state) && State.edition(state) < State.MAX_EDITION) {
        spares.add(position);
      }
    }
    return NONE;
  }

  private int takeFromAnotherSlot(int slot, int inExchange) {
    for (int i = Math.min(size(), MOST_LOOKED_AT); i > 0; i--) {
      lookedAt = (lookedAt + 1) % size();
      int position = at(lookedAt);
      if (lookedAt != slot && position != NONE && usable(states.get(position))) {
        set(lookedAt, inExchange);
        return position;
      }
    }
    return NONE;
  }

  private static boolean usable(short state) {
    return State.settledLive(state) && State.edition(state) < State.MAX_EDITION;
  }

  /** A queue of positions, four bytes each. Not thread-safe. */
  private static final class Spares {
    private static final int CHUNK = 4096;

    private final Deque<int[]> chunks = new ArrayDeque<>();
    private int head;
    private int tail = CHUNK;
    private int size;

    int size() {
      return size;
    }

    void add(int position) {
      if (tail == CHUNK) {
        chunks.addLast(new int[CHUNK]);
        tail = 0;
      }
      chunks.peekLast()[tail++] = position;
      size++;
    }

    int remove() {
      int position = chunks.peekFirst()[head++];
      if (head == CHUNK) {
        chunks.removeFirst();
        head = 0;
      }
      size--;
      return position;
    }
  }
}
