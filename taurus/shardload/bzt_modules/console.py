"""The live console: a quiet block on a terminal, a line every ten seconds elsewhere, JSON for other programs."""

from __future__ import annotations

import json
import shutil
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import TextIO

from bzt.engine import Reporter

from shardload.config.invocation import find
from shardload.config.values.quantities import show_nanos, show_seconds
from shardload.config.values.schedule import Segment, segment_at, total_seconds
from shardload.processes.load import HostState
from shardload.results.figures import Figures, SegmentFigures
from shardload.results.tail import Second
from shardload.terminal import Terminal, bar, cut, sparkline

_PLAIN_EVERY_SECONDS = 10.0
_WINDOW_SECONDS = 10
_CHART = 40
_WIDE = 100
# Columns of names, rates and times; a narrow terminal has room for all figures only with fewer of them.
_NAME = 9
_LONGEST_NAME = 12
_COLUMNS = {True: (24, 8, "  "), False: (18, 7, " ")}
# From this share of the offered arrivals on, what was answered late has a line of its own.
_NOTABLE = 0.01
# More load hosts are shown only where something is wrong with them.
_ALL_UP_TO = 8
# Rows of the terminal that are not for load hosts.
_OTHER_ROWS = 6
# What gives lines that change.
Lines = Callable[[], "list[str]"]
_COLOURS = {"failed": "red", "lost": "red"}


class View:
    """What shows the seconds of a run; this one shows nothing."""

    def hear(self, second: Second) -> None:
        """Take a second and show it."""

    def show_hosts(self, states: Sequence[HostState]) -> None:
        """Show how the load hosts are doing, also while no second comes."""

    def end(self) -> None:
        """Show what is left when no second follows."""


