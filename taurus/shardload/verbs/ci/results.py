"""The folder of ``run --results``: what a caller such as Jenkins keeps of a run."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.config.merge import Merged
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.config.store import LOCAL
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.session import Session, describe
from shardload.results.bundle import bundles_in, is_bundle
from shardload.results.handover import ResultsFolder
from shardload.results.lookup import SEARCH_FILE, SERIES_FILE, group_of, is_search, member, read_json
from shardload.terminal import Terminal
from shardload.verbs.capacity.page import draw
from shardload.verbs.ci.description import as_html, check_service, grafana_link, of_run, of_search, of_series
from shardload.verbs.ci.kept import JUNIT_FILE, archive, junit_of_search, junit_of_series
from shardload.verbs.compare import compare_series, read_series
from shardload.verbs.hosts import read_run

GRAFANA_VARIABLE = "SHARDLOAD_GRAFANA_URL"
_SUMMARY = "summary.json"
_VERIFICATION = "verification.json"


def empty(text: str, places: Places) -> None:
    """Make the folder, or empty the one of an earlier run."""
    ResultsFolder.named(text, places).empty()


def results(options: argparse.Namespace, places: Places) -> int:
    """Complete the folder; what cannot be had is reported, and the rest is there all the same."""
    folder = ResultsFolder.named(options.directory, places)
    folder.take()
    return _Completion(folder, places, options.grafana or os.environ.get(GRAFANA_VARIABLE) or "").run()


class _Completion:
    def __init__(self, folder: ResultsFolder, places: Places, grafana: str) -> None:
        self._folder = folder
        self._places = places
        self._terminal = Terminal()
        self._grafana = grafana
        self._code = exit_codes.OK

    def run(self) -> int:
        """Complete the folder and return the exit code: 0 if all is there, whatever the verdict."""
        run = self._folder.run(self._places)
        if run is None:
            self._describe("nothing was started", [])
            return self._code
        try:
            if (run / SERIES_FILE).is_file():
                self._series(run)
            elif is_search(run):
                self._search(run)
            elif is_bundle(run):
                self._bundle(run)
            else:
                self._describe("interrupted: it ended before the load began", [])
                self._archive(run.name, [run])
        except Problem as problem:  # a damaged file; what there is can still be looked at
            self._fail(str(problem), exit_codes.PART_DIED)
            self._archive(run.name, [run])
        return self._code

    def _bundle(self, bundle: Path) -> None:
        self._judge(bundle)
        summary = self._summary(bundle)
        self._describe(of_run(summary or {}), [summary] if summary else [])
        junit = bundle / JUNIT_FILE
        if junit.is_file():
            (self._folder.path / JUNIT_FILE).write_bytes(junit.read_bytes())
        self._ask(bundle, "static", into=str(self._folder.path / "report"))
        self._archive(bundle.name, [bundle])

    def _series(self, folder: Path) -> None:
        series = read_series(folder)
        named = {run["number"]: member(self._places.runs, run) for run in series["runs"]}
        bundles = {number: bundle for number, bundle in named.items() if bundle and is_bundle(bundle)}
        for bundle in bundles.values():
            self._judge(bundle)
        summaries = {number: self._summary(bundle) for number, bundle in bundles.items()}
        known = {number: summary for number, summary in summaries.items() if summary}
        self._describe(of_series(series, known), list(known.values()))
        (self._folder.path / JUNIT_FILE).write_bytes(junit_of_series(series, bundles))
        if len(known) > 1:
            asked = argparse.Namespace(into=None, static=str(self._folder.path / "compare"))
            code = compare_series(folder, self._places, self._terminal, asked)
            self._code = self._code or code
        self._archive(folder.name, [folder, *bundles.values()])

    def _search(self, folder: Path) -> None:
        # The bundles name their search: it did not write down a run that was cut off.
        bundles = [bundle for bundle in bundles_in(self._places.runs) if group_of(bundle) == folder.name]
        for bundle in bundles:
            self._judge(bundle)
        search = read_json(folder / SEARCH_FILE)
        summaries = [summary for summary in map(self._summary, bundles) if summary]
        self._describe(of_search(search), summaries)
        (self._folder.path / JUNIT_FILE).write_bytes(junit_of_search(search))
        try:
            draw(folder, self._places, self._terminal, self._folder.path / "search")
        except (ChildError, ChildDied) as error:
            self._fail(f"{folder.name}: {describe(error)}", exit_codes.PART_DIED)
        self._archive(folder.name, [folder, *bundles])

    def _judge(self, bundle: Path) -> None:
        """Judge a run that was cut off before it was, or that was verified since."""
        summary, verification = bundle / _SUMMARY, bundle / _VERIFICATION
        is_newer = verification.is_file() and summary.is_file() and _written(verification) >= _written(summary)
        if (bundle / JUNIT_FILE).is_file() and summary.is_file() and not is_newer:
            return
        self._terminal.line(f"judging {bundle.name}")
        if read_run(bundle).get("host_metrics") == LOCAL:
            self._ask(bundle, "hosts", hurried=True)
        self._ask(bundle, "finish")

    def _ask(self, bundle: Path, verb: str, **request: Any) -> None:
        try:
            with Session(read_run(bundle), Merged({}), self._places, self._terminal, None) as session:
                session.call(verb, directory=str(bundle), **request)
        except (ChildError, ChildDied) as error:
            self._fail(f"{bundle.name}: {verb}: {describe(error)}", exit_codes.PART_DIED)

    def _summary(self, bundle: Path) -> dict[str, Any] | None:
        return read_json(bundle / _SUMMARY) or None

    def _describe(self, text: str, summaries: Sequence[Mapping[str, Any]]) -> None:
        link = None
        try:
            link = grafana_link(check_service("--grafana", self._grafana), summaries) if self._grafana else None
        except Problem as problem:
            self._fail(str(problem), exit_codes.WRONG_USE)
        self._terminal.line(text)
        (self._folder.path / "description.txt").write_text(f"{text}\n", encoding="utf-8")
        (self._folder.path / "description.html").write_text(f"{as_html(text, link)}\n", encoding="utf-8")

    def _archive(self, name: str, folders: list[Path]) -> None:
        try:
            archive(self._folder.path / f"{name}.tar.gz", folders)
        except OSError as error:
            self._fail(f"cannot write {name}.tar.gz: {error.strerror}", exit_codes.PART_DIED)

    def _fail(self, text: str, code: int) -> None:
        self._terminal.line(f"shardload: {text}")
        self._code = self._code or code


def _written(file: Path) -> int:
    return file.stat().st_mtime_ns
