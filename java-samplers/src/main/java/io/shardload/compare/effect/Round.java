package io.shardload.compare.effect;

import java.util.List;
import java.util.Optional;

/**
 * One figure of the base's run and of the side's run in one round.
 *
 * @param first which of the two ran first
 */
public record Round(Measured base, Measured side, First first) {
  /** Which run of a round began before the other. */
  public enum First {
    BASE,
    SIDE,
    UNKNOWN
  }

  Ratio ratio() {
    return Ratio.of(base, side);
  }

  /** Why a drift does not cancel out over these rounds; empty if each side ran first as often. */
  static Optional<String> imbalance(List<Round> rounds) {
    long base = rounds.stream().filter(round -> round.first == First.BASE).count();
    long side = rounds.stream().filter(round -> round.first == First.SIDE).count();
    if (base + side < rounds.size()) {
      return Optional.of("the bundles do not say which run of a round began first");
    }
    return Math.abs(base - side) <= 1
        ? Optional.empty()
        : Optional.of(
            "the base ran first in %d of %d rounds: a drift over time does not cancel out"
                .formatted(base, rounds.size()));
  }
}
