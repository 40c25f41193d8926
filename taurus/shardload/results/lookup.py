"""Finding a run or a group of runs (a series or a search) by a part of its name, and whether a process writes to it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shardload.config.problem import Problem
from shardload.config.values.labels import KEYS
from shardload.results.bundle import RUN_FILE, is_bundle

SERIES_FILE = "series.json"
SEARCH_FILE = "search.json"
# What a folder has instead of a run: the list of the runs that belong together.
GROUP_FILES = (SERIES_FILE, SEARCH_FILE)
# A shorter part would name a run by accident.
_HOLD_SECONDS = 2.0
LEAST_LETTERS = 3
_SHOWN = 5


def read_json(file: Path) -> dict[str, Any]:
    """Return a JSON object; an empty one where the file is missing or damaged, as of a run that was cut off."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        content = json.loads(file.read_text(encoding="utf-8"))
        return content if isinstance(content, dict) else {}
    return {}


def is_search(folder: Path) -> bool:
    """Whether a folder is a search for the capacity."""
    return (folder / SEARCH_FILE).is_file()


def is_group(folder: Path) -> bool:
    """Whether a folder is a series or a search."""
    return any((folder / name).is_file() for name in GROUP_FILES)


def is_run(folder: Path) -> bool:
    """Whether a folder is a bundle, a series or a search."""
    return is_bundle(folder) or is_group(folder)


def runs_in(folder: Path) -> list[Path]:
    """Return bundles, series and searches by their names, which begin with their times."""
    return sorted({path.parent for name in (RUN_FILE, *GROUP_FILES) for path in folder.glob(f"*/{name}")})


def read_group(folder: Path) -> dict[str, Any]:
    """Return the content of series.json or search.json."""
    return next((found for name in GROUP_FILES if (found := read_json(folder / name))), {})


def member(runs: Path, run: Mapping[str, Any]) -> Path | None:
    """Return the bundle of a run of a series or search; None if the run left none.

    A series may come from anywhere: what it names is in the folder of runs, not at the end of a path.
    """
    name = run.get("bundle")
    if not name:
        return None
    if not isinstance(name, str) or name in (".", "..") or "/" in name:
        raise Problem(f'the series names the bundle "{name}", which is not a name in the folder of runs')
    return runs / name


def labels_of(folder: Path) -> dict[str, Any]:
    """Return name, tags and note of a run, series or search, as far as there are any."""
    own = read_group(folder) or read_json(folder / RUN_FILE).get("run")
    return {key: own[key] for key in KEYS if own.get(key)} if isinstance(own, dict) else {}


def abbreviated(text: str, runs: Path) -> Path | None:
    """Return the run, series or search that a part of its name stands for; None if none does, a problem if several do.

    What the user called it comes before how its folder's name begins, and that before any other part.
    """
    if len(text) < LEAST_LETTERS or "/" in text:
        return None
    there = runs_in(runs)
    for matches in (
        [folder for folder in there if folder.name.endswith(f"-{text}") and labels_of(folder).get("name") == text],
        [folder for folder in there if folder.name.startswith(text)],
        [folder for folder in there if text in folder.name],
    ):
        outer = _without_members(matches)
        if len(outer) == 1:
            return outer[0]
        if outer:
            shown = ", ".join(folder.name for folder in outer[-_SHOWN:])
            more = f" and {len(outer) - _SHOWN} more" if len(outer) > _SHOWN else ""
            raise Problem(f'"{text}" is part of the name of {len(outer)} runs: {shown}{more}; write more of it')
    return None


def _without_members(folders: list[Path]) -> list[Path]:
    """Return the folders without the runs of a series or search that is among them; these share its name."""
    groups = {folder.name for folder in folders if is_group(folder)}
    return [folder for folder in folders if group_of(folder) not in groups]


def group_of(bundle: Path) -> str | None:
    """Return the name of the series or search that a bundle belongs to."""
    run = read_json(bundle / RUN_FILE).get("run")
    place = run.get("series") if isinstance(run, dict) else None
    return str(place).partition("/")[0] if place else None


def hold(folder: Path) -> int | None:
    """Mark a folder as being written to until this process ends; None where the file system has no locks.

    The lock is on the folder itself, so that nothing is left of it in the bundle, not even after a kill.
    """
    try:
        held = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    deadline = time.monotonic() + _HOLD_SECONDS
    while True:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return held
        except BlockingIOError:
            # Another process looks whether the folder is held, and has the lock for a moment.
            if time.monotonic() > deadline:
                break
            time.sleep(0.01)
        except OSError:
            break
    os.close(held)
    return None


def is_held(folder: Path) -> bool:
    """Whether a process is writing to a run, series or search."""
    try:
        probe = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(probe)
