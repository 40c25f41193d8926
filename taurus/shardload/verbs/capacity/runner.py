"""A search under way: it makes the runs, writes each one down, and reports on the console."""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.config import effective
from shardload.config.effective import Checked
from shardload.config.places import Places, discard
from shardload.config.values.quantities import show_seconds
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.hints import as_options
from shardload.processes.session import describe
from shardload.results.bundle import SUMMARY_FILE
from shardload.results.lookup import read_json
from shardload.results.searches import interval, show_rate
from shardload.terminal import Terminal
from shardload.verbs.capacity import page
from shardload.verbs.capacity.evidence import Evidence
from shardload.verbs.capacity.model import Answer, End, Ended, Next, Outcome, Trial
from shardload.verbs.capacity.record import Record
from shardload.verbs.capacity.search import decide
from shardload.verbs.one_run import LOG, Starter, find_bundle, show_refusal, told

_RATE = "execution.0.throughput"
_HOLD = "execution.0.hold-for"
_VERIFICATION = "execution.0.verification"
# As many as Percentiles.java asks for, and some that may fail.
_P99_ARRIVALS = 1100
_COLOURS = {Outcome.GOOD: "green", Outcome.BAD: "yellow", Outcome.BOUND: "yellow", Outcome.INVALID: "red"}
# How Java begins the reason of a verdict that the generator set the pace.
_BOUND = "generator-bound: "
_WHY = {
    Ended.MAX_RATE: "no run failed up to max-rate",
    Ended.MAX_DURATION: "max-duration was over",
    Ended.BOUND: "the generator was the bottleneck",
    Ended.NOTHING_PASSED: "no run passed",
    Ended.INVALID: "several runs in a row were invalid",
    Ended.UNSETTLED: "the runs contradict each other",
    Ended.INTERRUPTED: "the search was interrupted",
    Ended.WRONG: "a run found wrong documents or answers",
    Ended.REFUSED: "a run was refused",
}


