package io.shardload.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Which document an arrival gets, with and without skew. */
class SlotsTest {
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
