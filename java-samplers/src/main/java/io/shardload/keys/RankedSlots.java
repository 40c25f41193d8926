package io.shardload.keys;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Slots for a skewed distribution: as many as documents live when the run begins, one per rank. An
 * arrival draws its rank once, so the rank depends on the arrival alone and not on what the target
 * has answered so far, and the skew stays for the whole run.
 *
 * <p>A slot whose document cannot be used takes another one: the next spare document, or else the
 * document of another slot in exchange. A document cannot be used when it is gone; for a write also
 * while another write holds it, and for an update once it has reached the highest edition. A read
 * takes a document that a write holds, too. Spare are the documents without a slot, in the order of
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

  /** Nobody shall read what is about to be deleted; if the delete fails, the document is spare. */
  private synchronized void leave(int slot, int position) {
    if (at(slot) == position) {
      set(slot, NONE);
      spares.add(position);
    }
  }

  /**
   * Gives a slot another document.
   *
   * @param seen what the slot held when it was found to be of no use
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

  /** Passes over documents that a write holds, and forgets those that are gone or retired. */
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
