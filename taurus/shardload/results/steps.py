"""Judging the steps while they run, so that a run can end after some have failed.

The Java side judges again, on the final figures (``results/Step.java``), by the same rules; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardload.config.values.criteria import samples_needed
from shardload.config.values.quantities import show_nanos
from shardload.config.values.schedule import Segment
from shardload.results import histogram
from shardload.results.tail import Second

# What is still in flight when a step ends is counted with the seconds that follow.
_GRACE_SECONDS = 1.5
_REACHED_PERCENT = 98
_LEVEL = 99


@dataclass
class _Step:
    end: float
    is_open: bool
    due: int = 0
    on_time: int = 0
    carried_in: int = 0
    unasked: int = 0
    started: int = 0
    dropped: int = 0
    bad: int = 0
    overflow: int = 0
    times: Any = None
    waits: Any = None
    max_nanos: int | None = None

    def add(self, counted: Mapping[str, Any], series: str) -> None:
        self.on_time += int(counted.get("on_time", 0))
        self.carried_in += int(counted.get("carried_in", 0))
        self.unasked += int(counted.get("unasked", 0))
        self.overflow += int((counted.get("overflow") or {}).get(series, 0))
        self.started += int(counted.get("started", 0))
        self.dropped += int(counted.get("dropped", 0))
        self.bad += int(counted.get("failed", 0)) + int(counted.get("unknown", 0))
        largest = (counted.get("max_ns") or {}).get(series)
        if largest is not None:
            self.max_nanos = max(self.max_nanos or 0, int(largest))

    def add_times(self, counts: Any) -> None:
        self.times = counts.copy() if self.times is None else self.times + counts

    def add_waits(self, counts: Any) -> None:
        self.waits = counts.copy() if self.waits is None else self.waits + counts

    @property
    def offered(self) -> int:
        return max(self.due, self.started + self.dropped)

    @property
    def achieved(self) -> int:
        """As ``Counts.achieved`` in Java: in flight at the end counts as far as the step found as much in flight."""
        in_flight = self.started - self.bad - self.unasked - self.on_time
        return self.on_time + max(0, min(self.carried_in, in_flight))


class StepJudge:
    """Says when so many steps have failed in a row that going on makes no sense.

    A step has failed when fewer than 98 % of its arrivals were done in time, or when errors or the p99 of the
    response time (closed model: service time) were over the limits.
    """

    def __init__(self, segments: Sequence[Segment], limits: Mapping[str, float], allowed: int | None) -> None:
        self._limits = limits
        self._allowed = allowed
        self._steps: dict[str, _Step] = {}
        self._in_a_row = 0
        self.failed: list[str] = []
        end = 0.0
        for segment in segments:
            end += segment.seconds
            if segment.kind == "step":
                self._steps[segment.name] = _Step(end, segment.from_rate is not None)

    def hear(self, second: Second) -> None:
        """Take a second."""
        for name, count in second.due.items():
            if name in self._steps:
                self._steps[name].due += count
        for name, transactions in second.ledger.get("segments", {}).items():
            step = self._steps.get(name)
            if step:
                for counted in transactions.values():
                    step.add(counted, _series(step))
        for series, histograms in second.histograms.items():
            for (name, _), counts in histograms.items():
                step = self._steps.get(name)
                if step and series == _series(step):
                    step.add_times(counts)
                elif step and series == "dropped":
                    step.add_waits(counts)
        self._judge(second.end_seconds)

    def _judge(self, now: float) -> None:
        for name in [name for name, step in self._steps.items() if now >= step.end + _GRACE_SECONDS]:
            why = self._fault(self._steps.pop(name))
            if why:
                self._in_a_row += 1
                self.failed.append(f"{name}: {why}")
            else:
                self._in_a_row = 0

    def _fault(self, step: _Step) -> str | None:
        if step.is_open and step.achieved * 100 < step.offered * _REACHED_PERCENT:
            return f"{step.achieved} of {step.offered} arrivals done in time"
        errors = self._limits.get("errors_percent")
        if errors is not None and step.started and 100 * step.bad / step.started > errors:
            return f"{100 * step.bad / step.started:.2f} % errors"
        limit = self._limits.get("p99_ms")
        return None if limit is None else _slow(step, limit)

    @property
    def has_enough(self) -> bool:
        """Whether the allowed number of steps in a row has failed."""
        return self._allowed is not None and self._in_a_row >= self._allowed


def _series(step: _Step) -> str:
    return "response" if step.is_open else "service"


def _slow(step: _Step, limit_ms: float) -> str | None:
    """Say why the p99 of a step is over the limit; without enough samples the maximum is used."""
    times = histogram.empty() if step.times is None else step.times
    dropped = step.dropped if step.is_open else 0
    p99, is_bound = histogram.bounded_percentile(times, _LEVEL, dropped, step.waits, step.overflow)
    count = int(times.sum())
    # No percentile exceeds the maximum, but one among dropped arrivals does.
    is_below_maximum = step.max_nanos is not None and histogram.rank(_LEVEL, count + dropped) <= count
    if step.max_nanos is not None and is_below_maximum and step.max_nanos <= limit_ms * 1e6:
        return None
    if is_bound:
        return f"p99 is at least {show_nanos(p99)}"
    needed = samples_needed(_LEVEL)
    if count < needed:
        return f"p99 unknown, not enough samples: {count} of {needed:.0f}"
    return f"p99 {min(p99, step.max_nanos or p99) / 1e6:.1f} ms" if p99 > limit_ms * 1e6 else None
