package io.shardload.keys;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.keys.ranges.LocalRanges;
import io.shardload.keys.ranges.Ranges;
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
    if (State.live(state)) {
      if (State.status(before) == State.ABSENT) {
        fresh.succeeded();
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
}