class LiveView(View):
    """Shows a run to people; knows nothing of Taurus.

    All figures of a line cover the same time: the last ten seconds of the current segment, or a whole segment. Only
    backlog and workers show the moment. With ``above``, the lines above the block, no line stays: the run is
    one of several.
    """

    def __init__(self, terminal: Terminal, segments: Sequence[Segment], model: str, above: Lines | None = None) -> None:
        self._terminal, self._above = terminal, above
        self._in_calls, self._now, self._prolonged = 0, "", ""
        self._segments = segments
        self._total = total_seconds(segments)
        self._series = "response" if model == "open" else "service"
        self._ended = SegmentFigures(segments, self._series)
        self._window: deque[tuple[Second, float]] = deque(maxlen=_WINDOW_SECONDS)
        self._rates: list[float] = []
        self._current: Segment | None = None
        self._plain_at = _PLAIN_EVERY_SECONDS
        self._figures: list[str] = []
        self._hosts: Sequence[HostState] = ()
        longest = max([_NAME, *(len(segment.name) for segment in segments)])
        self._name_width = longest if self._is_wide else min(_LONGEST_NAME, longest)

    def hear(self, second: Second) -> None:
        """Take a second and show it."""
        if second.is_final:
            return
        end, begin = second.planned_end, second.planned_begin
        # What is still in flight after the schedule's end is counted, but takes no part in the rates.
        length = max(0.0, min(second.seconds, self._total - begin))
        alone = Figures.of([second], self._series)
        self._rates.append(alone.replied / length if length else 0.0)
        self._in_calls += alone.started - alone.ended
        workers, backlog = (int(second.ledger.get(key, 0)) for key in ("workers", "backlog"))
        if workers:
            waiting = f"backlog {backlog:,}, " if self._series == "response" else ""
            self._now = f"{waiting}workers {max(0, self._in_calls):,}/{workers:,}"
        for item in self._ended.hear(second):
            self._show_segment(*item)
        segment = segment_at(self._segments, (begin + min(end, max(begin, self._total))) / 2)
        if segment is not self._current:
            self._current = segment
            self._window.clear()
        self._window.append((second, length))
        self._show_prolonged(second)
        self._show(second.end_seconds, end)

    def _show_prolonged(self, second: Second) -> None:
        """Say that the warm-up goes on, in the block while it does; elsewhere when that begins."""
        was, self._prolonged = self._prolonged, prolonged_text(second)
        if self._prolonged and not was and not self._above and not self._terminal.is_terminal:
            self._terminal.line(f"{show_seconds(second.end_seconds):>6} {self._prolonged}")

    def show_hosts(self, states: Sequence[HostState]) -> None:
        """Show how the load hosts are doing, also while no second comes."""
        self._hosts = states
        if self._terminal.is_terminal:
            self._terminal.block([*self._figures, *host_lines(states, self._terminal)])

    def end(self) -> None:
        """Print the lines of segments that had no line yet."""
        for item in self._ended.end():
            self._show_segment(*item)

    def _show_segment(self, segment: Segment, seconds: float, figures: Figures) -> None:
        if self._above:
            return
        self._terminal.line(self._row(self._named(segment.name), figures.achieved, figures.offered, seconds, figures))
        late = abs(figures.answered - figures.achieved)
        if self._series == "response" and seconds and late > _NOTABLE * figures.offered:
            self._terminal.line(f"{self._named('')} answered {figures.answered / seconds:,.1f}/s, whenever due")

    def _named(self, name: str) -> str:
        return f"{cut(name, self._name_width):<{self._name_width}}"

    @property
    def _is_wide(self) -> bool:
        return not self._terminal.is_terminal or self._terminal.width >= _WIDE

    def _row(self, head: str, achieved: int, offered: int, seconds: float, figures: Figures) -> str:
        rate, time, gap = _COLUMNS[self._is_wide]
        times = {"p50": figures.latency(50), "p99": figures.latency(99), "max": show_nanos(figures.max_nanos or None)}
        return gap.join([
            f"{head} {self._rate(achieved, offered, seconds):<{rate}}",
            *(f"{name} {shown:>{time}}" for name, shown in times.items()),
            self._errors(figures),
        ])  # fmt: skip

    def _rate(self, achieved: int, offered: int, seconds: float) -> str:
        """Return the achieved rate, and in the open model the offered rate too."""
        if not seconds:
            return "-"
        is_short = not self._is_wide and offered >= 1000 * seconds
        done, due = (f"{count / seconds:,.{0 if is_short else 1}f}" for count in (achieved, offered))
        return f"{done}/s" if self._series == "service" else f"{done} of {due}/s"

    def _errors(self, figures: Figures) -> str:
        refused = f"refused {figures.refused:,}  " if figures.refused else ""
        errors = f"errors {figures.bad:,}"
        return refused + (self._terminal.paint(errors, "red") if figures.bad else errors)

    def _show(self, end: float, planned_end: float) -> None:
        name = self._current.name if self._current else ""
        recent = Figures.of((second for second, _ in self._window), self._series, drops_of=name or None)
        seconds = sum(length for _, length in self._window)
        if self._terminal.is_terminal:
            self._figures = self._block(name, planned_end, recent, seconds)
            self.show_hosts(self._hosts)
        elif end >= self._plain_at - 0.2:  # seconds end a little early or late
            self._plain_at = ((end + 0.5) // _PLAIN_EVERY_SECONDS + 1) * _PLAIN_EVERY_SECONDS
            head = f"{show_seconds(end):>6} {self._named(name)}"
            self._terminal.line(
                self._row(head, recent.replied, recent.due, seconds, recent) + f"  {self._now}".rstrip()
            )
            for state in bad_hosts(self._hosts):
                self._terminal.line(f"{'':>6} {_host_line(state, len(state.host))}")

    def _block(self, name: str, end: float, recent: Figures, seconds: float) -> list[str]:
        paint = self._terminal.paint
        rate = self._rate(recent.replied, recent.due, seconds)
        left = f"{show_seconds(max(0.0, self._total - end))} left"
        # Both charts are as wide, and end before the longer of the two texts.
        chart = max(10, min(_CHART, self._terminal.width - 3 - self._name_width - max(len(rate), len(left))))
        share = end / self._total if self._total else 1.0
        first = f"{paint(self._named(name), 'bold')} {paint(bar(share, chart), 'cyan')} {left}"
        second = f"{self._named('rate')} {paint(f'{sparkline(self._rates, chart):<{chart}}', 'green')} {rate}"
        third = (
            f"{self._named(self._series)} p50 {recent.latency(50)}  p99 {recent.latency(99)}  "
            f"max {show_nanos(recent.max_nanos or None)}  "
        )
        lines = [*(self._above() if self._above else []), first, second, third + self._errors(recent)]
        if self._now:
            lines.append(f"{self._named('now')} {self._now}")
        return [*lines, self._prolonged] if self._prolonged else lines


def prolonged_text(second: Second) -> str:
    """Say until when the warm-up is prolonged and why; nothing once it is over."""
    until = float(second.ledger.get("warm_up_ns", 0)) / 1e9
    if second.end_seconds >= until:
        return ""
    share = float(second.ledger.get("jit_percent", 0))
    return f"warm-up prolonged to {show_seconds(until)}: the JIT compiler takes {share:.0f} % of the generator's CPU"


class JsonView(View):
    """Prints a line of JSON per second, for other programs."""

    def __init__(self, stream: TextIO, segments: Sequence[Segment], model: str) -> None:
        self._stream = stream
        self._segments = segments
        self._total = total_seconds(segments)
        self._series = "response" if model == "open" else "service"

    def hear(self, second: Second) -> None:
        """Print a second."""
        if second.is_final:
            return
        end = second.end_seconds
        begin = float(second.ledger.get("from_ns", 0)) / 1e9
        planned_begin, planned_end = second.planned_begin, second.planned_end
        segment = segment_at(self._segments, (planned_begin + min(planned_end, max(planned_begin, self._total))) / 2)
        figures = Figures.of([second], self._series, drops_of=segment.name if segment else None)
        p50, _ = figures.percentile(50)
        p99, is_bound = figures.percentile(99)
        line = {
            "type": "second",
            "from_seconds": round(begin, 3),
            "to_seconds": round(end, 3),
            "left_seconds": round(max(0.0, self._total - planned_end), 3),
            "segment": segment.name if segment else None,
            "due": figures.due,
            "done": figures.done,
            "refused": figures.refused,
            "errors": figures.bad,
            "dropped": Figures.of([second], self._series).dropped,
            f"{self._series}_p50_ns": p50,
            f"{self._series}_p99_ns": None if is_bound else p99,
            f"{self._series}_p99_at_least_ns": p99 if is_bound else None,
            f"{self._series}_max_ns": figures.max_nanos or None,
        }
        print(json.dumps(line), file=self._stream, flush=True)


def view_of(terminal: Terminal, segments: Sequence[Segment], model: str, console: str) -> View:
    """Return the view that was asked for: live, quiet or json."""
    if console == "json":
        return JsonView(sys.stdout, segments, model)
    return View() if console == "quiet" else LiveView(terminal, segments, model)


class ConsoleReporter(Reporter):
    """Taurus's view of the live console."""

    def __init__(self) -> None:
        super().__init__()
        self._view: View | None = None
        self._hosts: Sequence[HostState] = ()

    def startup(self) -> None:
        """Listen to the executor's results."""
        for executor in self.engine.provisioning.executors:
            with executor.guard("the console"):
                self._view = view_of(executor.terminal, executor.segments, executor.model, find().console)
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
        self._do(lambda view: view.end())

    def _do(self, action: Callable[[View], None]) -> None:
        for executor in self.engine.provisioning.executors:
            with executor.guard("the console"):
                if self._view:
                    action(self._view)


def host_lines(states: Sequence[HostState], terminal: Terminal) -> list[str]:
    """Return the lines: of every load host where they are few, else of those that are not well."""
    shown = list(states) if len(states) <= _ALL_UP_TO else bad_hosts(states)
    if not shown:
        return [f"hosts     {len(states)}, all well"] if states else []
    room = max(1, shutil.get_terminal_size((100, 30)).lines - _OTHER_ROWS)
    width = max(len(state.host) for state in shown)
    lines = [_painted(state, _host_line(state, width)[: terminal.width - 1], terminal) for state in shown[:room]]
    more = len(shown) - len(lines)
    if more:
        lines.append(f"hosts     {more} more need attention" if len(states) > _ALL_UP_TO else f"hosts     {more} more")
    return lines


def bad_hosts(states: Sequence[HostState]) -> list[HostState]:
    """Return those that are not well, the lost ones first."""
    return sorted(
        (state for state in states if not state.is_well), key=lambda state: (not state.is_lost, state.generator)
    )


def _host_line(state: HostState, width: int) -> str:
    figures = state.figures
    head = f"host {state.generator:<4} {state.host:<{width}}  {state.state:<8}"
    if state.is_lost:
        return f"{head} silent for {figures['silent_seconds']:.0f} s"
    return (
        f"{head} {figures['rate']:9,.1f}/s  CPU {figures['cpu_percent']:3.0f} %  GC {figures['gc_percent']:4.1f} %  "
        f"hiccup {figures['hiccup_p99_ms']:5.1f} ms  lag {figures['lag_seconds']:4.1f} s  "
        f"clock {figures['clock_offset_ms']:+.1f} ms"
    )


def _painted(state: HostState, text: str, terminal: Terminal) -> str:
    colour = _COLOURS.get(state.state) or (None if state.is_well else "yellow")
    return terminal.paint(text, colour) if colour else text
