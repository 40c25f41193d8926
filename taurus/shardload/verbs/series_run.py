"""``run --repeat``, ``--interleave-with`` and ``--vary``: several runs, each a process of its own, and a comparison.

Each run is the verb ``run`` as the user would call it, so that nothing of one run leaks into the next.
"""

from __future__ import annotations

import argparse
import copy
import os
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any

from shardload import exit_codes
from shardload.config import effective
from shardload.config.effective import Checked
from shardload.config.merge import merge
from shardload.config.paths.find import name_of_argument
from shardload.config.places import Places, discard, reserve_run
from shardload.config.problem import Problem
from shardload.config.values.labels import Labels
from shardload.processes.checking import check_wholly
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.hints import as_options, without_run_keys
from shardload.processes.session import Session, full_text
from shardload.results.bundle import SUMMARY_FILE, write_json
from shardload.results.handover import ResultsFolder
from shardload.results.lookup import SERIES_FILE, hold, read_json
from shardload.terminal import Terminal, complain
from shardload.verbs.compare import compare_series
from shardload.verbs.one_run import LOG, Relay, Starter, find_bundle, show_refusal, starter_of, told
from shardload.verbs.run import consents_of, files_of, set_console
from shardload.verbs.runs.rows import VERDICTS
from shardload.verbs.series import Side, Turn, build_sides, order, read_rounds, read_vary, without_verdict


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
    start = starter_of(options, places, terminal, relay, series.folder / LOG, lambda: [series.under_way])
    code = series.run(start, lambda: relay.is_stopping)
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
        # The run that is made, in words.
        self.under_way = ""
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
            self.under_way = f"run {turn.number} of {len(self._turns)}: {turn.side.label} ({turn.side.name})"
            code = self._one(turn, start, is_stopping)
            if code == exit_codes.WRONG_USE and turn.number == 1:
                show_refusal(self.folder / LOG, self._terminal)
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
            verbose = ["--verbose"] if self._options.verbose else []
            profile = ["--profile", self._options.profile]
            code = start(["run", *common, *profile, *verbose, *as_options(side.overrides)], place)
            bundle = find_bundle(self._places, place)
            summary = read_json(bundle / SUMMARY_FILE) if bundle else {}
            reasons = (summary.get("verdict") or {}).get("reasons") or [""]
            outcome = VERDICTS.get(code, f"refused, {LOG} has the reason")
            self._terminal.detail(f"{self.under_way}: {told(outcome, summary, str(reasons[0]))}")
        else:
            why = "the series was stopped" if is_stopping() else f"its data could not be restored (exit code {code})"
            self._terminal.line(f"{self.under_way}: not started: {why}")
            code, bundle = code or exit_codes.INTERRUPTED, None
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
