package io.shardload.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.Key;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Every way in which an answer or a state can be wrong, in the words that people read. */
class AnswerCheckTest {
  private static final UUID ID = UUID.fromString("00112233-4455-4677-8899-aabbccddeeff");
  private static final Document A = row("a", 1);
  private static final Document B = row("b", 2);
  private static final Document C = row("c", 3);

  private static Document row(String filter1, long filter3) {
    return new Document(ID, filter1, "f2", filter3, "f4", "f5", "text", 0);
  }

  private static Answer.Rows rows(int limit, Document... rows) {
    return new Answer.Rows(List.of(rows), limit);
  }

  private static String difference(Answer right, Answer answer) {
    return AnswerCheck.difference(right, answer);
  }

  @Test
  void theSameRowsInAnyOrderAreEqual() {
    assertThat(difference(rows(9, A, B), rows(9, B, A))).isEmpty();
    assertThat(difference(rows(9), rows(9))).isEmpty();
  }

  @Test
  void aRowTooManyTooFewTwiceOrStrangeIsNamed() {
    assertThat(difference(rows(9, A, B), rows(9, A))).isEqualTo("1 row, without row b");
    assertThat(difference(rows(9, A), rows(9, A, B)))
        .isEqualTo("2 rows, row b does not belong to the result");
    assertThat(difference(rows(9, A, B), rows(9, A, A)))
        .isEqualTo("2 rows, row a was returned twice");
    assertThat(difference(rows(9, A), rows(9, row("a", 7))))
        .isEqualTo("1 row, filter3 of row a is 7, not 1");
  }

  @Test
  void beyondTheLimitAnyChoiceOfTheRightSizeIsRight() {
    Answer.Rows right = rows(2, A, B, C);
    assertThat(AnswerCheck.isLoose(right)).isTrue();
    assertThat(AnswerCheck.isLoose(rows(3, A, B, C))).isFalse();
    assertThat(difference(right, rows(2, A, C))).isEmpty();
    assertThat(difference(right, rows(2, C, B))).isEmpty();
    assertThat(difference(right, rows(2, A))).isEqualTo("1 row, fewer than 2");
    assertThat(difference(right, rows(2, A, B, C))).isEqualTo("3 rows, more than 2");
    assertThat(right.count()).isEqualTo(2);
  }

  @Test
  void ofFailuresOnlyTheKindIsCompared() {
    Answer right = new Answer.Failure("duplicate-key", "");
    assertThat(difference(right, new Answer.Failure("duplicate-key", "E11000"))).isEmpty();
    assertThat(difference(right, new Answer.Failure("timeout", "5 s"))).isEqualTo("timeout (5 s)");
    assertThat(difference(right, new Answer.Changed(1))).isEqualTo("1 row changed");
    assertThat(difference(rows(1, A), right)).isEqualTo("duplicate-key");
  }

  @Test
  void changedRowsAreCounted() {
    assertThat(difference(new Answer.Changed(1), new Answer.Changed(1))).isEmpty();
    assertThat(difference(new Answer.Changed(1), new Answer.Changed(0)))
        .isEqualTo("0 rows changed");
    assertThat(difference(new Answer.Changed(1), null)).isEqualTo("null");
  }

  @Test
  void aStateIsWrongByARowTwiceMissingStrangeOrOther() throws CallFailure {
    assertThat(state(A, B)).isEmpty();
    assertThat(state(A)).isEqualTo("1 row, without row b");
    assertThat(state(A, B, A)).isEqualTo("3 rows, row a occurs twice");
    assertThat(state(A, B, C)).isEqualTo("3 rows, row c does not belong to the result");
    assertThat(state(A, row("b", 5), C)).isEqualTo("3 rows, filter3 of row b is 5, not 2");
  }

  /** How a target with these rows differs from one with A and B. */
  private static String state(Document... rows) throws CallFailure {
    Map<Key, Document> right = new LinkedHashMap<>();
    List.of(A, B).forEach(row -> right.put(row.key(), row));
    return new ComparedTarget("one", walking(rows), null).stateDifference(right);
  }

  /** A fake that can do nothing but be walked. */
  @SuppressWarnings("unchecked")
  private static DocumentStoreAdmin walking(Document... rows) {
    return (DocumentStoreAdmin)
        Proxy.newProxyInstance(
            AnswerCheckTest.class.getClassLoader(),
            new Class<?>[] {DocumentStoreAdmin.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("walk");
              Arrays.stream(rows).forEach((Consumer<Document>) arguments[0]);
              return null;
            });
  }

  @Test
  void onlyTheFirstDifferenceIsKept() {
    Line line = new Line("insert");
    line.differs("call 1", "[1]", "1 row", Map.of("one", "2 rows"));
    line.differs("call 2", "[2]", "3 rows", Map.of("one", "4 rows"));
    assertThat(line.difference().where()).isEqualTo("call 1");
    assertThat(line.difference().sides()).containsExactly(Map.entry("one", "2 rows"));
  }

  @Test
  void whatWasNeverCalledHasNotBeenShownToBeEqual() {
    Line load = new Line("load");
    Line called = new Line("insert");
    called.called(new Answer.Changed(1));
    Line never = new Line("delete");
    assertThat(new Parity.Result(load, List.of(called)).equal()).isTrue();
    assertThat(new Parity.Result(load, List.of(called, never)).equal()).isFalse();
    load.differs("after the load", "", "2 rows", Map.of());
    assertThat(new Parity.Result(load, List.of(called)).equal()).isFalse();
  }

  /** What a driver lets slip is this side's answer, and never the one of the call before. */
  @Test
  void anExceptionOfADriverIsAnAnswer() throws CallFailure {
    List<Throwable> slips = new ArrayList<>();
    Recorder recorder = new Recorder(slipping(slips));
    assertThat(recorder.delete(ID, "a", Phases.NONE)).isEqualTo(1);
    assertThat(recorder.answer()).isEqualTo(new Answer.Changed(1));
    slips.add(new IllegalStateException("slipped"));
    assertThatThrownBy(() -> recorder.delete(ID, "a", Phases.NONE))
        .isInstanceOf(CallFailure.class)
        .hasMessageContaining("slipped");
    assertThat(recorder.answer().toString()).startsWith("exception (").contains("slipped");
    slips.set(0, new CallFailure("timeout", false, false, "late"));
    assertThatThrownBy(() -> recorder.delete(ID, "a", Phases.NONE)).isSameAs(slips.get(0));
    assertThat(recorder.answer()).isEqualTo(new Answer.Failure("timeout", "late"));
    assertThat(recorder.arguments()).isEqualTo("[" + ID + ", a]");
  }

  /** A fake that changes one row, or fails as it is told to. */
  private static DocumentStore slipping(List<Throwable> slips) {
    return (DocumentStore)
        Proxy.newProxyInstance(
            AnswerCheckTest.class.getClassLoader(),
            new Class<?>[] {DocumentStore.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("delete");
              if (!slips.isEmpty()) {
                throw slips.get(0);
              }
              return 1L;
            });
  }
}
