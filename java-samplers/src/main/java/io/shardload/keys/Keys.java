package io.shardload.keys;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;

/**
 * The ordinals that one generator owns, and the known state of each ordinal. Only this generator
 * inserts, updates and deletes them, so it knows what every read must return. Six bytes per
 * ordinal. Thread-safe.
 *
 * <p>A writer claims its ordinal by compare-and-set before it writes and releases it with the new
 * state; every released change goes to the journal.
 */
public final class Keys {
  private final Ownership ownership;
  private final long ownedLoaded;
  private final States states;
  private final Slots slots;
  private final NewOrdinals fresh;
  private final Journal journal;
  private final LongAdder retired = new LongAdder();

  /**
   * @param initial states of the owned loaded ordinals, by position
   * @param distribution how reads and writes choose among the owned ordinals
   */
  public Keys(
      Ownership ownership,
      States initial,
      KeyDistribution distribution,
      Ranges ranges,
      Journal journal) {
    this.ownership = ownership;
    this.ownedLoaded = ownership.ownedLoaded();
    this.states = initial;
    states.grow(ownedLoaded);
    this.slots = Slots.of(distribution, states, ownedLoaded);
    this.fresh = new NewOrdinals(ranges);
    this.journal = journal;
  }

  /**
   * The keys of one generator that works alone and keeps no journal.
   *
   * @param highWater the first ordinal that was never used
   * @param rangeSize how many new ordinals are taken at once
   */
  public static Keys alone(
      States initial, KeyDistribution distribution, long highWater, int rangeSize) {
    return new Keys(
        new Ownership(0, 1, highWater),
        initial,
        distribution,
        new LocalRanges(highWater, rangeSize),
        Journal.NONE);
  }

  /** The known state of an ordinal; {@code ABSENT} if this generator does not own it. */
  public short state(long ordinal) {
    long position = positionOf(ordinal);
    return position < 0 ? State.of(State.ABSENT, 0) : states.get(position);
  }

  /**
   * An owned ordinal that exists, or -1 if none was found. With a skewed distribution a write may
   * be changing it right now.
   */
  public long pickLive(Draws draws) {
    return ordinalOrNone(slots.read(draws));
  }

  /**
   * Claims an owned ordinal for an update; it stays claimed until released. -1 if none was found.
   */
  public long claimLive(Draws draws) {
    return ordinalOrNone(slots.claim(draws, false));
  }

  /** Like {@link #claimLive}, for a delete. */
  public long claimToDelete(Draws draws) {
    return ordinalOrNone(slots.claim(draws, true));
  }

  /**
   * Claims an ordinal that was never used.
   *
   * @throws RuntimeException no ordinal is available
   */
  public long claimNew() {
    long sequence = fresh.claim();
    int position = Math.toIntExact(ownedLoaded + sequence);
    states.grow(position + 1L);
    states.set(position, State.withInFlight(State.of(State.ABSENT, 0)));
    return fresh.ordinalAt(sequence);
  }

  /** Ends a claim: the write changed the ordinal to this state, or may have. */
  public void release(long ordinal, short state) {
    journal.append(ordinal, state);
    long position = positionOf(ordinal);
    short before = states.get(position);
    states.set(position, state);
    boolean isNew = State.status(before) == State.ABSENT;
    if (isNew && State.status(state) <= State.DELETED) {
      fresh.succeeded();
    }
    if (State.live(state)) {
      if (isNew) {
        slots.inserted((int) position);
      }
      if (State.edition(state) == State.MAX_EDITION) {
        retired.increment();
      }
    }
  }

  /**
   * Records the state and withdraws the ordinal for the rest of the run: an attempt without an
   * answer may still reach the server.
   */
  public void withdraw(long ordinal, short state) {
    journal.append(ordinal, state);
    states.set(positionOf(ordinal), State.withdrawn(state));
  }

  /** Ends a claim whose write certainly changed nothing, or was never begun. */
  public void unclaim(long ordinal) {
    long position = positionOf(ordinal);
    short state = states.get(position);
    states.set(position, State.of(State.status(state), State.edition(state)));
    if (State.status(state) == State.ABSENT) {
      fresh.giveBack(position - ownedLoaded);
    }
  }

