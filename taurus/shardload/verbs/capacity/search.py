"""Which rate the search for the capacity tries next, and when it has its answer. Pure: no clock, no file, no process.

The caller keeps the runs made so far and asks ``decide`` again after each, so that the next rate follows only
from these runs. A run at a rate is *good* (within the limits) or *bad*. Runs may contradict each other,
because a server varies from minute to minute. Hence three rules:

1. The runs are split at the rate that contradicts the fewest of them: good runs above it and bad runs below it.
   Between equally good splits the rates in dispute run again.
2. While the rates next to the split lie further apart than the precision, their geometric mean is next.
3. An end of the interval is confirmed by repeats that all agree with the first run. An end lies at least one precision
   outside the rates that contradict each other, and takes one repeat more where any do. If its own repeats contradict
   each other, the end moves outwards, by one precision and then by more each time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from shardload.config.values.search import Plan

# Invalid runs in a row after which the search gives up.
MOST_VOIDS = 3
# Contradictions for ever must end some time.
MOST_RUNS = 200
# What rounding may add to a ratio of two rates.
_SLACK = 1.002
# A run that contradicts another over a wider ratio of rates is an outlier: others outvote it.
_FAR = 1.25


class Outcome(str, Enum):
    """What a run shows about its rate; search.json contains the values."""

    GOOD = "good"
    BAD = "bad"
    # The generator could not offer the rate: the run says nothing of the target.
    BOUND = "generator-bound"
    # The measurement is not valid.
    VOID = "void"


class Ended(str, Enum):
    """Why a search ended; search.json contains the values."""

    FOUND = "found"
    MAX_RATE = "max-rate"
    MAX_DURATION = "max-duration"
    BOUND = "generator-bound"
    NOTHING_PASSED = "nothing-passed"
    VOID = "too-many-void-runs"
    UNSETTLED = "unsettled"


@dataclass(frozen=True)
class Trial:
    """A run that was made, and how long it took from start to end."""

    rate: float
    outcome: Outcome
    seconds: float = 0.0


@dataclass(frozen=True)
class Next:
    """The rate to try, and why."""

    rate: float
    why: str


@dataclass(frozen=True)
class End:
    """An end of the interval; ``good`` and ``bad`` count the runs at its rate."""

    rate: float
    confirmed: bool
    good: int
    bad: int


@dataclass(frozen=True)
class Answer:
    """The capacity lies between ``low`` and ``high``; without ``high`` it is at least ``low``."""

    ended: Ended
    low: End | None
    high: End | None


def decide(plan: Plan, trials: Sequence[Trial], elapsed_seconds: float = 0.0) -> Next | Answer:
    """Return what comes after the runs so far."""
    return _Evidence(plan, trials).decide(elapsed_seconds)


def answer(plan: Plan, trials: Sequence[Trial], ended: Ended) -> Answer:
    """Return what the runs so far say, for a search that ends early."""
    return _Evidence(plan, trials).answer(ended)


def round_rate(rate: float, precision: float) -> float:
    """Return a rate with as many digits as the precision asks for."""
    digits = 3 if precision >= 0.05 else 4
    return float(f"{rate:.{digits}g}")


@dataclass
class _Count:
    good: int = 0
    bad: int = 0
    # Bad for want of a generator that offers the rate.
    bound: int = 0


class _Evidence:
    """The runs so far, by rate."""

    def __init__(self, plan: Plan, trials: Sequence[Trial]) -> None:
        self.plan = plan
        self.trials = trials
        self.counts: dict[float, _Count] = {}
        best = max((trial.rate for trial in trials if trial.outcome is Outcome.GOOD), default=0.0)
        # Where the generator offered more in another run, or the target failed, it was a disturbance.
        limits = not any(trial.outcome is Outcome.BAD for trial in trials)
        for trial in trials:
            count = self.counts.setdefault(trial.rate, _Count())
            count.good += trial.outcome is Outcome.GOOD
            count.bad += trial.outcome is Outcome.BAD
            count.bound += limits and trial.outcome is Outcome.BOUND and trial.rate > best
        self.counts = {rate: count for rate, count in self.counts.items() if count != _Count()}
        self.rates = sorted(self.counts)

    # --- the decision

    def decide(self, elapsed_seconds: float) -> Next | Answer:
        if not self.trials:
            return Next(self.plan.start_rate, "the start rate")
        if self._last_voids() >= MOST_VOIDS:
            is_bound = self.trials[-1].outcome is Outcome.BOUND
            return self.answer(Ended.BOUND if is_bound else Ended.VOID)
        if len(self.trials) >= MOST_RUNS:
            return self.answer(Ended.UNSETTLED)
        found = self._next()
        longest = max(trial.seconds for trial in self.trials)
        if isinstance(found, Next) and elapsed_seconds + longest > self.plan.max_seconds:
            return self.answer(Ended.MAX_DURATION)
        return found

    def _last_voids(self) -> int:
        """Return how many runs at the end said nothing."""
        number = 0
        for trial in reversed(self.trials):
            is_void = trial.outcome is Outcome.VOID or (trial.outcome is Outcome.BOUND and not self._bounds(trial.rate))
            if not is_void:
                break
            number += 1
        return number

    def _next(self) -> Next | Answer:
        if self._last_voids():
            return Next(self.trials[-1].rate, "again, because the last run was invalid")
        splits = self._splits()
        if len(splits) > 1:
            disputed = self.rates[splits[0] : splits[-1]]
            rate = min(disputed, key=lambda one: (self._runs(one), one))
            return Next(rate, "again, because other runs contradict it")
        place = splits[0]
        if place == len(self.rates):
            return self._up()
        if place == 0:
            return self._down()
        low, high = self.rates[place - 1], self.rates[place]
        if high / low > (1 + self.plan.precision) * _SLACK:
            return Next(self._nice(math.sqrt(low * high)), f"between {low:g} and {high:g}")
        return self._confirm(place)

    def _up(self) -> Next | Answer:
        """Nothing failed so far."""
        highest = self.rates[-1]
        limit = self.plan.max_rate or math.inf
        if highest < limit:
            return Next(min(self._nice(2 * highest), limit), "twice the last good rate")
        return self._confirm(len(self.rates))

    def _down(self) -> Next | Answer:
        """Nothing passed so far."""
        rate = self._nice(self.rates[0] / 2)
        if rate < self.plan.min_rate:
            return self.answer(Ended.BOUND if self._bounds(self.rates[0]) else Ended.NOTHING_PASSED)
        return Next(rate, "half the last bad rate")

    def _confirm(self, place: int) -> Next | Answer:
        """Return a run that confirms an end, or the answer when both are."""
        low = self._end(list(reversed(self.rates[:place])), True)
        if isinstance(low, Next):
            return low
        if place == len(self.rates):
            return Answer(Ended.MAX_RATE, low, None)
        high = self._end(self.rates[place:], False)
        if isinstance(high, Next):
            return high
        if low is None:
            return Answer(Ended.NOTHING_PASSED, None, high)
        if high is None:
            is_bound = self._bounds(self.rates[-1]) > 0
            return Answer(Ended.BOUND if is_bound else Ended.MAX_RATE, low, None)
        return Answer(Ended.FOUND, low, high)

    def _end(self, outwards: Sequence[float], is_low: bool) -> Next | End | None:
        """Return the confirmed end among rates in the order outwards, a run for it, or None where there is none."""
        least: float | None = None
        failed = 0
        disputed = self._disputed()
        if disputed and disputed[1] <= disputed[0] * _FAR:
            least, failed = self._step(disputed[0] if is_low else disputed[1], 1, is_low), 1
            if least is None:
                return None
        for rate in outwards:
            if least is not None and self._ratio(rate, least, is_low) < 1 / _SLACK:
                continue
            if least is not None and self._ratio(rate, least, is_low) > _SLACK * (1 + self.plan.precision):
                break
            if not is_low and self._bounds(rate):
                return None
            count = self.counts[rate]
            if not (count.bad if is_low else count.good):
                if self._runs(rate) > self._repeats():
                    return End(rate, True, count.good, count.bad)
                return Next(rate, f"a repeat, to confirm the {'good' if is_low else 'bad'} rate")
            failed += 1
            least = self._step(rate, failed, is_low)
            if least is None:
                return None
        return None if least is None else Next(least, "further out, because repeats contradict each other")

    @staticmethod
    def _ratio(rate: float, other: float, is_low: bool) -> float:
        """Return how much further out a rate is."""
        return other / rate if is_low else rate / other

    def _step(self, rate: float, failed: int, is_low: bool) -> float | None:
        """Return the next rate outwards; None beyond what the search may try."""
        factor = min(2.0, (1 + self.plan.precision) ** failed)
        if is_low:
            down = self._nice(rate / factor)
            return down if down >= self.plan.min_rate else None
        limit = self.plan.max_rate or math.inf
        return min(self._nice(rate * factor), limit) if rate < limit else None

    # --- what the runs say

    def _splits(self) -> list[int]:
        """Return the places among the rates, in order, at which a split contradicts the fewest runs."""
        errors = []
        for place in range(len(self.rates) + 1):
            below = sum(self.counts[rate].bad + self.counts[rate].bound for rate in self.rates[:place])
            above = sum(self.counts[rate].good for rate in self.rates[place:])
            errors.append(below + above)
        least = min(errors)
        return [place for place, number in enumerate(errors) if number == least]

    def answer(self, ended: Ended) -> Answer:
        """Return the confirmed ends, else the rates next to the split."""
        if not self.rates:
            return Answer(ended, None, None)
        splits = self._splits()
        lows = list(reversed(self.rates[: splits[0]]))
        highs = [rate for rate in self.rates[splits[-1] :] if not self._bounds(rate)]
        return Answer(ended, self._best(lows, True), self._best(highs, False))

    def _best(self, outwards: Sequence[float], is_low: bool) -> End | None:
        ends = [self._as_end(rate, is_low) for rate in outwards]
        return next((end for end in ends if end.confirmed), ends[0] if ends else None)

    def _as_end(self, rate: float, is_low: bool) -> End:
        count = self.counts[rate]
        agree = not (count.bad if is_low else count.good)
        return End(rate, agree and self._runs(rate) > self._repeats(), count.good, count.bad)

    def _disputed(self) -> tuple[float, float] | None:
        """Return the lowest bad and the highest good rate where runs contradict each other, else None."""
        bad = min((rate for rate, count in self.counts.items() if count.bad), default=math.inf)
        good = max((rate for rate, count in self.counts.items() if count.good), default=0.0)
        return (bad, good) if bad <= good else None

    def _repeats(self) -> int:
        """Return how many repeats confirm an end: one more where runs contradict each other."""
        return self.plan.repeats + (1 if self._disputed() else 0)

    def _runs(self, rate: float) -> int:
        count = self.counts[rate]
        return count.good + count.bad

    def _bounds(self, rate: float) -> int:
        return self.counts[rate].bound if rate in self.counts else 0

    def _nice(self, rate: float) -> float:
        return round_rate(rate, self.plan.precision)
