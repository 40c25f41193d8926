package io.shardload.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ranges are there before they are needed, and who needs one never waits. */
class RangesAheadTest {
  private final LocalRanges source = new LocalRanges(100, 10);
  private final ManualThread thread = new ManualThread(false);
  private final List<String> lost = new ArrayList<>();
  private RuntimeException trouble;
  private int asked;

  private final RangesAhead ahead =
      new RangesAhead(
          new Ranges() {
            @Override
            public long next() {
              asked++;
              if (trouble != null) {
                throw trouble;
              }
              return source.next();
            }

            @Override
            public int size() {
              return source.size();
            }

            @Override
            public void close() {}
          },
          2,
          thread.executor(),
          e -> lost.add(e.getMessage()));

  /** Mutation: fetch one range more or less than asked for. */
  @Test
  void keepsTwoAtHand() {
    ahead.begin();
    thread.run();
    assertThat(asked).isEqualTo(2);
    assertThat(ahead.next()).isEqualTo(100);
    thread.run();
    assertThat(asked).isEqualTo(3);
    assertThat(ahead.next()).isEqualTo(110);
    assertThat(ahead.next()).isEqualTo(120);
  }

  /** Mutation: fetch in the caller's thread. */
  @Test
  void failsAtOnceWhenNoneIsAtHand() {
    ahead.begin();
    ahead.next();
    for (int i = 0; i < 10_000; i++) {
      assertThatThrownBy(ahead::next).hasMessageContaining("has not arrived yet");
    }
    assertThat(asked).isEqualTo(1);
    thread.run();
    assertThat(ahead.next()).isEqualTo(110);
  }

  /** Mutations: retry without a pause; give up after a failure. */
  @Test
  void repeatsAfterPausesUntilItSucceeds() {
    ahead.begin();
    ahead.next();
    trouble = new IllegalStateException("the database is down");
    for (int i = 0; i < 10; i++) {
      thread.run();
      assertThatThrownBy(ahead::next).hasMessageContaining("the database is down");
    }
    assertThat(asked).isEqualTo(1 + 10);
    assertThat(thread.pauses()).isEqualTo(10);
    trouble = null;
    thread.run();
    assertThat(ahead.next()).isEqualTo(110);
  }

  /** Mutation: ask again. */
  @Test
  void lostRangesAreReportedOnce() {
    ahead.begin();
    trouble = new RangesLostException("gone");
    thread.run();
    assertThat(lost).containsExactly("gone");
    assertThat(ahead.next()).isEqualTo(100);
    thread.run();
    assertThatThrownBy(ahead::next).hasMessageContaining("gone");
    thread.run();
    assertThat(lost).hasSize(1);
    assertThat(asked).isEqualTo(2);
  }

  /** A run whose database is down does not begin. */
  @Test
  void theFirstRangeIsFetchedBeforeAnybodyNeedsIt() {
    trouble = new IllegalStateException("the database is down");
    assertThatThrownBy(ahead::begin).isSameAs(trouble);
  }
}
