package io.shardload.parity;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How two systems may answer one call, in the words that people read. */
class AnsweredTest {
  private static Answered rows(String... values) {
    return answered("", false, values);
  }

  /** Each value is {@code place/name}. */
  private static Answered answered(String order, boolean isLimited, String... values) {
    return new Answered(
        "done",
        Stream.of(values)
            .map(value -> value.split("/"))
            .map(parts -> Map.of("at", parts[0], "name", parts[1]))
            .toList(),
        order,
        isLimited);
  }

  private static List<String> difference(Answered one, Answered other) {
    return Answered.difference(one, other);
  }

  @Test
  void withoutAnOrderTheSameRowsAreEqual() {
    assertThat(difference(rows("1/a", "2/b"), rows("2/b", "1/a"))).isNull();
    assertThat(difference(rows(), rows())).isNull();
  }

  @Test
  void aMissingADoubledAndAnotherRowAreNamed() {
    assertThat(difference(rows("1/a", "2/b"), rows("1/a")))
        .containsExactly("2 rows, with at=2, name=b", "1 row");
    assertThat(difference(rows("1/a", "2/b"), rows("1/a", "1/a")))
        .containsExactly("2 rows, with at=2, name=b", "2 rows, with at=1, name=a");
    assertThat(difference(rows("1/a", "2/b"), rows("1/a", "2/c")))
        .containsExactly("2 rows, with name=b", "2 rows, with name=c");
  }

  @Test
  void outcomesAreCompared() {
    Answered refused = new Answered("refused", List.of(), "", false);
    Answered failed = new Answered("duplicate-key", List.of(), "", false);
    assertThat(difference(refused, failed)).containsExactly("refused", "duplicate-key");
    assertThat(difference(refused, refused)).isNull();
    assertThat(difference(failed, failed)).containsExactly("duplicate-key", "duplicate-key");
    assertThat(Answered.words(new Outcome.Done(3, 1, false))).isEqualTo("done");
    assertThat(Answered.words(new Outcome.Done(3, 1, true))).isEqualTo("stale");
    assertThat(Answered.words(Outcome.MISSING)).isEqualTo("nothing found");
    assertThat(Answered.words(new Outcome.Unknown("timeout"))).isEqualTo("timeout");
  }

  @Test
  void anOrderCountsButNotWithinATie() {
    Answered one = answered("at", false, "1/a", "1/b", "2/c");
    assertThat(difference(one, answered("at", false, "1/b", "1/a", "2/c"))).isNull();
    assertThat(difference(one, answered("at", false, "2/c", "1/a", "1/b")))
        .containsExactly("3 rows, with at=1, name=b", "3 rows, with at=2, name=c");
  }

  /** A limit may cut a tie anywhere, but it cannot choose a row of another place. */
  @Test
  void aLimitMayChooseWithinTheLastTieAlone() {
    Answered one = answered("at", true, "1/a", "2/b");
    Answered cut = answered("at", true, "1/a", "2/c");
    assertThat(difference(one, cut)).isNull();
    assertThat(difference(one.whole(), cut.whole())).isNotNull();
    assertThat(difference(one, answered("at", true, "1/b", "2/b")))
        .containsExactly("2 rows, with name=a", "2 rows, with name=b");
    assertThat(difference(one, answered("at", true, "1/a", "3/b")))
        .containsExactly("2 rows, with at=2", "2 rows, with at=3");
  }

  @Test
  void aLimitWithoutAnOrderLeavesTheNumberOfRows() {
    assertThat(difference(answered("", true, "1/a"), answered("", true, "2/b"))).isNull();
    assertThat(difference(answered("", true, "1/a"), answered("", false, "2/b"))).isNotNull();
    assertThat(difference(answered("", true, "1/a"), answered("", true, "1/a", "2/b"))).isNotNull();
  }

  @Test
  void onlyWhatBothListIsCompared() {
    Set<String> names = Set.of("name");
    assertThat(difference(rows("1/a").of(names), rows("2/a").of(names))).isNull();
    assertThat(answered("at", true, "1/a").of(names).order()).isEmpty();
  }
}
