package io.shardload.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who owns which ordinal, and what a claim means. */
class KeysTest {
  private final List<String> journal = new ArrayList<>();

  private static final KeyDistribution UNIFORM = KeyDistribution.uniform();
  private static final KeyDistribution ZIPFIAN = KeyDistribution.zipfian(0.99);

  private final Draws draws = new Draws().at(1, 1);

  /** Always the hottest rank. */
  private static final KeyDistribution FIRST =
      new KeyDistribution() {
        @Override
        public long draw(Draws draws, long n) {
          return 0;
        }

        @Override
        public boolean skewed() {
          return true;
        }
      };

  private Keys keys(int generator, int generators, long loaded) {
    Ownership ownership = new Ownership(generator, generators, loaded);
    States states = new States();
    states.grow(ownership.ownedLoaded());
    for (long i = 0; i < ownership.ownedLoaded(); i++) {
      states.set(i, State.live(0));
    }
    return new Keys(
        ownership,
        states,
        KeyDistribution.uniform(),
        new LocalRanges(loaded, 8),
        (ordinal, state) ->
            journal.add(ordinal + ":" + State.status(state) + ":" + State.edition(state)));
  }

  /** Mutation: deal single ordinals instead of blocks; off by one in the last block. */
  @Test
  void loadedOrdinalsAreDealtOnceEach() {
    for (long loaded : new long[] {0, 1, 1023, 1024, 1025, 5000, 3 * 1024}) {
      for (int generators : new int[] {1, 2, 3}) {
        Set<Long> seen = new HashSet<>();
        for (int g = 0; g < generators; g++) {
          Ownership ownership = new Ownership(g, generators, loaded);
          for (long p = 0; p < ownership.ownedLoaded(); p++) {
            long ordinal = ownership.ordinalAt(p);
            assertThat(ordinal / Ownership.BLOCK % generators).isEqualTo(g);
            assertThat(ownership.positionOf(ordinal)).isEqualTo(p);
            assertThat(seen.add(ordinal)).isTrue();
          }
        }
        assertThat(seen).hasSize((int) loaded).allMatch(o -> o >= 0 && o < loaded);
      }
    }
  }

