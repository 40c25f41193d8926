"""Judging the steps while they run, so that a run can end after some have failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardload.config.schedule import CAPACITY_SHARE, Segment
from shardload.results import histogram
from shardload.results.tail import Second

_GRACE_SECONDS = 1.5


@dataclass
class _Step:
    end: float
    expected: float
    on_time: int = 0
    started: int = 0
    bad: int = 0
    times: Any = None


class StepJudge:
    """Says when so many steps have failed in a row that going on makes no sense.

    A step has failed when fewer than 98 % of its arrivals were done within it, or when errors or the p99 of the
    response time were over the limits. The report judges again, on the final figures.
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
                self._steps[segment.name] = _Step(end, segment.expected_arrivals or 0.0)

    def hear(self, second: Second) -> None:
        """Take a second of a generator."""
        for name, transactions in second.ledger.get("segments", {}).items():
            step = self._steps.get(name)
            if step:
                for counted in transactions.values():
                    step.on_time += int(counted.get("on_time", 0))
                    step.started += int(counted.get("started", 0))
                    step.bad += int(counted.get("failed", 0)) + int(counted.get("unknown", 0))
        for series in ("response", "service"):
            # The closed model has no response; each model is judged by what it has.
            for (name, _), counts in second.histograms.get(series, {}).items():
                step = self._steps.get(name)
                if step and (series == "response" or not step.expected):
                    step.times = counts.copy() if step.times is None else step.times + counts
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
        if step.expected and step.on_time < CAPACITY_SHARE * step.expected:
            return f"{step.on_time} of {step.expected:.0f} arrivals done in time"
        errors = self._limits.get("errors_percent")
        if errors is not None and step.started and 100 * step.bad / step.started > errors:
            return f"{100 * step.bad / step.started:.2f} % errors"
        limit = self._limits.get("p99_ms")
        if limit is not None and step.times is not None:
            p99 = histogram.percentile(step.times, 99) / 1e6
            if p99 > limit:
                return f"p99 {p99:.1f} ms"
        return None

    @property
    def has_enough(self) -> bool:
        """Whether the allowed number of steps in a row has failed."""
        return self._allowed is not None and self._in_a_row >= self._allowed
