package io.shardload.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.Progress;
import org.junit.jupiter.api.Test;

/**
 * What the lost end of a journal does not explain, row by row. Ordinal 0 is live at edition 3, of 1
 * an update to edition 4 was not answered, 2 was never inserted, and 3 is the mark.
 */
class ExpectationTest {
  private final Expectation expectation = expectation();

  private static Expectation expectation() {
    States states = new States();
    states.grow(3);
    states.set(0, State.live(3));
    states.set(1, State.of(State.UNKNOWN_UPDATE, 3));
    return new Expectation(states, 3, null, 100, Progress.UNHEARD);
  }

  private void found(String... all) {
    assertThat(expectation.findings().kept())
        .extracting(one -> one.kind().label() + " " + one.ordinal())
        .containsExactly(all);
  }

  @Test
  void itExplainsAnInsertAndFurtherUpdates() {
    expectation.row(0, 7, null);
    expectation.row(2, 0, null);
    found();
    assertThat(expectation.tolerated()).isEqualTo(2);
  }

  /** Mutation: begin above the mark. */
  @Test
  void noOrdinalAtTheMark() {
    expectation.row(3, 0, null);
    found("foreign 3");
  }

  /** Mutation: look at the content of known documents alone. */
  @Test
  void noWrongContent() {
    expectation.row(2, 0, "document");
    found("foreign 2");
  }

  /** Mutation: take any edition for an insert's. */
  @Test
  void noEditionAboveTheHighest() {
    expectation.row(0, 4096, null);
    expectation.row(2, 4096, null);
    found("foreign 2", "corrupted 0");
  }

  /** After an unknown outcome the run leaves the document alone. Mutation: further updates. */
  @Test
  void noUpdateAfterAnUnansweredOne() {
    expectation.row(1, 5, null);
    found("corrupted 1");
  }

  /** Mutation: keep a hundred findings of all kinds together. */
  @Test
  void manyFindingsOfOneKindHideNoOther() {
    for (int i = 0; i < 150; i++) {
      expectation.row(3, i, null);
    }
    expectation.row(0, 2, null);
    assertThat(expectation.findings().kept()).hasSize(101);
    assertThat(expectation.findings().total()).isEqualTo(151);
  }
}
