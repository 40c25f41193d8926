"""Judging the steps while they run, so that a run can end after some have failed.

The Java side judges again, on the final figures (``results/Step.java``), by the same rules; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shardload.config.values.criteria import samples_needed
from shardload.config.values.quantities import show_nanos
from shardload.config.values.schedule import Segment
from shardload.results import histogram
from shardload.results.figures import Figures
from shardload.results.tail import Second

# What is still in flight when a step ends is counted with the seconds that follow.
_GRACE_SECONDS = 1.5
_REACHED_PERCENT = 98
_MOST_REFUSED_PERCENT = 50
_LEVEL = 99


class StepJudge:
    """Says when so many steps have failed in a row that going on makes no sense.

    A step has failed when fewer than 98 % of its arrivals were answered in time, when errors or the p99 of the
    response time (closed model: service time) were over the limits, or when over half of its calls were refused.
    """

    def __init__(self, segments: Sequence[Segment], limits: Mapping[str, float], allowed: int | None) -> None:
        self._limits = limits
        self._allowed = allowed
        self._steps: dict[str, tuple[float, Figures]] = {}
        self._in_a_row = 0
        self.failed: list[str] = []
        end = 0.0
        for segment in segments:
            end += segment.seconds
            if segment.kind == "step":
                self._steps[segment.name] = end, Figures("service" if segment.from_rate is None else "response")

    def hear(self, second: Second) -> None:
        """Take a second."""
        for name, (_, step) in self._steps.items():
            step.add(second, name)
        over = [name for name, (end, _) in self._steps.items() if second.planned_end >= end + _GRACE_SECONDS]
        for name in over:
            why = self._fault(self._steps.pop(name)[1])
            self._in_a_row = self._in_a_row + 1 if why else 0
            if why:
                self.failed.append(f"{name}: {why}")

    def _fault(self, step: Figures) -> str | None:
        if step.series == "response" and step.achieved * 100 < step.offered * _REACHED_PERCENT:
            return f"{step.achieved} of {step.offered} arrivals done in time"
        errors = self._limits.get("errors_percent")
        if errors is not None and step.started and 100 * step.bad / step.started > errors:
            return f"{100 * step.bad / step.started:.2f} % errors"
        if 100 * step.refused > step.started * _MOST_REFUSED_PERCENT:
            return f"{100 * step.refused / step.started:.0f} % refused"
        limit = self._limits.get("p99_ms")
        return None if limit is None else _slow(step, limit * 1e6)

    @property
    def has_enough(self) -> bool:
        """Whether the allowed number of steps in a row has failed."""
        return self._allowed is not None and self._in_a_row >= self._allowed


def _slow(step: Figures, limit_nanos: float) -> str | None:
    """Say why the p99 of a step is over the limit; without enough samples the maximum is used."""
    # No percentile exceeds the maximum, but one among dropped arrivals does.
    is_below_maximum = histogram.rank(_LEVEL, step.samples + step.dropped) <= step.samples
    if is_below_maximum and 0 < step.max_nanos <= limit_nanos:
        return None
    p99, is_bound = step.percentile(_LEVEL)
    if is_bound:
        return f"p99 is at least {show_nanos(p99)}"
    needed = samples_needed(_LEVEL)
    if p99 is None or step.samples < needed:
        return f"p99 unknown, not enough samples: {step.samples:,} of {needed:,.0f}"
    p99 = min(p99, step.max_nanos or p99)
    return f"p99 {p99 / 1e6:.1f} ms" if p99 > limit_nanos else None
