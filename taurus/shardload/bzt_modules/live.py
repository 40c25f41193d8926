"""The seconds of a run as Taurus's data points, without ever reading a line per sample."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from bzt.modules.aggregator import DataPoint, KPISet, ResultsProvider

from shardload.results.tail import LiveTail, Second

WARM_UP = "warm-up"
OVERALL = ""
_REMEMBERED_SECONDS = 120


class LiveResults(ResultsProvider):
    """Follows one stream second by second; the warm-up stays out of Taurus's results.

    ``observers`` hear every second, the warm-up too: the console and the judge of the steps. ``guard`` is around all
    reading.
    """

    def __init__(
        self,
        tail: LiveTail,
        model: str,
        warm_up_seconds: float = 0.0,
        total_seconds: float = float("inf"),
    ) -> None:
        super().__init__()
        self._warm_up_seconds = warm_up_seconds
        self._total_seconds = total_seconds
        self.series = "response" if model == "open" else "service"
        self.observers: list[Callable[[Second], None]] = []
        self.guard: Callable[[], AbstractContextManager[None]] = nullcontext
        self.final: dict[str, Any] | None = None
        self.last_heard: float | None = None
        self._oldest_unfinished: dict[int, float] = {}
        self._tail = tail
        self._seen: set[str] = set()
        self._base_timestamp: int | None = None
        self._last_timestamp = 0

    def _calculate_datapoints(self, final_pass: bool = False) -> Iterator[DataPoint]:
        with self.guard():
            yield from self._points()

    def _points(self) -> Iterator[DataPoint]:
        for second in self._tail.read():
            self.last_heard = time.monotonic()
            for observer in self.observers:
                observer(second)
            if second.is_final:
                self.final = second.ledger
                self.last_heard = float("inf")  # nothing follows: its generator may wait for who reads its metrics
            elif self._tells_something(second):
                yield self._point(second)

    def _tells_something(self, second: Second) -> bool:
        """Whether a second belongs to the results.

        A second without activity belongs to them, because a stalled target must not look like a missing one. Seconds
        before the results began and after the schedule's end do not.
        """
        if set(second.ledger.get("segments", {})) - {WARM_UP}:
            return True
        end = second.end_seconds
        return self._warm_up_seconds < end - 0.5 and end <= self._total_seconds + 0.5

    def _point(self, second: Second) -> DataPoint:
        point = DataPoint(self._timestamp(second), self.track_percentiles)
        point[DataPoint.SOURCE_ID] = "shardload"
        self._oldest_unfinished = {
            **dict(list(self._oldest_unfinished.items())[-_REMEMBERED_SECONDS:]),
            point[DataPoint.TIMESTAMP]: second.oldest_unfinished_seconds,
        }
        sets: dict[str, KPISet] = {label: self._new_set() for label in sorted(self._seen)}
        overall = self._new_set()
        self._add_second(sets, second)
        overall.add_concurrency(int(second.ledger.get("workers", 0)), "shardload")
        for kpis in sets.values():
            overall.merge_kpis(kpis)
        overall.recalculate()
        sets[OVERALL] = overall
        point[DataPoint.CURRENT] = sets
        return point

    def oldest_unfinished_seconds(self, timestamp: int) -> float:
        """Return how long the oldest unfinished arrival had been due at the end of a recent data point's second."""
        return self._oldest_unfinished.get(timestamp, 0.0)

    def _timestamp(self, second: Second) -> int:
        """Return the wall second of a ledger second; never the same one twice."""
        if self._base_timestamp is None:
            start = int(second.ledger.get("epoch_ms", 0)) / 1000 or time.time()
            self._base_timestamp = int(start - second.end_seconds)
        stamp = self._base_timestamp + round(second.end_seconds)
        self._last_timestamp = max(stamp, self._last_timestamp + 1)
        return self._last_timestamp

    def _new_set(self) -> KPISet:
        return KPISet(perc_levels=self.track_percentiles)

    def _add_second(self, sets: dict[str, KPISet], second: Second) -> None:
        for segment, transactions in second.ledger.get("segments", {}).items():
            if segment == WARM_UP:
                continue
            for name, counted in transactions.items():
                self._seen.add(name)
                add_ledger(sets.setdefault(name, self._new_set()), counted)
        for (segment, name), counts in second.histograms.get(self.series, {}).items():
            if segment != WARM_UP:
                self._seen.add(name)
                _add_times(sets.setdefault(name, self._new_set()), counts)
        for kpis in sets.values():
            kpis.recalculate()


def add_ledger(kpis: KPISet, counted: Mapping[str, Any]) -> None:
    """Add one transaction's ledger entry to Taurus's figures."""
    good = int(counted.get("done", 0)) + int(counted.get("missing", 0))
    bad = int(counted.get("failed", 0)) + int(counted.get("unknown", 0))
    kpis[KPISet.SAMPLE_COUNT] += good + bad
    kpis[KPISet.SUCCESSES] += good
    kpis[KPISet.FAILURES] += bad
    # Kinds of errors alone: criteria such as rc* mean these, during the run and in the final judgement.
    for kind, count in (counted.get("errors") or {}).items():
        kpis[KPISet.RESP_CODES][str(kind)] += int(count)
        item = KPISet.error_item_skel(str(kind), str(kind), int(count), KPISet.ERRTYPE_ERROR, Counter(), None)
        KPISet.inc_list(kpis[KPISet.ERRORS], ("msg", str(kind)), item)


def _add_times(kpis: KPISet, counts: Any) -> None:
    kpis[KPISet.RESP_TIMES].add_counts(counts)