  /**
   * A claimed ordinal is nobody else's until it is unclaimed, also when all want the same one all
   * the time. Mutation: claim without compare-and-set.
   */
  @Test
  void claimsAreExclusive() throws Exception {
    Keys keys = keys(0, 1, 1);
    AtomicInteger holders = new AtomicInteger();
    var pool = Executors.newFixedThreadPool(3);
    try {
      List<Callable<Integer>> tasks = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        Draws draws = new Draws().at(1, t);
        tasks.add(() -> mostHolders(keys, draws, holders));
      }
      List<Integer> most = new ArrayList<>();
      for (var result : pool.invokeAll(tasks)) {
        most.add(result.get());
      }
      // On a single processor one may not get it at all: another was halted while it held it.
      assertThat(Collections.max(most)).isEqualTo(1);
    } finally {
      pool.shutdown();
    }
  }

  private static int mostHolders(Keys keys, Draws draws, AtomicInteger holders) {
    int most = 0;
    for (int i = 0; i < 300_000; i++) {
      long ordinal = keys.claimLive(draws);
      if (ordinal >= 0) {
        most = Math.max(most, holders.incrementAndGet());
        holders.decrementAndGet();
        keys.unclaim(ordinal);
      }
    }
    return most;
  }

  /**
   * After an unknown outcome an ordinal is withdrawn, after a delete it is gone, after an update it
   * is drawn again at its next edition. Mutation: leave a released ordinal out of the journal.
   */
  @Test
  void releasedStatesDecideWhoIsDrawnAgain() {
    Keys keys = keys(0, 1, 3);
    long unknown = keys.claimLive(draws);
    keys.release(unknown, State.of(State.UNKNOWN_UPDATE, 0));
    long deleted = keys.claimLive(draws);
    keys.release(deleted, State.of(State.DELETED, 0));
    long updated = keys.claimLive(draws);
    assertThat(keys.pickLive(draws)).isEqualTo(-1);
    assertThat(State.inFlight(keys.state(updated))).isTrue();
    keys.release(updated, State.live(1));
    for (int i = 0; i < 50; i++) {
      assertThat(keys.pickLive(draws)).isEqualTo(updated);
    }
    assertThat(Set.of(unknown, deleted, updated)).containsExactlyInAnyOrder(0L, 1L, 2L);
    assertThat(journal).containsExactly(unknown + ":4:0", deleted + ":2:0", updated + ":1:1");
  }

  /**
   * A write that was answered at its second attempt is remembered, and its ordinal left alone: the
   * first attempt may still arrive. Mutation: release it.
   */
  @Test
  void withdrawnOrdinalsAreKnownAndNotDrawn() {
    Keys keys = keys(0, 1, 1);
    long ordinal = keys.claimLive(draws);
    keys.withdraw(ordinal, State.live(1));
    assertThat(journal).containsExactly("0:1:1");
    assertThat(keys.pickLive(draws)).isEqualTo(-1);
    assertThat(keys.claimLive(draws)).isEqualTo(-1);
    assertThat(State.edition(keys.state(ordinal))).isEqualTo(1);
  }

  /** Mutation: number the slots of a later chunk from 0 when its first slot is changed. */
  @Test
  void allButTheDeletedDocumentOfALaterChunkAreDrawn() {
    int documents = 70_000;
    AtomicInteger slot = new AtomicInteger(66_000);
    Keys keys = keys((unused, size) -> slot.getAndIncrement(), documents);
    assertThat(delete(keys)).isEqualTo(66_000);
    slot.set(66_000);
    // Removes the slot.
    assertThat(keys.pickLive(draws)).isEqualTo(66_001);
    slot.set(0);
    Set<Long> seen = new HashSet<>();
    for (int i = 1; i < documents; i++) {
      seen.add(keys.pickLive(draws));
    }
    assertThat(seen).hasSize(documents - 1).doesNotContain(66_000L);
  }

  /** Mutation: hand out new ordinals of a range twice. */
  @Test
  void newOrdinalsAreUsedOnceAndFoundAgain() {
    Keys keys = keys(0, 1, 10);
    Set<Long> fresh = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      long ordinal = keys.claimNew();
      assertThat(fresh.add(ordinal)).isTrue();
      assertThat(ordinal).isGreaterThanOrEqualTo(10);
      if (i % 2 == 0) {
        keys.release(ordinal, State.live(0));
      } else {
        keys.unclaim(ordinal);
      }
    }
    Set<Long> drawn = new HashSet<>();
    for (int i = 0; i < 2000; i++) {
      drawn.add(keys.pickLive(draws));
    }
    // 10 loaded and the 10 that were written.
    assertThat(drawn).hasSize(20);
    assertThat(State.status(keys.state(1000))).isEqualTo(State.ABSENT);
  }

  /**
   * If the ordinals themselves make inserts fail, fresh ones are tried. Mutations: claim again
   * always; never.
   */
  @Test
  void ordinalsOfFailedInsertsAreClaimedAgainWhileInsertsFail() {
    Keys keys = keys(0, 1, 10);
    Set<Long> claimed = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      long ordinal = keys.claimNew();
      claimed.add(ordinal);
      keys.unclaim(ordinal);
    }
    assertThat(claimed).hasSizeBetween(10, 12);
    keys.release(keys.claimNew(), State.live(0));
    Set<Long> fresh = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      long ordinal = keys.claimNew();
      fresh.add(ordinal);
      keys.release(ordinal, State.live(0));
    }
    assertThat(fresh).hasSize(20).doesNotContainAnyElementsOf(claimed);
  }

  /** An ordinal at its last edition is still read, but never claimed for a write. */
  @Test
  void editionsEnd() {
    Keys keys = keys(0, 1, 1);
    keys.release(keys.claimLive(draws), State.live(State.MAX_EDITION));
    assertThat(keys.pickLive(draws)).isZero();
    assertThat(keys.claimLive(draws)).isEqualTo(-1);
  }

  /** Mutation: keep it from deletes, too. */
  @Test
  void aDocumentAtItsLastEditionIsStillDeleted() {
    Keys keys = keys(0, 1, 1);
    keys.release(keys.claimLive(draws), State.live(State.MAX_EDITION));
    assertThat(keys.claimToDelete(draws)).isZero();
  }

  /** A write that surely had no effect leaves the edition. Mutation: begin at edition 0 again. */
  @Test
  void anUnclaimedDocumentKeepsItsEdition() {
    Keys keys = keys(0, 1, 1);
    keys.release(keys.claimLive(draws), State.live(3));
    keys.unclaim(keys.claimLive(draws));
    assertThat(keys.state(0)).isEqualTo(State.live(3));
  }

  /** One generator's ranges of eight ordinals, with others between them. */
  private static Keys withRanges(long... firsts) {
    PrimitiveIterator.OfLong next = Arrays.stream(firsts).iterator();
    Ranges ranges =
        new Ranges() {
          @Override
          public long next() {
            return next.nextLong();
          }

          @Override
          public int size() {
            return 8;
          }

          @Override
          public void close() {}
        };
    return new Keys(
        new Ownership(0, 1, 10),
        States.loaded(10),
        KeyDistribution.uniform(),
        ranges,
        Journal.NONE);
  }

  /** Mutation: count the end of a range to it. */
  @Test
  void ordinalsBetweenItsRangesAreNotItsOwn() {
    Keys keys = withRanges(10, 40);
    for (int i = 0; i < 9; i++) {
      keys.release(keys.claimNew(), State.live(0));
    }
    assertThat(State.status(keys.state(17))).isEqualTo(State.LIVE);
    assertThat(State.status(keys.state(18))).isEqualTo(State.ABSENT);
    assertThat(State.status(keys.state(39))).isEqualTo(State.ABSENT);
    assertThat(State.status(keys.state(40))).isEqualTo(State.LIVE);
  }

  /** Mutation: compare with the beginning of the range before. */
  @Test
  void aRangeThatIsHandedOutTwiceIsRefused() {
    Keys keys = withRanges(10, 10);
    for (int i = 0; i < 8; i++) {
      keys.release(keys.claimNew(), State.live(0));
    }
    assertThatThrownBy(keys::claimNew)
        .hasMessage("a range of new ordinals begins at 10, below the end of the one before: 18");
  }

  // Which document an arrival gets, with and without skew.

  private static Keys keys(KeyDistribution distribution, int documents) {
    return Keys.alone(States.loaded(documents), distribution, documents, 64);
  }

  private long insert(Keys keys) {
    long ordinal = keys.claimNew();
    keys.release(ordinal, State.live(0));
    return ordinal;
  }

  private long delete(Keys keys) {
    long ordinal = keys.claimToDelete(draws);
    keys.release(ordinal, State.of(State.DELETED, 0));
    return ordinal;
  }

  /** Mutations: the latest insert first; refill from another slot although there are spares. */
  @Test
  void theSlotOfADeletedDocumentTakesWhatWasInsertedFirst() {
    Keys keys = keys(FIRST, 10);
    long first = insert(keys);
    long second = insert(keys);
    long hottest = keys.pickLive(draws);
    assertThat(delete(keys)).isEqualTo(hottest);
    assertThat(keys.pickLive(draws)).isEqualTo(first);
    assertThat(delete(keys)).isEqualTo(first);
    assertThat(keys.pickLive(draws)).isEqualTo(second);
    assertThat(keys.pickLive(draws)).isEqualTo(second);
  }

  /** Until everything is gone; then the next insert is found. Mutation: leave the slot empty. */
  @Test
  void withoutInsertsTheHottestSlotTakesFromColderOnes() {
    Keys keys = keys(FIRST, 10);
    Set<Long> deleted = new HashSet<>();
    for (int i = 0; i < 10; i++) {
      assertThat(deleted.add(delete(keys))).isTrue();
    }
    assertThat(keys.pickLive(draws)).isEqualTo(-1);
    assertThat(keys.claimLive(draws)).isEqualTo(-1);
    long inserted = insert(keys);
    assertThat(keys.pickLive(draws)).isEqualTo(inserted);
  }

  /**
   * Nobody reads what a delete is about to take away; if it surely failed, the document is used
   * again. Mutation: leave the document in its slot; forget it.
   */
  @Test
  void aDeleteTakesItsDocumentOutOfTheSlotAtOnce() {
    Keys keys = keys(FIRST, 1);
    long ordinal = keys.claimToDelete(draws);
    assertThat(keys.pickLive(draws)).isEqualTo(-1);
    keys.unclaim(ordinal);
    assertThat(keys.pickLive(draws)).isEqualTo(ordinal);
  }

  /**
   * Reads go on while an update holds the document; a second update moves the slot on, and the
   * first document is used later. Mutation: forget what another write holds.
   */
  @Test
  void aDocumentThatAWriteHoldsIsReadAndNotWritten() {
    Keys keys = keys(FIRST, 1);
    long held = keys.claimLive(draws);
    assertThat(keys.pickLive(draws)).isEqualTo(held);
    assertThat(keys.claimLive(draws)).isEqualTo(-1);
    long inserted = insert(keys);
    assertThat(keys.claimLive(draws)).isEqualTo(inserted);
    keys.release(held, State.live(1));
    assertThat(keys.claimLive(draws)).isEqualTo(held);
  }

  /** Mutations: count a document each time it is met; keep it for updates. */
  @Test
  void aSlotAtTheHighestEditionIsRefilledAndCounted() {
    Keys keys = keys(FIRST, 3);
    long hottest = keys.pickLive(draws);
    for (int edition = 1; edition <= State.MAX_EDITION; edition++) {
      assertThat(keys.claimLive(draws)).isEqualTo(hottest);
      keys.release(hottest, State.live(edition));
    }
    assertThat(keys.retired()).isEqualTo(1);
    long next = keys.claimLive(draws);
    assertThat(next).isNotEqualTo(hottest).isNotEqualTo(-1);
    keys.release(next, State.live(1));
    assertThat(keys.pickLive(draws)).isEqualTo(next);
    assertThat(keys.retired()).isEqualTo(1);
  }

  /** Mutation: take a withdrawn document for one that a write holds. */
  @Test
  void theSlotOfAWithdrawnDocumentIsRefilled() {
    Keys keys = keys(FIRST, 2);
    long unknown = keys.claimLive(draws);
    keys.release(unknown, State.of(State.UNKNOWN_UPDATE, 0));
    long withdrawn = keys.claimLive(draws);
    keys.withdraw(withdrawn, State.live(1));
    assertThat(keys.pickLive(draws)).isEqualTo(-1);
  }

  /**
   * As after an outage: of a million ordinals one in ten thousand was ever used. Mutation: a slot
   * for every ordinal.
   */
  @Test
  void ordinalsThatWereNeverUsedAreLeftOutOfTheDraws() {
    for (KeyDistribution distribution : List.of(UNIFORM, ZIPFIAN)) {
      int ordinals = 1_000_000;
      States states = new States();
      states.grow(ordinals);
      for (int i = 0; i < ordinals; i += 10_000) {
        states.set(i, State.live(0));
      }
      Keys keys = Keys.alone(states, distribution, ordinals, 64);
      for (int i = 0; i < 1_000; i++) {
        assertThat(keys.pickLive(draws) % 10_000).isZero();
      }
      long claimed = 0;
      while (keys.claimToDelete(draws) >= 0) {
        claimed++;
      }
      assertThat(claimed).isEqualTo(100);
    }
  }

  /**
   * Threads that insert, update and delete at the same time lose no document and hand none out
   * twice. Mutation: refill, remove or append without the lock.
   */
  @Test
  void manyThreadsLoseNothing() throws Exception {
    for (KeyDistribution distribution : List.of(UNIFORM, ZIPFIAN)) {
      Keys keys = keys(distribution, 300);
      AtomicInteger live = new AtomicInteger(300);
      ExecutorService threads = Executors.newFixedThreadPool(4);
      try {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
          Draws own = new Draws().at(2, t);
          tasks.add(() -> work(keys, own, live));
        }
        for (var result : threads.invokeAll(tasks)) {
          result.get();
        }
      } finally {
        threads.shutdown();
      }
      Set<Long> left = new HashSet<>();
      long ordinal;
      while ((ordinal = keys.claimToDelete(draws)) >= 0) {
        assertThat(left.add(ordinal)).isTrue();
        keys.release(ordinal, State.of(State.DELETED, 0));
      }
      assertThat(left).hasSize(live.get());
    }
  }

  private static Void work(Keys keys, Draws draws, AtomicInteger live) {
    for (int i = 0; i < 100_000; i++) {
      long ordinal;
      switch ((int) draws.next(4)) {
        case 0 -> {
          keys.release(keys.claimNew(), State.live(0));
          live.incrementAndGet();
        }
        case 1 -> {
          ordinal = keys.claimToDelete(draws);
          if (ordinal >= 0) {
            keys.release(ordinal, State.of(State.DELETED, 0));
            live.decrementAndGet();
          }
        }
        case 2 -> {
          ordinal = keys.claimLive(draws);
          if (ordinal >= 0) {
            keys.unclaim(ordinal);
          }
        }
        default -> keys.pickLive(draws);
      }
    }
    return null;
  }
}
