"""The verb ``history``: keeps runs, shows those that are kept, and says whether a run is worse; Java judges."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.config.merge import Merged, list_names
from shardload.config.places import STARTED_IN, Places
from shardload.config.problem import Problem
from shardload.config.values.labels import read_tags
from shardload.config.values.quantities import show_nanos
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.session import Session, describe
from shardload.results.bundle import is_bundle
from shardload.results.handover import ResultsFolder
from shardload.results.lookup import is_search, labels_of
from shardload.terminal import Terminal, complain
from shardload.verbs.compare import bundles_of, find_run
from shardload.verbs.history.keep import drop_stale, folder_of, keep

_DEFAULT_PERCENT = 10.0
_FIGURES = (("rps", "RPS"), ("p99_ns", "p99"), ("capacity_per_second", "capacity/s"))
_SIGNS = {"exact": "", "at_least": ">=", "below": "<"}
_COLOURS = {0: "green", 3: "yellow"}
_GAP = "  "
_LEAST_NAME = 8


def history(options: argparse.Namespace, places: Places) -> int:
    """Keep runs if asked, then show and judge."""
    percent = _percent(options.fail_on_regression)
    runs = folder_of(options.runs, os.environ, STARTED_IN)
    # With --json standard output has nothing else.
    terminal = Terminal(sys.stderr if options.json else None)
    added = _add(options, runs, places, terminal)
    if not runs.is_dir():
        raise Problem(f"there is no folder {runs}")
    request: dict[str, Any] = {"directory": str(runs), "percent": percent}
    request.update({key: vars(options)[key] for key in ("target", "workload", "profile") if vars(options)[key]})
    request["known"] = {kind: list_names(places, kind[:-1]) for kind in ("targets", "workloads", "profiles")}
    if options.tag or options.name:
        request["only"] = _labelled(runs, read_tags(options.tag), options.name)
    if added is not None:
        request["added"] = added
    if options.page:
        request.update(page=str((STARTED_IN / options.page).resolve()), bundles=str(places.runs))
    try:
        with Session({}, Merged({}), places, Terminal(sys.stderr), None) as session:
            found = session.call("history", **request)
    except (ChildError, ChildDied) as error:
        complain(describe(error))
        return error.exit_code
    _show(found, options, runs, places)
    return exit_codes.MISSED if options.fail_on_regression and found["regressions"] else exit_codes.OK


def _labelled(runs: Path, tags: Mapping[str, str], name: str | None) -> list[str]:
    """Return the names of the kept runs that have this name and all these tags."""
    found = []
    for folder in sorted(path for path in runs.iterdir() if path.is_dir()):
        labels = labels_of(folder)
        own = labels.get("tags") or {}
        if name in (None, labels.get("name")) and all(own.get(key) == value for key, value in tags.items()):
            found.append(folder.name)
    return found


def _percent(text: str | None) -> float:
    if not text:
        return _DEFAULT_PERCENT
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise Problem(f'--fail-on-regression: "{text}" is not a percentage; write it as 10%')
    return value


def _add(options: argparse.Namespace, runs: Path, places: Places, terminal: Terminal) -> list[str] | None:
    """Keep the runs that are named, and return their names; None if none was to be kept."""
    names = [name for name in options.add if name]
    if options.add_from:
        name = ResultsFolder(STARTED_IN / options.add_from).run_name
        if not name:
            terminal.line(f"{options.add_from} has no run: nothing is added")
        names += [name] if name else []
    elif not names:
        return None
    try:
        runs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Problem(f"cannot create {runs}: {error.strerror}") from error
    drop_stale(runs)
    bundles = [bundle for name in names for bundle in _bundles(name, places, terminal)]
    for bundle in bundles:
        is_new = keep(bundle, runs, os.environ)
        terminal.line(f"{bundle.name}: {'added to' if is_new else 'is already in'} {runs}")
    return [bundle.name for bundle in bundles]


def _bundles(name: str, places: Places, terminal: Terminal) -> Iterator[Path]:
    """Yield the bundles of a run or series; runs of a series that left none are left out.

    The runs of a search are at rates beyond the capacity by intention: as runs of the history they would mislead.
    """
    folder = find_run(name, places)
    if is_search(folder):
        terminal.line(f"{folder.name} is a search: the history does not keep its runs")
        return
    yield from (bundle for bundle in bundles_of([folder], places) if bundle == folder or is_bundle(bundle))


def _show(found: dict[str, Any], options: argparse.Namespace, runs: Path, places: Places) -> None:
    if options.json:
        print(json.dumps(found, indent=2))
        return
    terminal = Terminal()
    for warning in found["warnings"]:
        terminal.line(terminal.paint(f"warning: {warning}", "yellow"))
    for curve in found["curves"]:
        for line in table(curve, terminal, terminal.width):
            terminal.line(line)
        terminal.line()
    if not found["curves"]:
        wanted = " ".join(filter(None, (options.target, options.workload, options.profile, options.name, *options.tag)))
        terminal.line(f"no runs{f' of {wanted}' if wanted else ''} in {runs} yet")
    for note in found["notes"]:
        terminal.line(note)
    for regression in found["regressions"]:
        terminal.line(terminal.paint(f"REGRESSION  {regression}", "red"))
    if found["judged"] and not found["regressions"] and len(found["notes"]) < len(found["judged"]):
        terminal.line(f"no regression beyond {found['percent']:g} %")
    if options.page:
        terminal.line(f"page  {places.show((STARTED_IN / options.page).resolve() / 'index.html')}")


def table(curve: dict[str, Any], terminal: Terminal, width: int) -> Iterator[str]:
    """Draw a curve, the newest point first."""
    points = list(reversed(curve["points"]))
    shown = [(key, title) for key, title in _FIGURES if any(_has(key, point) for point in points)]
    count = sum(len(point["runs"]) for point in points)
    yield terminal.paint(
        f"{curve['target']}, {curve['workload']}, {curve['profile']}: {count} run{'s' if count != 1 else ''}", "bold"
    )
    titles = ["time (UTC)", "verdict"]
    for _key, title in shown:
        titles += [title, "change"]
    rows = [_cells(point, [key for key, _title in shown]) for point in points]
    widths = [max(len(cell) for cell in column) for column in zip(titles, *rows)]
    room = max(_LEAST_NAME, width - sum(widths) - len(_GAP) * len(widths))
    yield _row(titles, widths, "build" if any(point["build"] for point in points) else "run")
    for point, row in zip(points, rows):
        yield _painted(point, row, widths, _name(point, room), shown, terminal)


def _has(key: str, point: dict[str, Any]) -> bool:
    """Whether a point has a figure; the RPS of a run with a capacity is the capacity's rate."""
    figures = point["figures"]
    return bool(figures[key]) and not (key == "rps" and figures["capacity_per_second"])


