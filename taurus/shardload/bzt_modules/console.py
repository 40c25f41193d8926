"""The live console: a quiet block on a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bzt.engine import Reporter

from shardload.bzt_modules.hosts_view import bad_hosts, host_lines, host_text
from shardload.config.values.quantities import show_nanos, show_seconds
from shardload.config.values.schedule import Segment, segment_at, total_seconds
from shardload.processes.load import HostState
from shardload.results import histogram
from shardload.results.tail import Second
from shardload.terminal import Terminal, bar, sparkline

_PLAIN_EVERY_SECONDS = 10.0
_WINDOW_SECONDS = 10
_CHART = 40


class Figures:
    """What happened over some seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.done = self.bad = self.due = 0.0
        self.times: Any = None
        self.waits: Any = None
        self.dropped = self.overflow = 0
        self.max_nanos = 0.0

    def add(self, second: Second, series: str, length: float, due: float) -> None:
        """Add a second."""
        self.seconds += length
        self.due += due
        segments: Mapping[str, Any] = second.ledger.get("segments", {})
        for transactions in segments.values():
            for counted in transactions.values():
                self.done += int(counted.get("done", 0)) + int(counted.get("missing", 0))
                self.bad += int(counted.get("failed", 0)) + int(counted.get("unknown", 0))
                self.max_nanos = max(self.max_nanos, float((counted.get("max_ns") or {}).get(series, 0)))
                self.overflow += int((counted.get("overflow") or {}).get(series, 0))
                self.dropped += int(counted.get("dropped", 0)) if series == "response" else 0
        for counts in second.histograms.get(series, {}).values():
            self.times = counts.copy() if self.times is None else self.times + counts
        for counts in second.histograms.get("dropped", {}).values():
            self.waits = counts.copy() if self.waits is None else self.waits + counts

    def rate(self) -> float:
        """Return the transactions per second that succeeded."""
        return self.done / self.seconds if self.seconds else 0.0

    def offered(self) -> float:
        """Return the arrivals per second that were due."""
        return self.due / self.seconds if self.seconds else 0.0

    def latency(self, level: float) -> str:
        """Return a percentile, to show."""
        if self.times is None:
            return "-"
        nanos, is_bound = histogram.bounded_percentile(self.times, level, self.dropped, self.waits, self.overflow)
        return f">= {show_nanos(nanos)}" if is_bound else show_nanos(nanos)


