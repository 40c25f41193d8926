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
 * conditions share one instance, for of a thousand runs few differ.
 */
final class Conditions {
  private static final Set<String> NO_CONDITIONS =
      Set.of(Aspect.ROWS_AT_START, Aspect.ROWS_AT_END, Aspect.HOTTEST_SHARD);

  /**
   * Others than the numbers of rows, which are nearly never the same, and than the placement, which
   * is the server's doing. What a target hides on both sides counts as alike: it is one target, and
   * would have no history otherwise.
   */
  private static final List<Aspect> ASPECTS =
      Aspect.ALL.stream().filter(one -> !NO_CONDITIONS.contains(one.name())).toList();

  private final RunFacts facts;
  private final Map<Conditions, List<String>> differing = new HashMap<>();

  private Conditions(RunFacts facts) {
    this.facts = facts;
  }

  /** The conditions that were met so far. */
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