def _name(point: dict[str, Any], room: int) -> str:
    number = (point["build"] or {}).get("number")
    name = f"#{number}" if number else str(point["name"])
    count = len(point["runs"])
    name += f" ({count} runs)" if count > 1 else ""
    return name if len(name) <= room else name[: room - 1] + "…"


def _cells(point: dict[str, Any], keys: Sequence[str]) -> list[str]:
    cells = [(point["started"] or "-")[:16].replace("T", " "), str(point["verdict"]["name"])]
    for key in keys:
        figure = point["figures"][key]
        cells += [_value(key, figure), _change(figure)]
    return cells


def _value(key: str, figure: dict[str, Any] | None) -> str:
    if not figure:
        return "-"
    value = float(figure["value"])
    digits = 0 if value >= 1000 else 1
    return _SIGNS[figure["bound"]] + (show_nanos(value) if key == "p99_ns" else f"{value:,.{digits}f}")


def _change(figure: dict[str, Any] | None) -> str:
    if not figure or figure["change_percent"] is None:
        return ""
    return f"{figure['change_percent']:+.1f}%" + ("!" if figure["regression"] else " ")


def _row(cells: Sequence[str], widths: Sequence[int], name: str) -> str:
    left = [cell.ljust(width) for cell, width in zip(cells[:2], widths)]
    right = [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:])]
    return _GAP.join([*left, *right, name]).rstrip()


def _painted(
    point: dict[str, Any],
    row: Sequence[str],
    widths: Sequence[int],
    name: str,
    shown: Sequence[tuple[str, str]],
    terminal: Terminal,
) -> str:
    """Paint the cells after they have their widths, which colours would spoil."""
    cells = [row[0].ljust(widths[0])]
    cells.append(terminal.paint(row[1].ljust(widths[1]), _COLOURS.get(point["verdict"]["code"], "red")))
    for index, (key, _title) in enumerate(shown):
        at = 2 + 2 * index
        change = row[at + 1].rjust(widths[at + 1])
        is_worse = (point["figures"][key] or {}).get("regression")
        cells += [row[at].rjust(widths[at]), terminal.paint(change, "red") if is_worse else change]
    return _GAP.join([*cells, name])
