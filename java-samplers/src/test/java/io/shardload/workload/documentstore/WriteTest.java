package io.shardload.workload.documentstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a write ends, and what is known of its document afterwards. One document, at edition 3. */
class WriteTest {
  private final CallFailure refused = new CallFailure("refused", true, true, "");
  private final CallFailure timeout = new CallFailure("timeout", false, true, "");

  private final List<String> journal = new ArrayList<>();
  private final Keys keys =
      new Keys(
          new Ownership(0, 1, 1),
          editionThree(),
          KeyDistribution.uniform(),
          new LocalRanges(1, 16),
          (ordinal, state) -> journal.add(ordinal + ":" + name(state)));

  private static States editionThree() {
    States states = States.loaded(1);
    states.set(0, State.live(3));
    return states;
  }

  private static String name(short state) {
    String[] names = {"absent", "live", "deleted", "insert?", "update?", "delete?"};
    return names[State.status(state)] + " " + State.edition(state);
  }

  private WriteCall update(long rows) {
    return write(State.live(4), State.of(State.UNKNOWN_UPDATE, 3), rows);
  }

  private WriteCall delete(long rows) {
    return write(State.of(State.DELETED, 3), State.of(State.UNKNOWN_DELETE, 3), rows);
  }

  private WriteCall write(short after, short unknown, long rows) {
    assertThat(keys.claimLive(new Draws().at(1, 1))).isZero();
    WriteCall write = new WriteCall(keys, 0, after, unknown, (store, phases) -> rows);
    try {
      write.run(null, Phases.NONE);
    } catch (CallFailure e) {
      throw new AssertionError(e);
    }
    return write;
  }

  private boolean claimed() {
    return keys.claimLive(new Draws().at(1, 1)) < 0;
  }

  @Test
  void oneRowIsDone() {
    assertThat(update(1).finish(null, false)).isEqualTo(Outcome.done(1));
    assertThat(journal).containsExactly("0:live 4");
    assertThat(claimed()).isFalse();
  }

  /** Mutation: an honest miss or a stale read, which a replica would excuse. */
  @Test
  void noRowIsAWrongAnswer() {
    assertThat(update(0).finish(null, false)).isEqualTo(new Outcome.Failed("changed-no-row"));
    assertThat(journal).containsExactly("0:live 3");
    assertThat(claimed()).isTrue();
  }

  @Test
  void noRowDeletedIsAWrongAnswer() {
    assertThat(delete(0).finish(null, false)).isEqualTo(new Outcome.Failed("changed-no-row"));
    assertThat(journal).containsExactly("0:live 3");
  }

  /** Mutation: an error of its own, or the claim given back at edition 3. */
  @Test
  void noRowAfterAnUnansweredUpdateIsThatUpdate() {
    assertThat(update(0).finish(null, true)).isEqualTo(Outcome.done(1));
    assertThat(journal).containsExactly("0:live 4");
    assertThat(claimed()).isTrue();
  }

  @Test
  void noRowAfterAnUnansweredDeleteIsThatDelete() {
    assertThat(delete(0).finish(null, true)).isEqualTo(Outcome.done(1));
    assertThat(journal).containsExactly("0:deleted 3");
  }

  @Test
  void severalRowsAreAWrongAnswer() {
    assertThat(update(2).finish(null, false)).isEqualTo(new Outcome.Failed("changed-several-rows"));
    assertThat(journal).containsExactly("0:live 4");
  }

  @Test
  void aRefusalAfterAnUnansweredAttemptLeavesItUnknown() {
    assertThat(update(0).finish(refused, true)).isEqualTo(new Outcome.Unknown("refused"));
    assertThat(journal).containsExactly("0:update? 3");
  }

  @Test
  void noAnswerIsUnknown() {
    assertThat(delete(0).finish(timeout, false)).isEqualTo(new Outcome.Unknown("timeout"));
    assertThat(journal).containsExactly("0:delete? 3");
  }

  @Test
  void aRefusalChangesNothing() {
    assertThat(update(0).finish(refused, false)).isEqualTo(new Outcome.Failed("refused"));
    assertThat(journal).isEmpty();
    assertThat(claimed()).isFalse();
  }

  @Test
  void aCallWhoseEndIsLostIsUnknown() {
    update(1).leaveUnknown();
    assertThat(journal).containsExactly("0:update? 3");
    assertThat(claimed()).isTrue();
  }
}
