"""Figures of a run while it goes on: of some seconds, and of a segment as the summary will have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Any

from shardload.config.values.criteria import samples_needed
from shardload.config.values.quantities import show_nanos
from shardload.config.values.schedule import Segment
from shardload.results import histogram
from shardload.results.tail import Second


class Figures:
    """Counts and times of operations, added up.

    ``series`` is the histogram that the latencies come from: response, or service in the closed model.
    """

    def __init__(self, series: str) -> None:
        self.series = series
        self.done = self.refused = self.bad = self.dropped = self.due = 0
        self.started = self.unasked = self.on_time = self.carried_in = 0
        self.overflow = 0
        self.errors: Counter[str] = Counter()
        self.max_nanos = 0.0
        self.times: Any = None
        self.waits: Any = None

    def count(self, counted: Mapping[str, Any], has_drops: bool = True) -> None:
        """Add one transaction of one ledger line, without its dropped arrivals if they belong elsewhere."""
        self.done += int(counted.get("done", 0)) + int(counted.get("missing", 0))
        self.refused += int(counted.get("refused", 0))
        self.bad += int(counted.get("failed", 0)) + int(counted.get("unknown", 0))
        self.started += int(counted.get("started", 0))
        self.unasked += int(counted.get("unasked", 0))
        self.on_time += int(counted.get("on_time", 0))
        self.carried_in += int(counted.get("carried_in", 0))
        self.dropped += int(counted.get("dropped", 0)) if self.series == "response" and has_drops else 0
        self.max_nanos = max(self.max_nanos, float((counted.get("max_ns") or {}).get(self.series, 0)))
        self.overflow += int((counted.get("overflow") or {}).get(self.series, 0))
        self.errors.update(counted.get("errors") or {})

    def add(
        self, second: Second, segment: str | None = None, drops_of: str | None = None, transaction: str | None = None
    ) -> None:
        """Add a second, or what of it belongs to a segment or transaction; only drops of ``drops_of`` count.

        What the warm-up leaves is dropped in the first second of the next segment, and is none of its latencies.
        """
        for name, transactions in second.ledger.get("segments", {}).items():
            for own, counted in transactions.items():
                if segment in (None, name) and transaction in (None, own):
                    self.count(counted, drops_of in (None, name))
        self.due += sum(count for name, count in second.due.items() if segment in (None, name))
        for series in (self.series, "dropped"):
            for (name, own), counts in second.histograms.get(series, {}).items():
                is_wanted = segment in (None, name) and transaction in (None, own)
                if is_wanted and (series == self.series or drops_of in (None, name)):
                    self._add_times(series, counts)

    def _add_times(self, series: str, counts: Any) -> None:
        if series == "dropped":
            self.waits = counts.copy() if self.waits is None else self.waits + counts
        else:
            self.times = counts.copy() if self.times is None else self.times + counts

    @property
    def achieved(self) -> int:
        """Operations that count as done within the segment, as ``Counts.achieved`` in Java."""
        in_flight = self.started - self.bad - self.unasked - self.on_time
        return self.on_time + max(0, min(self.carried_in, in_flight))

    @property
    def answered(self) -> int:
        """Operations answered within the segment, whenever they were due, as ``Counts.answeredWithin`` in Java."""
        return self.on_time + self.carried_in

    @property
    def offered(self) -> int:
        """Arrivals that were due."""
        return max(self.due, self.started + self.dropped)

    @property
    def replied(self) -> int:
        """Operations that the target answered without an error, as ``Counts.answered`` in Java."""
        return self.done + self.refused

    @property
    def ended(self) -> int:
        """Operations that ended, with whatever outcome."""
        return self.replied + self.bad

    @property
    def samples(self) -> int:
        """Operations whose latency is known."""
        return 0 if self.times is None else int(self.times.sum())

    def percentile(self, level: float) -> tuple[float | None, bool]:
        """Return a percentile in nanoseconds, None without arrivals, and whether it is only a lower bound."""
        if not self.samples + self.dropped:
            return None, False
        times = histogram.empty() if self.times is None else self.times
        return histogram.bounded_percentile(times, level, self.dropped, self.waits, self.overflow)

    def latency(self, level: float) -> str:
        """Return a percentile, to show: ``-`` with too few samples, as the summary has null."""
        nanos, is_bound = self.percentile(level)
        if not is_bound and self.samples < samples_needed(level):
            nanos = None
        return f">= {show_nanos(nanos)}" if is_bound else show_nanos(nanos)

    @staticmethod
    def of(
        seconds: Iterable[Second], series: str, drops_of: str | None = None, transaction: str | None = None
    ) -> Figures:
        """Return the sum of some seconds, or of one transaction in them."""
        figures = Figures(series)
        for second in seconds:
            figures.add(second, drops_of=drops_of, transaction=transaction)
        return figures


class SegmentFigures:
    """Follows each segment until nothing of it is in flight any more; then its figures equal the summary's."""

    def __init__(self, segments: Iterable[Segment], series: str) -> None:
        self._series = series
        self._open: list[tuple[Segment, float, Figures]] = []
        self._heard = self._prolonged = 0.0
        end = 0.0
        for segment in segments:
            end += segment.seconds
            self._open.append((segment, end, Figures(series)))

    def hear(self, second: Second) -> list[tuple[Segment, float, Figures]]:
        """Take a second, and return the segments that ended with it, each with its length in seconds."""
        self._heard = max(self._heard, second.planned_end)
        self._prolonged = second.prolonged_seconds
        names = second.ledger.get("segments", {})
        for segment, _, figures in self._open:
            figures.add(second, segment.name)
        # In their order, although the backlog of a warm-up may end after the ramp that follows it.
        over = list(
            takewhile(lambda item: second.planned_begin >= item[1] - 1e-6 and item[0].name not in names, self._open)
        )
        del self._open[: len(over)]
        return [(segment, self._length(segment, segment.seconds), figures) for segment, _, figures in over]

    def end(self) -> list[tuple[Segment, float, Figures]]:
        """Return the segments that had begun and not ended, each with the seconds that there were of it."""
        left = []
        for segment, end, figures in self._open:
            seconds = min(segment.seconds, self._heard - (end - segment.seconds))
            if seconds > 0 and (figures.due or figures.started):
                left.append((segment, self._length(segment, seconds), figures))
        self._open = []
        return left

    def _length(self, segment: Segment, seconds: float) -> float:
        return seconds + (self._prolonged if segment.kind == "warm-up" else 0.0)
