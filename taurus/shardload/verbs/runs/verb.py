"""The verb ``runs``: a table of what is in the folder of runs, its removal, and opening a report."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from shardload import exit_codes
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.results.bundle import bundles_in
from shardload.results.lookup import group_of, is_group, is_held, read_json, runs_in
from shardload.terminal import Terminal
from shardload.verbs.compare import find_run
from shardload.verbs.runs import table
from shardload.verbs.runs.rows import rows_of, wanted

_PAGES = ("report.html", "compare.html", "search.html")
# Programs that open a page, by platform; the first existing one is used.
_OPENERS = {"darwin": ("open",), "linux": ("xdg-open", "wslview")}
_BEGUN_FILE = Path("journal", "begun.json")
_ENVIRONMENT_FILE = "environment.json"


def runs(options: argparse.Namespace, places: Places) -> int:
    """Perform the verb."""
    action = {"rm": _remove, "open": _open, None: _list}[options.action]
    return action(options, places)


def _list(options: argparse.Namespace, places: Places) -> int:
    rows = wanted(rows_of(places.runs, options.each), options)
    if options.json:
        print(json.dumps(rows, indent=2))
        return exit_codes.OK
    terminal = Terminal()
    if not rows:
        some = " that match" if runs_in(places.runs) else ""
        terminal.line(f"no runs{some} in {places.show(places.runs)}")
        return exit_codes.OK
    for line in table.lines(rows, terminal, terminal.width if terminal.is_terminal else None):
        terminal.line(line)
    return exit_codes.OK


def _open(options: argparse.Namespace, places: Places) -> int:
    folder = find_run(options.run, places)
    page = next((folder / name for name in _PAGES if (folder / name).is_file()), None)
    if page is None:
        raise Problem(f"{folder.name} has no report yet; shardload report {folder.name} writes it")
    print(page)
    opener = next(filter(None, map(shutil.which, _OPENERS.get(sys.platform, ()))), None)
    if opener is not None and not options.print:
        subprocess.Popen(
            [opener, str(page)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
    return exit_codes.OK


def _remove(options: argparse.Namespace, places: Places) -> int:
    """Remove runs, series and searches, after all of them were checked: nothing is removed if one may not be."""
    named = list(dict.fromkeys(find_run(text, places) for text in options.runs))
    folders = list(dict.fromkeys(part for folder in named for part in with_members(folder, places)))
    terminal = Terminal()
    for folder in folders:
        if folder.resolve().parent != places.runs.resolve():
            raise Problem(f"{folder} is not in {places.show(places.runs)}; only runs there are removed")
        if is_held(folder):
            raise Problem(f"{folder.name} is still being written; wait until the run ends, or stop it")
        if is_unsettled(folder) and not options.unsettled:
            raise Problem(
                f"{folder.name} left its data set unsettled, and shardload verify needs its bundle for that; verify "
                "first, or remove it anyway with --unsettled"
            )
    size = sum(_bytes(folder) for folder in folders)
    for folder in folders:
        terminal.line(f"  {folder.name}")
    what = f"{len(folders)} folder{'s' if len(folders) != 1 else ''}, {size / 1e6:.1f} MB"
    if not options.yes and not _is_agreed(f"remove {what}? [y/N] "):
        terminal.line("nothing was removed")
        return exit_codes.INTERRUPTED
    for folder in folders:
        _delete(folder)
    terminal.line(f"removed {what}")
    return exit_codes.OK


def with_members(folder: Path, places: Places) -> Sequence[Path]:
    """Return a run; of a series or search its runs, and then the folder itself."""
    if not is_group(folder):
        return [folder]
    return [*(bundle for bundle in bundles_in(places.runs) if group_of(bundle) == folder.name), folder]


def is_unsettled(bundle: Path) -> bool:
    """Whether the data set still waits for a verification that reads the journals of this run."""
    begun = read_json(bundle / _BEGUN_FILE)
    keeps_data = read_json(bundle / _ENVIRONMENT_FILE).get("keeps_data", True)
    return bool(begun) and not begun.get("settled") and bool(keeps_data)


def _is_agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise Problem("runs rm: no terminal to ask on; --yes removes without asking")
    print(question, end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _bytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _delete(folder: Path) -> None:
    if folder.is_symlink():
        raise Problem(f"{folder.name} is a symbolic link; remove it by hand")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise Problem(f"cannot remove {folder.name}: {error.strerror}: {error.filename}") from error