class Search:
    """A search under way, and its folder with ``search.json`` and ``search.html``."""

    def __init__(
        self,
        options: argparse.Namespace,
        places: Places,
        terminal: Terminal,
        checked: Checked,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        assert checked.search is not None
        self._options = options
        self._places = places
        self._terminal = terminal
        self._plan = checked.search
        self._limits = effective.limits(checked.execution)
        self._hold = checked.load.hold_for if checked.load else 0.0
        self._verifies = checked.execution.get("verification") is None
        self._clock = clock
        self._trials: list[Trial] = []
        self._record = Record(options, places, checked)
        self._began, self._under_way = clock(), ""

    @property
    def folder(self) -> Path:
        """The folder of the search."""
        return self._record.folder

    def above(self) -> list[str]:
        """Return what is shown above the run that is under way."""
        left = show_seconds(self._plan.max_seconds - (self._clock() - self._began))
        return [self._under_way, f"so far {interval(self._record.answer)}, at most {left} left"]

    def run(self, start: Starter, is_stopping: Callable[[], bool]) -> int:
        """Do the runs and return the exit code; if the very first is refused, nothing was started: 1."""
        while True:
            found = decide(self._plan, self._trials, self._clock() - self._began)
            if isinstance(found, Answer):
                return self._end(found, _code_of(found))
            if is_stopping():
                return self._end(self._so_far(Ended.INTERRUPTED), exit_codes.INTERRUPTED)
            code = self._one(found, start, is_stopping)
            if code == exit_codes.WRONG_USE:
                return self._end_refused()
            if code == exit_codes.WRONG_DATA:
                return self._end(self._so_far(Ended.WRONG), exit_codes.WRONG_DATA)
            if is_stopping():
                return self._end(self._so_far(Ended.INTERRUPTED), exit_codes.INTERRUPTED)

    def _so_far(self, ended: Ended) -> Answer:
        return Evidence(self._plan, self._trials).answer(ended)

    def _one(self, wanted: Next, start: Starter, is_stopping: Callable[[], bool]) -> int:
        number = self._record.number + 1
        self._under_way = f"run {number}: {show_rate(wanted.rate)}/s, {wanted.why}"
        self._emit({"type": "run", "number": number, "rate": wanted.rate, "why": wanted.why})
        began = self._clock()
        place = f"{self.folder.name}/{number}"
        code = start(self._arguments(wanted.rate), place)
        if code == exit_codes.WRONG_USE or (code == exit_codes.INTERRUPTED and is_stopping()):
            return code
        seconds = self._clock() - began
        bundle = find_bundle(self._places, place)
        summary = read_summary(bundle)
        outcome = outcome_of(code, summary)
        run = {
            "number": number,
            "rate": wanted.rate,
            "why": wanted.why,
            "outcome": outcome.value,
            "exit": code,
            "bundle": bundle.name if bundle else None,
            "seconds": round(seconds, 1),
            **figures(summary),
        }
        self._trials.append(Trial(wanted.rate, outcome, seconds))
        self._record.add(run, self._so_far(Ended.UNSETTLED))
        reason = "" if outcome is Outcome.GOOD else next(iter(run["reasons"]), "")
        line = f"{self._under_way}: {told(outcome.value, summary, reason)}"
        self._terminal.detail(self._terminal.paint(line, _COLOURS[outcome]))
        return code

    def _arguments(self, rate: float) -> list[str]:
        options = self._options
        words = ["run", "--target", options.target, "--workload", options.workload, "--profile", options.profile]
        words += [f"--{name}" for name in ("json", "verbose") if getattr(options, name)]
        words += ["--no-load"] if options.no_load else []
        set_here = [f"{_VERIFICATION}=written"] if self._verifies else []
        set_here.append(f"{_HOLD}={self._hold_seconds(rate)}s")
        return [*words, *as_options([*options.option, *set_here, f"{_RATE}={rate!r}"])]

    def _hold_seconds(self, rate: float) -> float:
        """Return how long a rate is held: without enough arrivals a p99 is not known, and its limit missed."""
        least = _P99_ARRIVALS / rate if "p99_ms" in self._limits else 0.0
        return max(self._hold, float(math.ceil(least)))

    # --- the end

    def _end_refused(self) -> int:
        """End after a run that was refused."""
        show_refusal(self.folder / LOG, self._terminal)
        if not self._trials:
            discard(self.folder)
            return exit_codes.WRONG_USE
        return self._end(self._so_far(Ended.REFUSED), exit_codes.PART_DIED)

    def _end(self, found: Answer, code: int) -> int:
        text = _answer_line(found, Evidence(self._plan, self._trials).disputed())
        self._record.end(found, code, text)
        for line in self._draw() or [text]:
            self._terminal.line(line)
        self._emit({"type": "search", "exit_code": code, "folder": str(self.folder), **self._record.answer})
        return code

    def _draw(self) -> list[str]:
        """Have the page made; return its lines."""
        try:
            return page.draw(self.folder, self._places, self._terminal)
        except (ChildError, ChildDied) as error:
            self._terminal.line(f"shardload: {describe(error)}")
            return []

    def _emit(self, content: dict[str, Any]) -> None:
        if self._options.json:
            print(json.dumps(content), flush=True)


def _code_of(found: Answer) -> int:
    if found.ended is Ended.INVALID:
        return exit_codes.INVALID
    if found.low is None:
        return exit_codes.INVALID if found.ended is Ended.BOUND else exit_codes.MISSED
    return exit_codes.OK


def read_summary(bundle: Path | None) -> dict[str, Any]:
    """Return the summary of a run; empty where there is none."""
    return read_json(bundle / SUMMARY_FILE) if bundle else {}


def outcome_of(code: int, summary: Mapping[str, Any]) -> Outcome:
    """Return what a run that ended with a code says of its rate."""
    holds = _holds(summary)
    if code == exit_codes.INVALID:
        first = next(iter(_reasons(summary)), "")
        return Outcome.BOUND if first.startswith(_BOUND) else Outcome.INVALID
    if code not in (exit_codes.OK, exit_codes.MISSED) or not holds:
        return Outcome.INVALID
    passed = code == exit_codes.OK and all(hold["passed"] for hold in holds)
    return Outcome.GOOD if passed else Outcome.BAD


def figures(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a run that search.json holds."""
    headline = summary.get("headline") or {}
    latency = headline.get("latency_ns") or {}
    hold = next(iter(_holds(summary)), {})
    servers = hold.get("servers") or {}
    return {
        "offered_per_second": headline.get("offered_per_second"),
        "achieved_per_second": headline.get("achieved_per_second"),
        "answered_per_second": headline.get("answered_per_second"),
        "p50_ns": latency.get("p50"),
        "p99_ns": latency.get("p99"),
        "p99_at_least_ns": (latency.get("at_least_ns") or {}).get("p99"),
        "errors_percent": headline.get("errors_percent"),
        "bottleneck": (summary.get("bottleneck") or {}).get("sentence"),
        "server_cpu_ratio": servers.get("cpu_ratio"),
        "disk_busy_ratio": servers.get("disk_busy_ratio"),
        "workers_busy_percent": hold.get("workers_busy_percent"),
        "generator_cpu_percent": hold.get("generator_cpu_percent"),
        "reasons": reasons(summary),
    }


def reasons(summary: Mapping[str, Any]) -> list[str]:
    """Return why a run is not good: that the generator was the bound, what its hold missed, and the other reasons."""
    missed = [str(hold["why"]) for hold in _holds(summary) if not hold["passed"]]
    verdict = _reasons(summary)
    bound = [reason for reason in verdict if reason.startswith(_BOUND)]
    return [*dict.fromkeys([*bound, *missed, *verdict])]


def _reasons(summary: Mapping[str, Any]) -> list[str]:
    return [str(reason) for reason in (summary.get("verdict") or {}).get("reasons") or []]


def _holds(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [step for step in summary.get("steps") or [] if step.get("kind") == "hold"]


def _answer_line(found: Answer, disputed: tuple[float, float] | None) -> str:
    """Return the answer in one sentence."""
    why = _WHY.get(found.ended, "")
    if found.ended is Ended.MAX_DURATION and disputed and disputed[0] < disputed[1]:
        least, most = map(show_rate, disputed)
        why += f"; runs between {least} and {most}/s contradict each other, so search.precision is too narrow here"
    low, high = found.low, found.high
    if low is None:
        below = "" if high is None else f"below {_end(high)}"
        return f"capacity {below or 'unknown'}: {why}"
    if high is None:
        return f"capacity at least {_end(low)}: {why}"
    text = f"capacity between {_end(low)} and {_end(high)}"
    return f"{text}: {why}" if why else text


def _end(end: End) -> str:
    return f"{show_rate(end.rate)}/s" + ("" if end.confirmed else " (not confirmed)")
