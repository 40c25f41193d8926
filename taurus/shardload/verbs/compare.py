"""The verb ``compare``: which runs are meant; the comparison itself is made by the Java child."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from shardload.config.merge import Merged
from shardload.config.places import Places
from shardload.config.problem import Problem, unknown_run
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.session import Session, describe
from shardload.results.bundle import is_bundle
from shardload.results.handover import ResultsFolder
from shardload.results.lookup import SERIES_FILE, abbreviated, is_group, is_run, is_search, member, read_group, runs_in
from shardload.terminal import Terminal, complain


def compare(options: argparse.Namespace, places: Places) -> int:
    """Compare bundles, or the runs of a series again."""
    terminal = Terminal()
    folders = [find_run(text, places) for text in options.runs]
    if len(folders) == 1 and (folders[0] / SERIES_FILE).is_file():
        return compare_series(folders[0], places, terminal, options)
    for folder in filter(is_search, folders):
        raise Problem(f"{folder.name} is a search, whose runs have different rates; name two of its runs")
    bundles = bundles_of(folders, places)
    if len(bundles) < 2:
        raise Problem("compare takes at least two runs, or a series: shardload compare RUN RUN")
    if len(set(bundles)) < len(bundles):
        raise Problem("compare: a run is named twice")
    into = Path(options.into) if options.into else places.runs / f"{datetime.now():%Y%m%d-%H%M%S}-compare"
    return _ask({"runs": [{"bundle": str(path)} for path in bundles]}, into, places, terminal, options.static)


def bundles_of(folders: Sequence[Path], places: Places) -> list[Path]:
    """Return bundles; a series or a search stands for its runs."""
    bundles: list[Path] = []
    for folder in folders:
        if is_group(folder):
            runs = read_series(folder)["runs"] if not is_search(folder) else read_group(folder).get("runs") or []
            bundles += filter(None, (member(places.runs, run) for run in runs))
        else:
            bundles.append(folder)
    return bundles


def find_run(text: str, places: Places) -> Path:
    """Return the folder of a run, series or search by its path, its name in runs/ or the folder of ``--results``."""
    results = ResultsFolder(Path(text).resolve())
    if results.is_ours:
        named = results.run(places)
        if named is None:
            raise Problem(f"{text}: no run was started")
        return named
    for folder in (Path(text).resolve(), places.runs / text):
        if is_run(folder):
            return folder
    named_in_part = abbreviated(text, places.runs)
    if named_in_part is not None:
        return named_in_part
    raise Problem(unknown_run(Path(text).name or text, [path.name for path in runs_in(places.runs)]))


def compare_series(folder: Path, places: Places, terminal: Terminal, asked: argparse.Namespace | None = None) -> int:
    """Compare the sides of a series, round by round, with tables if a user asked for it; the page is in its folder."""
    series = read_series(folder)
    runs = []
    for run in series["runs"]:
        bundle = member(places.runs, run)
        if bundle is not None and not is_bundle(bundle):
            raise Problem(f"{places.show(folder / SERIES_FILE)} names a bundle that does not exist: {run['bundle']}")
        runs.append({**run, "bundle": str(bundle) if bundle else None})
    request = {"sides": series["sides"], "varied": series.get("varied") or [], "runs": runs, "brief": asked is None}
    into = Path(asked.into) if asked and asked.into else folder
    return _ask(request, into, places, terminal, asked.static if asked else None)


def read_series(folder: Path) -> dict[str, Any]:
    """Return the content of series.json."""
    try:
        return dict(json.loads((folder / SERIES_FILE).read_text(encoding="utf-8")))
    except (ValueError, RecursionError) as error:
        raise Problem(f"{folder / SERIES_FILE} is damaged: {error}") from error


def _ask(request: dict[str, Any], into: Path, places: Places, terminal: Terminal, static: str | None) -> int:
    # The histograms of a run of ten steps are 16 MB.
    heap = f"{512 + 24 * len(request['runs'])}m"
    asked = {**request, "static_into": str(Path(static).resolve())} if static else request
    try:
        with Session({}, Merged({}), places, terminal, None, heap) as session:
            done = session.call("compare", directory=str(into.resolve()), **asked)
    except (ChildError, ChildDied) as error:
        complain(describe(error))
        return error.exit_code
    _show(done.get("lines") or [], terminal)
    return 0


def _show(lines: Sequence[str], terminal: Terminal) -> None:
    for line in lines:
        colour = "red" if line.startswith("NOT COMPARABLE") else "yellow" if line.startswith("NOTE") else None
        terminal.line(terminal.paint(line, colour) if colour else line)
