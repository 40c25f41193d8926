"""Taurus's counter of response times, replaced by one that keeps nanoseconds.

Taurus's own keeps whole milliseconds: 40 microseconds would show as 0. Its KPISet looks the class up by its global
name, so replacing that name is enough, and everything (console, criteria, reporters) shows true figures.
"""

from __future__ import annotations

from typing import Any

import bzt.modules.aggregator as aggregator

from shardload.config.problem import Problem
from shardload.results import histogram

_NANOS_PER_SECOND = 1e9
_NANOS_PER_MILLI = 1e6


class NanosCounter(aggregator.RespTimesCounter):
    """Response times of one label, in the slots of an HdrHistogram of nanoseconds."""

    def __init__(self, low: float, high: float, sign_figures: int, perc_levels: Any = ()) -> None:
        # The parent's own histogram is never made: it is what this class replaces.
        self.low, self.high, self.sign_figures = low, high, sign_figures
        self.known_mean: float | None = None
        self.counts = histogram.empty()
        self._perc_levels = perc_levels
        self._percentiles: dict[float, float] | None = None
        self._mean: float | None = None
        self._total = 0

    def __deepcopy__(self, memo: Any) -> NanosCounter:
        new = NanosCounter(self.low, self.high, self.sign_figures, self._perc_levels)
        new.counts = self.counts.copy()
        new._total = self._total
        new._percentiles = self._percentiles
        return new

    def __len__(self) -> int:
        return self._total

    def add(self, item: float, count: int = 1) -> None:
        """Count a response time in seconds."""
        self.counts[histogram.index_of(int(item * _NANOS_PER_SECOND))] += count
        self._changed()

    def add_counts(self, counts: Any) -> None:
        """Count a whole histogram."""
        self.counts += counts
        self._changed()

    def merge(self, other: NanosCounter) -> None:
        """Add another counter."""
        self.add_counts(other.counts)

    def _changed(self) -> None:
        self._total = int(self.counts.sum())
        self._percentiles = self._mean = None

    def get_mean(self) -> float:
        """Return the mean in seconds."""
        if self._mean is None:
            self._mean = histogram.mean(self.counts) / _NANOS_PER_SECOND
        return self._mean

    def get_percentiles_dict(self) -> dict[float, float]:
        """Return milliseconds per level, as Taurus wants them."""
        if self._percentiles is None:
            levels = list(self._perc_levels)
            values = histogram.percentiles(self.counts, levels)
            self._percentiles = {level: value / _NANOS_PER_MILLI for level, value in zip(levels, values)}
        return self._percentiles

    def get_counts(self) -> dict[float, int]:
        """Return counts per milliseconds."""
        return {
            float(histogram.HIGHEST[slot]) / _NANOS_PER_MILLI: int(self.counts[slot])
            for slot in self.counts.nonzero()[0]
        }

    def get_stdev(self) -> float:
        """Return the standard deviation in seconds."""
        return histogram.deviation(self.counts) / _NANOS_PER_SECOND

    def encode(self) -> str:
        """Say that BlazeMeter's own format is not offered."""
        raise NotImplementedError("nanosecond counters are not encoded for BlazeMeter")


_divide_by_samples = aggregator.KPISet.recalculate


def _recalculate(kpis: Any) -> Any:
    """Compute the averages; Taurus divides by all samples, but only answered ones have a response time."""
    _divide_by_samples(kpis)
    times = kpis.get(kpis.RESP_TIMES, no_recalc=True)
    if times:
        kpis[kpis.AVG_RESP_TIME] = times.get_mean()
    return kpis


def install() -> None:
    """Put the counter in place of Taurus's, and see that it took."""
    aggregator.RespTimesCounter = NanosCounter
    aggregator.KPISet.recalculate = _recalculate
    probe = aggregator.KPISet(perc_levels=(50.0,))
    probe[aggregator.KPISet.RESP_TIMES].add(0.000040, 1)
    shown = probe[aggregator.KPISet.PERCENTILES].get("50.0", 0.0)
    if not 0.000039 < shown < 0.000041:
        raise Problem(f"this version of Taurus does not support nanosecond counters (40 us shows as {shown} s)")
