package io.shardload.history;

import io.shardload.compare.aspects.Aspect;
import io.shardload.compare.aspects.RunFacts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Under which conditions a run was made, by the aspects of {@code compare}. Runs under the same
 * conditions share one instance, because few of a thousand runs differ.
 */
final class Conditions {
  private static final Set<String> NO_CONDITIONS =
      Set.of(Aspect.ROWS_AT_START, Aspect.ROWS_AT_END, Aspect.HOTTEST_SHARD);

  /**
   * All aspects except the numbers of rows, which are almost never equal, and the placement, which
   * the server chooses. Properties that a target hides on both sides count as equal: otherwise the
   * target would have no history.
   */
  private static final List<Aspect> ASPECTS =
      Aspect.ALL.stream().filter(one -> !NO_CONDITIONS.contains(one.name())).toList();

  private final RunFacts facts;
  private final Map<Conditions, List<String>> differing = new HashMap<>();

  private Conditions(RunFacts facts) {
    this.facts = facts;
  }

  /** The conditions that occurred so far. */
  static final class Pool {
    private final Map<List<Map<String, String>>, Conditions> known = new HashMap<>();

    Conditions of(RunFacts facts) {
      List<Map<String, String>> members = new ArrayList<>();
      ASPECTS.forEach(aspect -> members.add(aspect.members(facts)));
      return known.computeIfAbsent(members, key -> new Conditions(facts));
    }
  }

  /** The names of the aspects in which the two are not alike, the worst first. */
  List<String> differing(Conditions other) {
    return other == this
        ? List.of()
        : differing.computeIfAbsent(
            other,
            key ->
                ASPECTS.stream()
                    .filter(aspect -> !aspect.differing(List.of(facts, other.facts)).isEmpty())
                    .map(Aspect::name)
                    .toList());
  }
}
