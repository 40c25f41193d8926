"""The seconds of a run for all who follow it, and the sum of them for Taurus's reporters."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from bzt.modules.aggregator import DataPoint, KPISet

from shardload.results import histogram
from shardload.results.figures import Figures
from shardload.results.tail import LiveTail, Second

WARM_UP = "warm-up"
_OVERALL = ""


class LiveResults:
    """Follows one stream second by second.

    ``observers`` hear every second: the console and the judge of the steps. ``judges`` hear the seconds of the results,
    without what belongs to the warm-up, each with its own whole second of the clock. ``guard`` is around all reading.
    """

    def __init__(
        self,
        tail: LiveTail,
        model: str,
        warm_up_seconds: float = 0.0,
        total_seconds: float = float("inf"),
    ) -> None:
        self._warm_up_seconds = warm_up_seconds
        self._total_seconds = total_seconds
        self.series = "response" if model == "open" else "service"
        self.observers: list[Callable[[Second], None]] = []
        self.judges: list[Callable[[int, Second], None]] = []
        self.guard: Callable[[], AbstractContextManager[None]] = nullcontext
        self.final: dict[str, Any] | None = None
        self.last_heard: float | None = None
        self.prolonged_seconds = 0.0
        self._tail = tail
        self._sums: dict[str, Figures] = {}
        self._workers = 0
        self._base_timestamp: int | None = None
        self._last_timestamp = 0

    def points(self, levels: Sequence[float], is_over: bool = False) -> Iterator[DataPoint]:
        """Read what is new, and return an empty point per second of the results; once all is over, one with the sums.

        Taurus would add up points in whole milliseconds, where 40 microseconds are 0. ``levels`` are the percentiles.
        """
        with self.guard():
            for second in self._tail.read():
                self.last_heard = time.monotonic()
                self.prolonged_seconds = second.prolonged_seconds
                for observer in self.observers:
                    observer(second)
                results = second.without(WARM_UP)
                if second.is_final:
                    self.final = second.ledger
                    self.last_heard = float("inf")  # nothing follows: its generator may wait for who reads its metrics
                elif self._tells_something(results):
                    yield DataPoint(self._take(results))
            if is_over and self._last_timestamp:
                point = DataPoint(self._last_timestamp)
                sums = {name: figures for name, figures in self._sums.items() if figures.ended}
                point[DataPoint.CUMULATIVE] = {name: _kpis(figures, levels) for name, figures in sums.items()}
                for name, kpis in point[DataPoint.CUMULATIVE].items():
                    kpis[KPISet.CONCURRENCY] = self._workers if name == _OVERALL else 0
                yield point

    def _tells_something(self, results: Second) -> bool:
        """Whether a second belongs to the results.

        A second without activity belongs to them, because a stalled target must not look like a missing one. Seconds
        before the results began and after the schedule's end do not.
        """
        if results.ledger["segments"]:
            return True
        end = results.planned_end
        return self._warm_up_seconds < end - 0.5 and end <= self._total_seconds + 0.5

    def _take(self, results: Second) -> int:
        """Add a second up, have it judged, and return its second of the clock; never the same one twice."""
        if self._base_timestamp is None:
            start = int(results.ledger.get("epoch_ms", 0)) / 1000 or time.time()
            self._base_timestamp = int(start - results.end_seconds)
        stamp = self._base_timestamp + round(results.end_seconds)
        self._last_timestamp = max(stamp, self._last_timestamp + 1)
        self._workers = max(self._workers, int(results.ledger.get("workers", 0)))
        names = {name for transactions in results.ledger["segments"].values() for name in transactions}
        for name in (_OVERALL, *names):
            self._sums.setdefault(name, Figures(self.series)).add(results, transaction=name or None)
        for judge in self.judges:
            judge(self._last_timestamp, results)
        return self._last_timestamp


def _kpis(figures: Figures, levels: Sequence[float]) -> KPISet:
    """Return figures as Taurus's reporters read them, in seconds; nan for a percentile that is only a lower bound."""
    kpis = KPISet(levels)
    kpis[KPISet.SAMPLE_COUNT] = figures.ended
    kpis[KPISet.SUCCESSES] = figures.replied
    kpis[KPISet.FAILURES] = figures.bad
    for kind, count in figures.errors.items():
        kpis[KPISet.RESP_CODES][kind] = count
        kpis[KPISet.ERRORS].append(KPISet.error_item_skel(kind, kind, count, KPISet.ERRTYPE_ERROR, Counter(), None))
    if figures.samples:
        kpis[KPISet.AVG_RESP_TIME] = histogram.mean(figures.times) / 1e9
        kpis[KPISet.STDEV_RESP_TIME] = histogram.deviation(figures.times) / 1e9
        found = {str(float(level)): figures.percentile(level) for level in levels}
        kpis[KPISet.PERCENTILES] = {
            level: float("nan") if is_bound or nanos is None else nanos / 1e9
            for level, (nanos, is_bound) in found.items()
        }
    return kpis
