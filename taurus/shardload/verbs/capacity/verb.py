"""``run`` with a section ``search``: ordinary runs, one after the other, until the capacity is known.

All runs are on one data set: it is loaded when it is empty, and each run verifies what it wrote.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.config import effective
from shardload.config.effective import Checked
from shardload.config.merge import Merged, merge
from shardload.config.places import SERIES_VARIABLE, Places, discard
from shardload.config.problem import Problem
from shardload.processes.checking import check_wholly
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.hints import as_options
from shardload.processes.session import Session, describe
from shardload.terminal import Terminal
from shardload.verbs.capacity.outcome import figures, outcome_of, read_summary
from shardload.verbs.capacity.record import Record
from shardload.verbs.capacity.evidence import Evidence
from shardload.verbs.capacity.model import Answer, Ended, Next, Outcome, Trial
from shardload.verbs.capacity.search import decide
from shardload.verbs.capacity.words import of_answer, of_run
from shardload.verbs.run import files_of, set_console
from shardload.verbs.series_run import Relay, find_bundle

Starter = Callable[[Sequence[str], str], int]

_SECTION = "search"
_RATE = "execution.0.throughput"
_LOG = "runs.log"
# As many as a configuration with several problems has.
_REFUSAL_LINES = 12
_HOLD = "execution.0.hold-for"
_VERIFICATION = "execution.0.verification"
# As many as Percentiles.java asks for, and some that may fail.
_P99_ARRIVALS = 1100
_COLOURS = {Outcome.GOOD: "green", Outcome.BAD: "yellow", Outcome.BOUND: "yellow", Outcome.INVALID: "red"}
# Endings that have no place in the pure search.
_INTERRUPTED = "interrupted"
_WRONG = "wrong-documents"
_REFUSED = "a-run-was-refused"


def is_search(options: argparse.Namespace, places: Places) -> bool:
    """Whether a call of run is a search; a run of a series or of a search is an ordinary one."""
    if os.environ.get(SERIES_VARIABLE):
        return False
    merged = merge(files_of(options, places), options.option, places, options.flags)
    if merged.config.get(_SECTION) is None:
        return False
    flagged = [key for key in options.flags if key.startswith(f"{_SECTION}.")]
    if flagged and not _is_asked(merged, options):
        flag = options.flags[flagged[0]]
        raise Problem(f'{flag}: only available for a search; the profile {options.profile} has no section "{_SECTION}"')
    return True


def _is_asked(merged: Merged, options: argparse.Namespace) -> bool:
    """Whether a file or an override of its own has the section, and not only an option such as --max-duration."""
    named = [key for source in merged.sources for key in source.content]
    named += [
        option.partition("=")[0].partition(".")[0] for option in options.option if _key(option) not in options.flags
    ]
    return any(name.lstrip("~$^") == _SECTION for name in named)


def _key(option: str) -> str:
    return option.partition("=")[0]


def refuse_in_series(options: argparse.Namespace) -> None:
    """Refuse what makes a series of runs, each of which would be a search."""
    given = next(name for name in ("repeat", "vary", "interleave_with") if getattr(options, name) not in (None, []))
    flag = "--" + given.replace("_", "-")
    raise Problem(
        f'{flag}: the section "{_SECTION}" of the profile already makes the run a search; name another profile'
    )


def run_search(options: argparse.Namespace, places: Places) -> int:
    """Check the configuration, search, and write what was found."""
    for name in ("json", "results"):
        if getattr(options, name):
            raise Problem(f"--{name}: not available for a search; read runs/<search>/search.json")
    os.chdir(places.root)
    set_console(options)
    checked = check_wholly(merge(files_of(options, places), options.option, places, options.flags), places)
    relay = Relay()
    relay.install()
    search = Search(options, places, Terminal(), checked)

    def start(arguments: Sequence[str], place: str) -> int:
        if options.verbose:
            return relay.start(arguments, place)
        with open(search.log, "ab") as output:
            return relay.start(arguments, place, output)

    return search.run(start, lambda: relay.is_stopping)


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

    @property
    def log(self) -> Path:
        """The runs' output; the console has one line for each run."""
        return self._record.folder / _LOG

    def run(self, start: Starter, is_stopping: Callable[[], bool]) -> int:
        """Do the runs and return the exit code; if the very first is refused, nothing was started: 1."""
        began = self._clock()
        while True:
            found = decide(self._plan, self._trials, self._clock() - began)
            if isinstance(found, Answer):
                return self._end(found.ended.value, found, _code_of(found))
            if is_stopping():
                return self._end(_INTERRUPTED, self._so_far(), exit_codes.INTERRUPTED)
            code = self._one(found, start, is_stopping)
            if code == exit_codes.WRONG_USE and not self._trials:
                self._show_log(_REFUSAL_LINES)
                discard(self._record.folder)
                return exit_codes.WRONG_USE
            if code == exit_codes.WRONG_USE:
                self._show_log(_REFUSAL_LINES)
                return self._end(_REFUSED, self._so_far(), exit_codes.PART_DIED)
            if code == exit_codes.WRONG_DATA:
                return self._end(_WRONG, self._so_far(), exit_codes.WRONG_DATA)
            if is_stopping():
                return self._end(_INTERRUPTED, self._so_far(), exit_codes.INTERRUPTED)

    def _so_far(self) -> Answer:
        return Evidence(self._plan, self._trials).answer(Ended.UNSETTLED)

    def _one(self, wanted: Next, start: Starter, is_stopping: Callable[[], bool]) -> int:
        number = self._record.number + 1
        self._terminal.line(self._terminal.paint(f"run {number}: {wanted.rate:g}/s, {wanted.why}", "bold"))
        began = self._clock()
        place = f"{self._record.folder.name}/{number}"
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
        self._record.add(run)
        self._trials.append(Trial(wanted.rate, outcome, seconds))
        self._terminal.line(self._terminal.paint(of_run(run), _COLOURS[outcome]))
        return code

    def _show_log(self, lines: int) -> None:
        """Show the last lines of the log: why the last run ended as it did."""
        with contextlib.suppress(OSError):
            for line in self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]:
                self._terminal.line(line)

    def _arguments(self, rate: float) -> list[str]:
        options = self._options
        words = ["run", "--target", options.target, "--workload", options.workload, "--profile", options.profile]
        words.append("--verbose" if options.verbose else "--quiet")
        set_here = [f"{_VERIFICATION}=written"] if self._verifies else []
        set_here.append(f"{_HOLD}={self._hold_seconds(rate)}s")
        return [*words, *as_options([*options.option, *set_here, f"{_RATE}={rate!r}"])]

    def _hold_seconds(self, rate: float) -> float:
        """Return how long a rate is held: without enough arrivals a p99 is not known, and its limit missed."""
        least = _P99_ARRIVALS / rate if "p99_ms" in self._limits else 0.0
        return max(self._hold, float(math.ceil(least)))

    def _end(self, ended: str, found: Answer, code: int) -> int:
        text = of_answer(ended, found)
        self._record.end(ended, found, text)
        for line in self._draw() or [text]:
            self._terminal.line(line)
        return code

    def _draw(self) -> list[str]:
        """Have the page made; return its lines."""
        session = Session({}, Merged({}), self._places, self._terminal, None)
        try:
            reply: dict[str, Any] = session.call("capacity", directory=str(self._record.folder.resolve()))
            return [str(line) for line in reply.get("lines") or []]
        except (ChildError, ChildDied) as error:
            self._terminal.line(f"shardload: {describe(error)}")
            return []
        finally:
            session.close()


def _code_of(found: Answer) -> int:
    if found.ended is Ended.INVALID:
        return exit_codes.INVALID
    if found.low is None:
        return exit_codes.INVALID if found.ended is Ended.BOUND else exit_codes.MISSED
    return exit_codes.OK