  /**
   * The rank i of a skewed distribution begins the run at position i times this step, modulo the
   * number of owned documents, if all these documents are live. The step is near n times the golden
   * ratio, so it visits all n positions, and neighbouring ranks are not neighbours on disk.
   */
  public static long strideOfRanks(long n) {
    if (n < 3) {
      return 1;
    }
    long stride = (long) (n * 0.6180339887) | 1;
    while (gcd(stride, n) != 1) {
      stride += 2;
    }
    return stride;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** How many documents have reached the highest edition in this run. */
  public long retired() {
    return retired.sum();
  }

  private long ordinalOrNone(int position) {
    return position == Slots.NONE ? -1 : ordinalAt(position);
  }

  private long ordinalAt(long position) {
    return position < ownedLoaded
        ? ownership.ordinalAt(position)
        : fresh.ordinalAt(position - ownedLoaded);
  }

  private long positionOf(long ordinal) {
    if (ordinal < ownership.loaded()) {
      return ownership.positionOf(ordinal);
    }
    long sequence = fresh.sequenceOf(ordinal);
    return sequence < 0 ? -1 : ownedLoaded + sequence;
  }

  /**
   * New ordinals in the order of their claims. An ordinal whose insert certainly had no effect may
   * be claimed again while inserts fail, so that an outage uses up almost no ordinals. Thread-safe;
   * the lock is held for a few instructions, as {@link Ranges#next} of a generator does not wait.
   */
  private static final class NewOrdinals {
    /** Most ordinals that are kept for a further claim. */
    private static final int MOST_RETURNED = 4096;

    private final Ranges ranges;
    private final int size;
    private final Queue<Long> returned = new ArrayDeque<>();
    private volatile long failedInARow;
    private volatile long[] starts = new long[0];
    private volatile long claimed;

    NewOrdinals(Ranges ranges) {
      this.ranges = ranges;
      this.size = ranges.size();
    }

    /**
     * Claims an ordinal and returns its place in the sequence of new ordinals.
     *
     * @throws RuntimeException no ordinal is available
     */
    synchronized long claim() {
      if (isOutage() && !returned.isEmpty()) {
        return returned.remove();
      }
      long sequence = claimed;
      if (sequence == (long) starts.length * size) {
        try {
          addRange(ranges.next());
        } catch (RuntimeException e) {
          if (returned.isEmpty()) {
            throw e;
          }
          return returned.remove();
        }
      }
      claimed = sequence + 1;
      return sequence;
    }

    /**
     * Whether inserts fail one after the other. At the first, second, fourth, eighth... failure the
     * answer is no: if the ordinals cause the failures, new ordinals succeed.
     */
    private boolean isOutage() {
      return Long.bitCount(failedInARow) > 1;
    }

    private void addRange(long first) {
      int count = starts.length;
      if (count > 0 && first < starts[count - 1] + size) {
        throw new IllegalStateException(
            "a range of new ordinals begins at %d, below the end of the one before: %d"
                .formatted(first, starts[count - 1] + size));
      }
      long[] longer = Arrays.copyOf(starts, count + 1);
      longer[count] = first;
      starts = longer;
    }

    /** The insert certainly had no effect, or was never begun. */
    synchronized void giveBack(long sequence) {
      failedInARow++;
      if (returned.size() < MOST_RETURNED) {
        returned.add(sequence);
      }
    }

    /** An insert was acknowledged. */
    void succeeded() {
      if (failedInARow > 0) {
        reset();
      }
    }

    private synchronized void reset() {
      failedInARow = 0;
    }

    long ordinalAt(long sequence) {
      return starts[(int) (sequence / size)] + sequence % size;
    }

    /** -1 if the ordinal is not in a range of this generator. */
    long sequenceOf(long ordinal) {
      long[] now = starts;
      int found = Arrays.binarySearch(now, ordinal);
      int range = found >= 0 ? found : -found - 2;
      if (range < 0 || ordinal - now[range] >= size) {
        return -1;
      }
      long sequence = (long) range * size + (ordinal - now[range]);
      return sequence < claimed ? sequence : -1;
    }
  }
}
