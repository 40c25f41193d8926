"""``run --repeat``, ``--interleave-with`` and ``--vary``: several runs, each a process of its own, and a comparison.

Each run is the verb ``run`` as the user would call it, so that nothing of one run leaks into the next.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from shardload import exit_codes
from shardload.config import effective
from shardload.config.effective import Checked
from shardload.config.merge import merge
from shardload.config.paths.find import name_of_argument
from shardload.config.places import SERIES_VARIABLE, Places, discard, reserve_run
from shardload.config.problem import Problem
from shardload.config.values.labels import Labels
from shardload.processes.checking import check_wholly
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.hints import as_options, without_run_keys
from shardload.processes.session import Session, full_text
from shardload.results.bundle import RUN_FILE, bundles_in, write_json
from shardload.results.handover import ResultsFolder
from shardload.results.lookup import SERIES_FILE, hold
from shardload.terminal import Terminal, complain
from shardload.verbs.compare import compare_series
from shardload.verbs.run import consents_of, files_of, set_console
from shardload.verbs.series import Side, Turn, build_sides, order, read_rounds, read_vary, without_verdict

Starter = Callable[[Sequence[str], str], int]


class Relay:
    """Hands signals on to the run that is under way; after the first no other begins."""

    def __init__(self) -> None:
        self.is_stopping = False
        self._process: subprocess.Popen[bytes] | None = None

    def install(self) -> None:
        """Take over the signals; one that is ignored (nohup) stays so."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._handle)

    def _handle(self, number: int, frame: Any) -> None:
        self.is_stopping = True
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def start(
        self,
        arguments: Sequence[str],
        series: str,
        output: IO[Any] | None = None,
        errors: IO[Any] | None = None,
    ) -> int:
        """Run a verb to its end and return its exit code.

        Without files standard output and standard error of the verb go where those of this process go.
        """
        environment = {**os.environ, SERIES_VARIABLE: series}
        # A session of its own: Ctrl-C reaches it once, through us, and not a second time from the terminal.
        command = [sys.executable, "-m", "shardload", *arguments]
        self._process = subprocess.Popen(command, env=environment, start_new_session=True, stdout=output, stderr=errors)
        if self.is_stopping:
            self._process.terminate()
        code = self._process.wait()
        self._process = None
        return code if code >= 0 else exit_codes.INTERRUPTED


def run_series(options: argparse.Namespace, places: Places) -> int:
    """Check every side, run them in turns, compare them; return the worst exit code."""
    os.chdir(places.root)
    if options.json:
        raise Problem("--json: not available for a series; read runs/<series>/compare.json")
    set_console(options)
    terminal = Terminal()
    varied = read_vary(options.vary, options.option)
    targets = [options.target, *([options.interleave_with] if options.interleave_with else [])]
    sides = build_sides(targets, varied, options.option)
    rounds = read_rounds(options.repeat, bool(options.interleave_with), len(sides))
    turns = order(sides, rounds)
    try:
        checked = {side.label: _check(options, side, places, terminal) for side in sides}
    except (ChildError, ChildDied) as error:
        complain(full_text(error))
        return error.exit_code
    too_few = without_verdict(rounds, len(sides))
    if too_few:
        terminal.line(terminal.paint(f"note: {too_few}", "yellow"))
    relay = Relay()
    relay.install()
    name = str(next(iter(checked.values())).workload["name"])
    kept = {label for label, each in checked.items() if each.workload["data"].get("existing")}
    labels = next(iter(checked.values())).labels
    series = Series(options, places, terminal, turns, [key for key, _ in varied], name, kept, labels)
    results = ResultsFolder.named(options.results, places) if options.results else None
    if results:
        results.note_run(series.folder.name)
    code = series.run(relay.start, lambda: relay.is_stopping)
    if not series.folder.exists():
        if results:
            results.forget_refused(places)
        return code
    return exit_codes.worst([code, series.compare()])


def _check(options: argparse.Namespace, side: Side, places: Places, terminal: Terminal) -> Checked:
    """Check one side as its run would, and have its server look whether it can; what is refused names the side."""
    chosen = copy.copy(options)
    chosen.target = side.target
    try:
        checked = check_wholly(merge(files_of(chosen, places), side.overrides, places, options.flags), places)
        config = effective.build(checked, "check", None, checked.merged.names.get("profile", ""))
        with Session(config, checked.merged, places, terminal, None) as session:
            session.check(checked.transactions)
            session.start_embedded()
            session.settle_size()
            session.call("look", **consents_of(options))
        return checked
    except ChildError as error:
        placed = ChildError(f"{side.name}: {error}", error.key, error.exit_code, error.advice)
        placed.hints = error.hints
        raise placed from None
    except Problem as problem:
        raise Problem(f"{side.name}: {problem}", problem.key) from None