class LiveView:
    """Turns the seconds of a run into what is shown; knows nothing of Taurus."""

    def __init__(self, terminal: Terminal, segments: Sequence[Segment], model: str) -> None:
        self._terminal = terminal
        self._segments = segments
        self._total = total_seconds(segments)
        self._series = "response" if model == "open" else "service"
        self._window: deque[tuple[Second, float, float]] = deque(maxlen=_WINDOW_SECONDS)
        self._rates: list[float] = []
        self._bad = 0.0
        self._current: Segment | None = None
        self._of_segment = Figures()
        self._plain_at = _PLAIN_EVERY_SECONDS
        self._figures: list[str] = []
        self._hosts: Sequence[HostState] = ()

    def hear(self, second: Second) -> None:
        """Take a second and show it."""
        if second.is_final:
            return
        end = second.end_seconds
        begin = float(second.ledger.get("from_ns", 0)) / 1e9
        # What is still in flight after the schedule's end is counted, but takes no part in the rates.
        length = max(0.0, min(end, self._total) - begin)
        due = float(sum(second.due.values()))
        now = Figures()
        self._fill(now, second, length, due)
        self._rates.append(now.rate())
        self._bad += now.bad
        segment = segment_at(self._segments, begin + length / 2)
        if segment is not self._current:
            self.end_segment()
            self._current = segment
        self._window.append((second, length, due))
        self._fill(self._of_segment, second, length, due)
        self._show(end)

    def show_hosts(self, states: Sequence[HostState]) -> None:
        """Show how the load hosts are doing, also while no second comes."""
        self._hosts = states
        if self._terminal.is_terminal:
            self._terminal.block([*self._figures, *host_lines(states, self._terminal)])

    def _fill(self, figures: Figures, second: Second, length: float, due: float) -> None:
        figures.add(second, self._series, length, due)

    def end_segment(self) -> None:
        """Print the line of the segment that is over."""
        if self._current and self._of_segment.seconds:
            self._terminal.line(self._row(f"{self._current.name:<9}", self._of_segment, self._of_segment.bad))
        self._of_segment = Figures()
        self._window.clear()
        self._current = None

    def _row(self, head: str, figures: Figures, bad: float) -> str:
        offered = "" if self._series == "service" else f"offered {figures.offered():8,.1f}/s  "
        errors = f"errors {bad:,.0f}"
        return (
            f"{head} {offered}achieved {figures.rate():8,.1f}/s  p50 {figures.latency(50):>8}  "
            f"p99 {figures.latency(99):>8}  max {show_nanos(figures.max_nanos or None):>8}  "
            + (self._terminal.paint(errors, "red") if bad else errors)
        )

    def _show(self, end: float) -> None:
        recent = Figures()
        for second, length, due in self._window:
            self._fill(recent, second, length, due)
        name = self._current.name if self._current else ""
        if self._terminal.is_terminal:
            self._figures = self._block(name, end, recent)
            self.show_hosts(self._hosts)
        elif end >= self._plain_at - 0.2:  # seconds end a little early or late
            self._plain_at = ((end + 0.5) // _PLAIN_EVERY_SECONDS + 1) * _PLAIN_EVERY_SECONDS
            self._terminal.line(self._row(f"{show_seconds(end):>6} {name:<9}", recent, self._bad))
            for state in bad_hosts(self._hosts):
                self._terminal.line(f"{'':>6} {host_text(state)}")

    def _block(self, name: str, end: float, recent: Figures) -> list[str]:
        paint = self._terminal.paint
        left = show_seconds(max(0.0, self._total - end))
        share = end / self._total if self._total else 1.0
        chart = sparkline(self._rates, _CHART)
        first = f"{paint(f'{name:<9}', 'bold')} {paint(bar(share, _CHART), 'cyan')} {left} left"
        offered = "" if self._series == "service" else f"offered {recent.offered():,.1f}/s  "
        second = f"{'rate':<9} {paint(chart, 'green')} {offered}achieved {recent.rate():,.1f}/s"
        errors = f"errors {self._bad:,.0f}"
        third = (
            f"{self._series:<9} p50 {recent.latency(50)}  p99 {recent.latency(99)}  "
            f"max {show_nanos(recent.max_nanos or None)}  "
        )
        return [first, second, third + (paint(errors, "red") if self._bad else errors)]


class ConsoleReporter(Reporter):
    """Taurus's view of the live console."""

    def __init__(self) -> None:
        super().__init__()
        self._view: LiveView | None = None
        self._hosts: Sequence[HostState] = ()

    def startup(self) -> None:
        """Listen to the executor's results."""
        for executor in self.engine.provisioning.executors:
            with executor.guard("the console"):
                self._view = LiveView(executor.terminal, executor.segments, executor.model)
            executor.reader.observers.append(self.hear)

    def hear(self, second: Second) -> None:
        """Show a second."""
        self._do(lambda view: view.hear(second))

    def check(self) -> bool:
        """Show how the load hosts are doing, when that is new."""
        for executor in self.engine.provisioning.executors:
            if executor.hosts is not self._hosts:
                self._hosts = executor.hosts
                self._do(lambda view: view.show_hosts(self._hosts))
        return False

    def shutdown(self) -> None:
        """Show the last segment's line; the executor has read the last second by now."""
        self._do(LiveView.end_segment)

    def _do(self, action: Callable[[LiveView], None]) -> None:
        for executor in self.engine.provisioning.executors:
            with executor.guard("the console"):
                if self._view:
                    action(self._view)
