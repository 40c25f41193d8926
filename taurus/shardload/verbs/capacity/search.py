"""Which rate the search for the capacity tries next, and when it has its answer. Pure: no clock, no file, no process.

The caller keeps the runs made so far and asks ``decide`` again after each run. The next rate follows from these runs
alone. A run at a rate is *good* (within the limits) or *bad*. Runs may contradict each other, because a server is not
the same every minute. Hence three rules:

1. The runs are split at a rate. A good run above the split, or a bad run below it, contradicts the split. The split
   with the fewest contradictions counts. Between equally good splits the rates in dispute run again.
2. While the rates next to the split lie further apart than the precision, their geometric mean is next.
3. An end of the interval is confirmed by repeats that all agree with the first run. If rates contradict each other,
   an end lies at least one precision outside of them and needs one repeat more. If its own repeats contradict
   each other, the end moves outwards, by one precision and then by more each time.

The first run of all meets cold caches. A bad start rate therefore runs again before the search goes down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shardload.config.values.search import Plan
from shardload.verbs.capacity.evidence import Evidence
from shardload.verbs.capacity.model import Answer, End, Ended, Next, Outcome, Trial

# Invalid runs, one after the other, after which the search gives up.
MOST_INVALID = 3
# Contradictions without end must end some time.
MOST_RUNS = 200
# What rounding may add to a ratio of two rates.
_SLACK = 1.002
# A run that contradicts another over a wider ratio of rates is an outlier: others outvote it.
_FAR = 1.25


def decide(plan: Plan, trials: Sequence[Trial], elapsed_seconds: float = 0.0) -> Next | Answer:
    """Return what comes after the runs so far."""
    if not trials:
        return Next(plan.start_rate, "the start rate")
    evidence = Evidence(plan, trials)
    if evidence.last_invalid() >= MOST_INVALID:
        is_bound = trials[-1].outcome is Outcome.BOUND
        return evidence.answer(Ended.BOUND if is_bound else Ended.INVALID)
    if len(trials) >= MOST_RUNS:
        return evidence.answer(Ended.UNSETTLED)
    if evidence.last_invalid():
        found: Next | Answer = Next(trials[-1].rate, "again, because the last run was invalid")
    else:
        found = _Decision(plan, evidence).next()
    longest = max(trial.seconds for trial in trials)
    if isinstance(found, Next) and elapsed_seconds + longest > plan.max_seconds:
        return evidence.answer(Ended.MAX_DURATION)
    return found


def round_rate(rate: float, precision: float) -> float:
    """Return a rate with as many digits as the precision asks for."""
    digits = 3 if precision >= 0.05 else 4
    return float(f"{rate:.{digits}g}")


class _Decision:
    """One decision: the next rate, or the answer."""

    def __init__(self, plan: Plan, evidence: Evidence) -> None:
        self._plan = plan
        self._evidence = evidence
        self._rates = evidence.rates

    def next(self) -> Next | Answer:
        """Return the next rate, or the answer."""
        splits = self._evidence.splits()
        if len(splits) > 1:
            disputed = self._rates[splits[0] : splits[-1]]
            rate = min(disputed, key=lambda one: (self._evidence.runs(one), one))
            return Next(rate, "again, because other runs contradict it")
        place = splits[0]
        if place == len(self._rates):
            return self._up()
        if place == 0:
            return self._down()
        low, high = self._rates[place - 1], self._rates[place]
        if high / low > (1 + self._plan.precision) * _SLACK:
            return Next(self._nice(math.sqrt(low * high)), f"between {low:,g} and {high:,g}")
        return self._confirm(place)

    def _up(self) -> Next | Answer:
        """Nothing failed so far."""
        highest = self._rates[-1]
        limit = self._plan.max_rate or math.inf
        if highest < limit:
            return Next(min(self._nice(2 * highest), limit), "twice the last good rate")
        return self._confirm(len(self._rates))

    def _down(self) -> Next | Answer:
        """Nothing passed so far."""
        if self._rates == [self._plan.start_rate] and self._evidence.runs(self._plan.start_rate) == 1:
            return Next(self._plan.start_rate, "again, because the first run meets cold caches")
        rate = self._nice(self._rates[0] / 2)
        if rate < self._plan.min_rate:
            is_bound = self._evidence.bounds(self._rates[0]) > 0
            return self._evidence.answer(Ended.BOUND if is_bound else Ended.NOTHING_PASSED)
        return Next(rate, "half the last rate")

    def _confirm(self, place: int) -> Next | Answer:
        """Return a run that confirms an end, or the answer when both are."""
        low = self._end(list(reversed(self._rates[:place])), True)
        if isinstance(low, Next):
            return low
        if place == len(self._rates):
            return Answer(Ended.MAX_RATE, low, None)
        high = self._end(self._rates[place:], False)
        if isinstance(high, Next):
            return high
        if low is None:
            return Answer(Ended.NOTHING_PASSED, None, high)
        if high is None:
            is_bound = self._evidence.bounds(self._rates[-1]) > 0
            return Answer(Ended.BOUND if is_bound else Ended.MAX_RATE, low, None)
        return Answer(Ended.FOUND, low, high)

    def _end(self, outwards: Sequence[float], is_low: bool) -> Next | End | None:
        """Return the confirmed end among rates in the order outwards, a run for it, or None if there is none."""
        least: float | None = None
        failed = 0
        disputed = self._evidence.disputed()
        if disputed and disputed[1] <= disputed[0] * _FAR:
            least, failed = self._step(disputed[0] if is_low else disputed[1], 1, is_low), 1
            if least is None:
                return None
        for rate in outwards:
            if least is not None and _ratio(rate, least, is_low) < 1 / _SLACK:
                continue
            if least is not None and _ratio(rate, least, is_low) > _SLACK * (1 + self._plan.precision):
                break
            if not is_low and self._evidence.bounds(rate):
                return None
            if self._evidence.agrees(rate, is_low):
                end = self._evidence.end(rate, is_low)
                why = f"a repeat, to confirm the {'good' if is_low else 'bad'} rate"
                return end if end.confirmed else Next(rate, why)
            failed += 1
            least = self._step(rate, failed, is_low)
            if least is None:
                return None
        return None if least is None else Next(least, "further out, because repeats contradict each other")

    def _step(self, rate: float, failed: int, is_low: bool) -> float | None:
        """Return the next rate outwards; None beyond what the search may try."""
        factor = min(2.0, (1 + self._plan.precision) ** failed)
        if is_low:
            down = self._nice(rate / factor)
            return down if down >= self._plan.min_rate else None
        limit = self._plan.max_rate or math.inf
        return min(self._nice(rate * factor), limit) if rate < limit else None

    def _nice(self, rate: float) -> float:
        return round_rate(rate, self._plan.precision)


def _ratio(rate: float, other: float, is_low: bool) -> float:
    """Return how much further out a rate is."""
    return other / rate if is_low else rate / other