class Series:
    """A series under way, and its file ``series.json``.

    ``name`` is the workload's own name. ``kept`` has the labels of sides whose data shardload did not make: these data
    are never dropped, and a run begins with what the run before it left. All runs get ``labels``.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        places: Places,
        terminal: Terminal,
        turns: Sequence[Turn],
        varied: list[str],
        name: str,
        kept: Collection[str] = (),
        labels: Labels | None = None,
    ) -> None:
        self._options = options
        self._places = places
        self._terminal = terminal
        self._turns = turns
        self._varied = varied
        self._name = name
        self._kept = kept
        self._runs: list[dict[str, Any]] = []
        self._labels = labels or Labels()
        self.folder = reserve_run(places.runs, name_of_argument(options.target), "series", label=self._labels.name)
        hold(self.folder)
        self._write("running")

    def run(self, start: Starter, is_stopping: Callable[[], bool]) -> int:
        """Do the runs and return the worst exit code; if the very first is refused, nothing was started: 1."""
        codes: list[int] = []
        for turn in self._turns:
            if is_stopping():
                codes.append(exit_codes.INTERRUPTED)
                break
            told = f"run {turn.number} of {len(self._turns)}: {turn.side.label} ({turn.side.name})"
            self._terminal.line(self._terminal.paint(told, "bold"))
            code = self._one(turn, start, is_stopping)
            if code == exit_codes.WRONG_USE and turn.number == 1:
                discard(self.folder)
                return exit_codes.WRONG_USE
            codes.append(code)
        is_whole = len(self._runs) == len(self._turns) and not is_stopping()
        self._write("complete" if is_whole else "interrupted")
        if not is_whole:
            there = sum(1 for run in self._runs if run["bundle"])
            file = self._places.show(self.folder / SERIES_FILE)
            self._terminal.line(f"stopped: {there} of {len(self._turns)} runs left a bundle; {file} lists them")
        return exit_codes.worst(codes)

    def _one(self, turn: Turn, start: Starter, is_stopping: Callable[[], bool]) -> int:
        """Restore the data, then run. Both sides begin with the same documents, freshly written."""
        place = f"{self.folder.name}/{turn.number}"
        side = turn.side
        common = ["--target", side.target, "--workload", self._options.workload]
        kept = as_options(without_run_keys(side.overrides))
        recreates = side.label not in self._kept
        code = start(["load", "--recreate", *self._consents(turn), *common, *kept], place) if recreates else 0
        if code == 0 and not is_stopping():
            verbose = [f"--{name}" for name in ("verbose", "quiet") if getattr(self._options, name)]
            profile = ["--profile", self._options.profile]
            code = start(["run", *common, *profile, *verbose, *as_options(side.overrides)], place)
        else:
            why = "the series was stopped" if is_stopping() else f"its data could not be restored (exit code {code})"
            self._terminal.line(f"run {turn.number} was not started: {why}")
            code = code or exit_codes.INTERRUPTED
        bundle = find_bundle(self._places, place)
        name = bundle.name if bundle else f"run {turn.number}"
        self._runs.append(
            {
                "number": turn.number,
                "round": turn.round,
                "side": side.label,
                "name": name,
                "bundle": bundle.name if bundle else None,
                "exit": code,
            }
        )
        self._write("running")
        return code

    def _consents(self, turn: Turn) -> list[str]:
        """Return the user's consents in the first round; in all rounds, what this series left unsettled may be lost."""
        targets = {side.side.label: side.side.target for side in self._turns}
        # On one target only the last run can have left anything.
        discarded = list({targets[run["side"]]: run["bundle"] for run in self._runs if run["bundle"]}.values())
        is_first = turn.round == 1
        given = self._options.discard_unsettled if is_first else []
        consents = [part for run in [*given, *discarded] for part in ("--discard-unsettled", run)]
        return [*consents, *(["--replace-foreign"] if is_first and self._options.replace_foreign else [])]

    def _write(self, state: str) -> None:
        sides = {turn.side.label: turn.side for turn in self._turns}
        content = {
            "id": self.folder.name,
            **self._labels.to_json(),
            "state": state,
            "written": datetime.now().astimezone().isoformat(timespec="seconds"),
            "workload": self._name,
            "profile": name_of_argument(self._options.profile),
            "varied": self._varied,
            "sides": [
                {
                    "label": side.label,
                    "name": side.name,
                    "target": name_of_argument(side.target),
                    "overrides": list(side.overrides),
                }
                for _, side in sorted(sides.items(), key=lambda item: (len(item[0]), item[0]))
            ],
            "order": [turn.side.label for turn in self._turns],
            "runs": self._runs,
        }
        write_json(self.folder / SERIES_FILE, content)

    def compare(self) -> int:
        """Compare what there is."""
        if sum(1 for run in self._runs if run["bundle"]) < 2:
            self._terminal.line("fewer than two runs left a bundle: nothing to compare")
            return 0
        return compare_series(self.folder, self._places, self._terminal)


def find_bundle(places: Places, place: str) -> Path | None:
    """Return the bundle of the run at a place of a series, or None if the run left no bundle."""
    for bundle in reversed(bundles_in(places.runs)):
        with contextlib.suppress(OSError, ValueError):
            if json.loads((bundle / RUN_FILE).read_text(encoding="utf-8"))["run"].get("series") == place:
                return bundle
    return None
