package io.shardload.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.Dependents;
import io.shardload.workload.Progress;
import java.util.List;
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
    return new Expectation(states, 3, null, 100, List.of(), new LostWrites(0), Progress.UNHEARD);
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

  /** Two lines of each ordinal: of a table whose rows are there where their document is. */
  private record Lines() implements Dependents {
    @Override
    public long first(long ordinal) {
      return 2 * ordinal;
    }

    @Override
    public long count(long ordinal) {
      return 2;
    }

    @Override
    public String words(long number) {
      return "line " + number;
    }
  }

  /** Mutations: take no notice of the bit; ask for the document before its own defect. */
  @Test
  void rowsOfADocumentAreThereWhereItIs() {
    States states = new States();
    states.grow(6);
    states.set(0, State.live(0));
    states.set(1, State.live(0));
    states.set(2, State.of(State.DELETED, 0));
    states.set(3, State.of(State.UNKNOWN_INSERT, 0));
    states.set(4, State.live(0));
    List<Dependents> lines = List.of(new Lines());
    var dependent = new Expectation(states, 6, null, 0, lines, new LostWrites(0), Progress.UNHEARD);
    dependent.row(0, 0, null);
    dependent.row(1, 0, null);
    for (long line : new long[] {0, 1, 2, 2, 5, 6, 8, 9, 10}) {
      dependent.dependent(0, line / 2, line, null);
    }
    dependent.dependent(0, 3, 7, "order");
    dependent.dependent(0, 6, 12, null);
    dependent.end();
    assertThat(dependent.findings().kept())
        .extracting(one -> one.kind().label() + " " + one.ordinal() + " " + one.detail())
        .containsExactly(
            "lost 1 line 3 is missing",
            "lost 4 last known at edition 0",
            "resurrected 2 line 5 is still there",
            "doubled 1 line 2 is there more than once",
            "foreign 3 line 6 is there, but its document is not",
            "foreign 5 line 10 is there, but was never inserted",
            "foreign 6 line 12 is there, but was never inserted",
            "corrupted 3 order of line 7 differs");
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
