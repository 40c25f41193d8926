package io.shardload.keys;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.keys.ranges.LocalRanges;
import io.shardload.keys.ranges.Ranges;
import java.util.Arrays;

/**
 * The ordinals that one generator owns, and what is known of each: it alone inserts, updates and
 * deletes them, so it knows what every read must return. Two bytes per ordinal. Thread-safe.
 *
 * <p>A writer claims its ordinal by compare-and-set before it writes and releases it with the new
 * state; every released change goes to the journal.
 */
public final class Keys {
  private static final int MAX_TRIES = 200;

  private final Ownership ownership;
  private final long ownedLoaded;
  private final KeyDistribution distribution;
  private final long stride;
  private final States states;
  private final NewOrdinals fresh;
  private final Journal journal;

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
    this.distribution = distribution;
    this.stride = coprimeStride(ownedLoaded);
    this.states = initial;
    this.fresh = new NewOrdinals(ranges);
    this.journal = journal;
    states.grow(ownedLoaded);
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

  /** What is known of an ordinal; {@code ABSENT} if this generator does not own it. */
  public short state(long ordinal) {
    long position = positionOf(ordinal);
    return position < 0 ? State.of(State.ABSENT, 0) : states.get(position);
  }

  /** An owned ordinal that surely exists, or -1 if after many draws none was found. */
  public long pickLive(Draws draws) {
    for (int i = 0; i < MAX_TRIES; i++) {
      long position = drawPosition(draws);
      if (position >= 0 && State.settledLive(states.get(position))) {
        return ordinalAt(position);
      }
    }
    return -1;
  }

  /** Like {@link #pickLive}, and claims it for a write; it stays claimed until released. */
  public long claimLive(Draws draws) {
    for (int i = 0; i < MAX_TRIES; i++) {
      long position = drawPosition(draws);
      if (position >= 0) {
        short state = states.get(position);
        if (State.settledLive(state)
            && State.edition(state) < State.MAX_EDITION
            && states.compareAndSet(position, state, State.withInFlight(state))) {
          return ordinalAt(position);
        }
      }
    }
    return -1;
  }

  /** Claims an ordinal that was never used. */
  public long claimNew() {
    long sequence = fresh.claim();
    long position = ownedLoaded + sequence;
    states.grow(position + 1);
    states.set(position, State.withInFlight(State.of(State.ABSENT, 0)));
    return fresh.ordinalAt(sequence);
  }

  /** Ends a claim: the write changed the ordinal to this state, or may have. */
  public void release(long ordinal, short state) {
    journal.append(ordinal, state);
    states.set(positionOf(ordinal), state);
  }

  /**
   * Remembers the state and keeps the claim for the rest of the run: an attempt without an answer
   * may still reach the server.
   */
  public void withdraw(long ordinal, short state) {
    journal.append(ordinal, state);
    states.set(positionOf(ordinal), State.withInFlight(state));
  }

  /** Ends a claim whose write surely changed nothing, or was never begun. */
  public void unclaim(long ordinal) {
    long position = positionOf(ordinal);
    short state = states.get(position);
    states.set(position, State.of(State.status(state), State.edition(state)));
  }

  /** How many ordinals were ever owned: loaded and claimed as new. */
  public long owned() {
    return ownedLoaded + fresh.claimed();
  }

  private long drawPosition(Draws draws) {
    long n = owned();
    if (n == 0) {
      return -1;
    }
    long rank = distribution.draw(draws, n);
    // Neighbouring ranks must not be neighbours on disk: hot keys are spread over the loaded data.
    return rank < ownedLoaded ? Math.floorMod(rank * stride, ownedLoaded) : rank;
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

  /** A step near n times the golden ratio that visits all n positions. */
  private static long coprimeStride(long n) {
    if (n < 3) {
      return 1;
    }
    // Below 2^31 so that rank * stride cannot overflow for any n up to 2^32.
    long stride = Math.min((long) (n * 0.6180339887), Integer.MAX_VALUE) | 1;
    while (gcd(stride, n) != 1) {
      stride += 2;
    }
    return stride;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** New ordinals in the order of their claims; ranges are fetched as they are needed. */
  private static final class NewOrdinals {
    private final Ranges ranges;
    private final int size;
    private volatile long[] starts = new long[0];
    private volatile long claimed;

    NewOrdinals(Ranges ranges) {
      this.ranges = ranges;
      this.size = ranges.size();
    }

    synchronized long claim() {
      long sequence = claimed;
      if (sequence == (long) starts.length * size) {
        long[] longer = Arrays.copyOf(starts, starts.length + 1);
        longer[starts.length] = ranges.next();
        starts = longer;
      }
      claimed = sequence + 1;
      return sequence;
    }

    long claimed() {
      return claimed;
    }

    long ordinalAt(long sequence) {
      return starts[(int) (sequence / size)] + sequence % size;
    }

    /** -1 if the ordinal lies in no range of this generator. */
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
