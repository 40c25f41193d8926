"""All that a dry run found out, and how people read it: in 80 columns, or as many as there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from shardload.config.effective import Checked
from shardload.config.values.quantities import show_seconds
from shardload.config.values.schedule import Segment, total_seconds
from shardload.terminal import Terminal
from shardload.verbs.dry.configuration import Value
from shardload.verbs.dry.data import Data
from shardload.verbs.dry.plan import LOADED_PER_SECOND, VERIFIED_PER_SECOND, Samples, Times, arrivals_of, search_runs

_WIDEST = 120
_ORIGIN_AT = 42
_CLOSED = "as many as the workers achieve"
_NO_LIMITS = "the run passes whatever its latencies are"


def show(rehearsal: Rehearsal, terminal: Terminal) -> None:
    """Print it."""
    width = min(terminal.width, _WIDEST) - 1
    shown = _short_names(rehearsal)
    given = [source for source in rehearsal.checked.merged.sources if not source.is_extended]
    for number, source in enumerate(given):
        terminal.line(f"{'files' if number == 0 else '':<9}{source.shown}")
    terminal.line()
    for row, value in rehearsal.rows:
        for line in _with_origin(row, "" if value is None else _origin(value, shown), width, terminal):
            terminal.line(line)
    if rehearsal.other_scenarios:
        terminal.line(terminal.paint(f"# {rehearsal.other_scenarios} other scenarios are not used", "dim"))
    for lines in (_plan(rehearsal), _samples(rehearsal, width), _data(rehearsal), _time(rehearsal)):
        terminal.line()
        for line in lines:
            terminal.line(terminal.paint(line, "yellow") if "TOO FEW" in line else line)
    for warning in rehearsal.checked.warnings:
        terminal.line(terminal.paint(f"\nwarning: {warning}", "yellow"))
    terminal.line(terminal.paint("\nnothing was started and nothing was written: --dry-run", "bold"))


def _short_names(rehearsal: Rehearsal) -> dict[str, str]:
    """Return the files by their names alone, where these tell them apart."""
    files = [source.shown for source in rehearsal.checked.merged.sources]
    names = [PurePath(file).name for file in files]
    return {file: name if names.count(name) == 1 else file for file, name in zip(files, names)}


def _origin(value: Value, shown: dict[str, str]) -> str:
    if value.file is None:
        return value.origin
    name = shown.get(value.file, value.file)
    return name if value.line is None else f"{name}:{value.line}"


def _with_origin(row: str, origin: str, width: int, terminal: Terminal) -> Iterator[str]:
    """Yield a line with its origin to the right of it, or below where both are too wide."""
    if not origin:
        yield row
        return
    comment = f"# {origin}"
    if len(row) + 2 + len(comment) <= width:
        at = max(len(row) + 2, min(_ORIGIN_AT, width - len(comment)))
        yield row + " " * (at - len(row)) + terminal.paint(comment, "dim")
        return
    yield row
    yield " " * max(0, min(_ORIGIN_AT, width - len(comment))) + terminal.paint(comment, "dim")


def _plan(rehearsal: Rehearsal) -> Iterator[str]:
    load = rehearsal.checked.load
    assert load is not None
    is_open = load.model == "open"
    arrivals = f"{rehearsal.checked.execution.get('arrivals') or 'constant'} arrivals, " if is_open else ""
    yield f"plan     {load.model} model, {arrivals}{load.concurrency:,} workers"
    yield f"         {'segment':<12}{'length':>9}{'rate/s' if is_open else 'workers':>17}{'arrivals':>14}"
    for segment in rehearsal.segments:
        count = arrivals_of(segment, rehearsal.known)
        row = f"{segment.name:<12}{show_seconds(segment.seconds):>9}{_course(segment):>17}"
        yield f"         {row}{'-' if count is None else f'{count:,.0f}':>14}"
    whole = sum(arrivals_of(segment, rehearsal.known) or 0.0 for segment in rehearsal.segments)
    total = show_seconds(total_seconds(rehearsal.segments))
    yield f"         {'in all':<12}{total:>9}{'':>17}{f'{whole:,.0f}' if is_open else '-':>14}"
    if not is_open:
        yield f"         arrivals: {_CLOSED}"
    if rehearsal.checked.search is not None:
        yield "         a search: this is its first run; the others have other rates"


def _course(segment: Segment) -> str:
    if segment.from_rate is None or segment.to_rate is None:
        ends = f"{segment.from_workers:,}", f"{segment.to_workers:,}"
    else:
        ends = f"{segment.from_rate:,.5g}", f"{segment.to_rate:,.5g}"
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} - {ends[1]}"


def _samples(rehearsal: Rehearsal, width: int) -> Iterator[str]:
    if not rehearsal.samples:
        limits = rehearsal.checked.execution.get("limits") or {}
        judged = ", ".join(f"{name} {value}" for name, value in limits.items())
        yield "samples  no criteria: " + (f"the limits judge the run ({judged})" if judged else _NO_LIMITS)
        return
    room = max(20, min(max(len(one.criterion) for one in rehearsal.samples), width - 49))
    yield f"samples  {'criterion':<{room}}{'in':>11}{'needed':>9}{'expected':>11}"
    for one in rehearsal.samples:
        needed = f"{one.needed:,.0f}" if one.needed else "-"
        expected = "-" if one.expected is None else f"{one.expected:,.0f}"
        text = one.criterion
        if len(text) > room:
            yield f"         {text}"
            text = ""
        yield f"         {text:<{room}}{one.per:>11}{needed:>9}{expected:>11}" + ("  TOO FEW" if one.is_too_few else "")
    short = [one for one in rehearsal.samples if one.is_too_few]
    if any(not one.is_live and not one.is_limit for one in short):
        yield "         TOO FEW at the end: the percentile is not shown, and the criterion is missed"
    if any(one.is_limit for one in short):
        yield "         TOO FEW for a limit: p99 is not shown, and the limit holds if the maximum is within it"
    if any(one.is_live for one in short):
        yield "         TOO FEW in a time frame: a single slow call can decide the criterion"
    if any(one.expected is None for one in rehearsal.samples):
        yield f"         expected: {_CLOSED}"


def _data(rehearsal: Rehearsal) -> Iterator[str]:
    yield f"data     {rehearsal.data.text}"
    if rehearsal.is_no_load and rehearsal.data.to_load != 0:
        yield "         with --no-load the run is refused unless all data exists"


def _time(rehearsal: Rehearsal) -> Iterator[str]:
    times = rehearsal.times
    load = "load not known" if times.load is None else f"load {show_seconds(times.load)}"
    parts = [load, f"run {show_seconds(times.run)}", f"verification {show_seconds(times.verification)}"]
    parts.append(f"start and report {show_seconds(times.around)}")
    plan, each = rehearsal.checked.search, times.total - (times.load or 0.0)
    if plan is None:
        yield f"time     about {show_seconds(times.total)} in all"
    else:
        runs, most = search_runs(plan), show_seconds(plan.max_seconds)
        fewest, longest = (show_seconds(number * each) for number in runs)
        yield f"time     about {fewest} to {longest} ({runs[0]} to {runs[1]} runs), at most {most} after the load"
    yield f"         {'' if plan is None else 'first run: '}{', '.join(parts)}"
    if times.load or times.verification:
        speeds = f"{LOADED_PER_SECOND:,.0f} documents of 2 KiB loaded, {VERIFIED_PER_SECOND:,.0f} verified per second"
        yield f"         assumed: {speeds}"


@dataclass(frozen=True)
class Rehearsal:
    """A run that was not started. ``known`` is what the Java child says of the plan."""

    checked: Checked
    rows: Sequence[tuple[str, Value | None]]
    segments: Sequence[Segment]
    known: Mapping[str, Any]
    samples: Sequence[Samples]
    data: Data
    times: Times
    is_no_load: bool

    @property
    def other_scenarios(self) -> int:
        """How many scenarios of the workload take no part."""
        return len(self.checked.merged.config["scenarios"]) - 1

    def to_json(self) -> dict[str, Any]:
        """Return all of it for other programs."""
        load, merged = self.checked.load, self.checked.merged
        assert load is not None
        segments = [{**part.to_json(), "arrivals": arrivals_of(part, self.known)} for part in self.segments]
        return {
            "type": "dry-run",
            "files": [str(source.path) for source in merged.sources if not source.is_extended],
            "configuration": [value.to_json() for _, value in self.rows if value is not None],
            "plan": {
                "model": load.model,
                "workers": load.concurrency,
                "segments": segments,
                "seconds": total_seconds(self.segments),
                "arrivals": sum(part["arrivals"] for part in segments) if load.model == "open" else None,
            },
            "criteria": [one.to_json() for one in self.samples],
            "warnings": self.checked.warnings,
            "data": self.data.to_json(),
            "time": self.times.to_json(),
        }
