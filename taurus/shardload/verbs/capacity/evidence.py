"""What the runs of a search say of each rate, and where they contradict each other. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from shardload.config.values.search import Plan
from shardload.verbs.capacity.model import Answer, End, Ended, Outcome, Trial


@dataclass
class Count:
    """How many runs at a rate said what."""

    good: int = 0
    bad: int = 0
    # Bad because the generator could not offer the rate.
    bound: int = 0


class Evidence:
    """The runs so far, by rate."""

    def __init__(self, plan: Plan, trials: Sequence[Trial]) -> None:
        self._plan = plan
        self._trials = trials
        counts: dict[float, Count] = {}
        best = max((trial.rate for trial in trials if trial.outcome is Outcome.GOOD), default=0.0)
        # If the generator offered more in another run, or if the target failed, the bound was a disturbance.
        limits = not any(trial.outcome is Outcome.BAD for trial in trials)
        for trial in trials:
            count = counts.setdefault(trial.rate, Count())
            count.good += trial.outcome is Outcome.GOOD
            count.bad += trial.outcome is Outcome.BAD
            count.bound += limits and trial.outcome is Outcome.BOUND and trial.rate > best
        self.counts = {rate: count for rate, count in counts.items() if count != Count()}
        self.rates = sorted(self.counts)

    def last_invalid(self) -> int:
        """Return how many runs at the end said nothing."""
        number = 0
        for trial in reversed(self._trials):
            says_nothing = trial.outcome is Outcome.INVALID or (
                trial.outcome is Outcome.BOUND and not self.bounds(trial.rate)
            )
            if not says_nothing:
                break
            number += 1
        return number

    def splits(self) -> list[int]:
        """Return the places among the rates, in order, at which a split contradicts the fewest runs."""
        errors = []
        for place in range(len(self.rates) + 1):
            below = sum(self.counts[rate].bad + self.counts[rate].bound for rate in self.rates[:place])
            above = sum(self.counts[rate].good for rate in self.rates[place:])
            errors.append(below + above)
        least = min(errors)
        return [place for place, number in enumerate(errors) if number == least]

    def disputed(self) -> tuple[float, float] | None:
        """Return the lowest bad and the highest good rate if runs contradict each other, else None."""
        bad = min((rate for rate, count in self.counts.items() if count.bad), default=math.inf)
        good = max((rate for rate, count in self.counts.items() if count.good), default=0.0)
        return (bad, good) if bad <= good else None

    def runs(self, rate: float) -> int:
        """Return how many runs at a rate were good or bad."""
        count = self.counts[rate]
        return count.good + count.bad

    def bounds(self, rate: float) -> int:
        """Return in how many runs at a rate the generator was the bottleneck."""
        return self.counts[rate].bound if rate in self.counts else 0

    def agrees(self, rate: float, is_low: bool) -> bool:
        """Whether no run at a rate contradicts it as the low or the high end."""
        count = self.counts[rate]
        return not (count.bad if is_low else count.good)

    def end(self, rate: float, is_low: bool) -> End:
        """Return a rate as an end: confirmed by enough runs that agree, or not."""
        count = self.counts[rate]
        # Contradictions anywhere make one repeat more necessary.
        needed = 1 + self._plan.repeats + (1 if self.disputed() else 0)
        return End(rate, self.agrees(rate, is_low) and self.runs(rate) >= needed, count.good, count.bad)

    def answer(self, ended: Ended) -> Answer:
        """Return the confirmed ends, else the rates next to the split: the answer of a search that ends early."""
        if not self.rates:
            return Answer(ended, None, None)
        splits = self.splits()
        lows = list(reversed(self.rates[: splits[0]]))
        highs = [rate for rate in self.rates[splits[-1] :] if not self.bounds(rate)]
        return Answer(ended, self._best(lows, True), self._best(highs, False))

    def _best(self, outwards: Sequence[float], is_low: bool) -> End | None:
        ends = [self.end(rate, is_low) for rate in outwards]
        return next((end for end in ends if end.confirmed), ends[0] if ends else None)
