"""The verb ``runs``: a table of what is in the folder of runs, its removal, and opening a report."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.config.values.quantities import show_nanos
from shardload.results.bundle import bundles_in
from shardload.results.lookup import group_of, is_group, is_held, read_json, runs_in
from shardload.results.searches import show_rate
from shardload.terminal import Terminal
from shardload.verbs.compare import find_run
from shardload.verbs.runs.rows import rows_of, wanted

_PAGES = ("report.html", "compare.html", "search.html")
# Programs that open a page, by platform; the first existing one is used.
_OPENERS = {"darwin": ("open",), "linux": ("xdg-open", "wslview")}
_BEGUN_FILE = Path("journal", "begun.json")
_ENVIRONMENT_FILE = "environment.json"
_GAP = "  "
# From here on the time has a column of its own; before, the first letters of a run's name are its time.
_WIDE = 120
_LEAST_LABEL = 8
_STAMP_LETTERS = 15
_COLOURS = {"ok": "green", "missed": "yellow", "running": "cyan"}
_RIGHT = ("rate/s", "p99")
_VERDICT = "verdict"


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
    for line in table(rows, terminal, terminal.width if terminal.is_terminal else None):
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


def table(rows: Sequence[Mapping[str, Any]], terminal: Terminal, width: int | None) -> Iterator[str]:
    """Draw the rows under a line of titles; without a width nothing is cut."""
    is_wide = width is None or width >= _WIDE
    handles = [row["run"] for row in rows] if is_wide else shortest([row["run"] for row in rows])
    cells = [_cells(row, handle, is_wide) for row, handle in zip(rows, handles)]
    titles = list(cells[0]) if cells else []
    widths = {title: max(len(title), *(len(row[title]) for row in cells)) for title in titles}
    if width is not None:
        _fit(widths, width)
    yield terminal.paint(_line({title: title for title in titles}, widths), "bold")
    for row in cells:
        painted = _line(row, widths)
        verdict = row[_VERDICT].ljust(widths[_VERDICT])
        yield painted.replace(verdict, terminal.paint(verdict, _COLOURS.get(row[_VERDICT], "red")), 1)


def _cells(row: Mapping[str, Any], handle: str, is_wide: bool) -> dict[str, str]:
    started = datetime.fromisoformat(row["started"]).astimezone(timezone.utc) if row["started"] else None
    when = f"{started:%Y-%m-%d %H:%M}" if started else "-"
    profile = row["profile"] or "-"
    what = f"{row['workload'] or '-'}/{profile}" if is_wide else profile
    if row["kind"] != "run":
        what += f" x{row['runs']}"
    p99 = row["p99_ns"]
    return {
        "run": handle,
        **({"time (UTC)": when} if is_wide else {}),
        "target": row["target"] or "-",
        "workload/profile" if is_wide else "profile": what,
        _VERDICT: str(row["verdict"]),
        "rate/s": _capacity(row["capacity"]) if row["capacity"] else _rate(row["achieved_per_second"]),
        "p99": "-" if p99 is None else show_nanos(p99),
        # The name of a run has the name that the user gave.
        **({"tags": label({**row, "name": None})} if is_wide else {"name, tags": label(row)}),
    }


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:,.0f}" if rate >= 1000 else f"{rate:.1f}"


def _capacity(capacity: Mapping[str, float | None]) -> str:
    """Return the interval of a search in few columns."""
    low, high = capacity["low_per_second"], capacity["high_per_second"]
    if low is not None and high is not None:
        return f"{show_rate(low)}-{show_rate(high)}"
    return f">={show_rate(low)}" if low is not None else f"<{show_rate(high)}" if high is not None else "-"


def label(row: Mapping[str, Any]) -> str:
    """Return name and tags of a row."""
    return " ".join(
        [*([row["name"]] if row["name"] else []), *(f"{key}={value}" for key, value in row["tags"].items())]
    )


def shortest(names: Sequence[str]) -> list[str]:
    """Return the time at the start of each name, with as much more of the name as makes it unique."""
    handles = []
    for name in names:
        length = min(len(name), _STAMP_LETTERS)
        while length < len(name) and any(other.startswith(name[:length]) for other in names if other != name):
            length += 1
        handles.append(name[:length])
    return handles


def _fit(widths: dict[str, int], width: int) -> None:
    """Take columns away where there are too many: from names and tags first, then from target and profile.

    What a program's user would copy, the run, is never cut.
    """
    last = list(widths)[-1]
    for title in (last, "target", "workload/profile", "profile"):
        if title in widths:
            excess = sum(widths.values()) + len(_GAP) * (len(widths) - 1) - width
            least = max(_LEAST_LABEL, len(title)) if title == last else len(title)
            widths[title] = max(least, widths[title] - max(0, excess))


def _line(row: Mapping[str, str], widths: Mapping[str, int]) -> str:
    parts = []
    for title, text in row.items():
        room = widths[title]
        shown = text if len(text) <= room else text[: room - 1] + "…"
        parts.append(shown.rjust(room) if title in _RIGHT else shown.ljust(room))
    return _GAP.join(parts).rstrip()
