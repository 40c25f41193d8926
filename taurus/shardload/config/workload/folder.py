"""Where workload folders are, and how one is named on the command line."""

from __future__ import annotations

from pathlib import Path

from shardload.config.places import STARTED_IN, Places
from shardload.config.problem import Problem, unknown

# The file that makes a folder a workload; it is one of the four that Taurus merges.
WORKLOAD_FILE = "workload.yml"


def names(places: Places) -> list[str]:
    """Return the names of all workloads of the checkout: files and folders."""
    home = _home(places)
    files = [path.stem for path in home.glob("*.yml")]
    return sorted({*files, *(path.parent.name for path in home.glob(f"*/{WORKLOAD_FILE}"))})


def find(places: Places, text: str) -> Path:
    """Return the file of a workload by its name, or by the path of its folder or of the folder's workload.yml."""
    if "/" not in text:
        for path in (_home(places) / f"{text}.yml", _home(places) / text / WORKLOAD_FILE):
            if path.is_file():
                return path
    path = STARTED_IN / Path(text).expanduser()
    if "/" not in text and not path.is_dir():
        raise Problem(unknown("workload", text, names(places)) + "; a folder is named by its path, as ./shop")
    return _in_folder(path, text)


def _in_folder(path: Path, text: str) -> Path:
    if not path.exists():
        raise Problem(f"workload {text}: there is no such folder")
    file = path / WORKLOAD_FILE if path.is_dir() else path
    if file.name != WORKLOAD_FILE:
        raise Problem(f"workload {text}: name the folder, or the file {WORKLOAD_FILE} in it")
    if not file.is_file():
        raise Problem(f"workload {text}: the folder has no {WORKLOAD_FILE}; shardload workload init makes a new folder")
    return file.resolve()


def name_of(path: Path) -> str:
    """Return the name of a merged file: that of its folder where a folder is the workload."""
    return path.resolve().parent.name if path.name == WORKLOAD_FILE else path.stem


def argument(path: Path, places: Places) -> str:
    """Return what to write after ``--workload`` for a file, wherever the command is called."""
    if path.name != WORKLOAD_FILE:
        return path.stem
    folder = path.resolve().parent
    return folder.name if folder.parent == _home(places).resolve() else str(folder)


def place_of(path: Path, places: Places) -> str:
    """Return a workload's folder as Java gets it: relative to the checkout if it lies in it, for load hosts."""
    folder = path.resolve().parent
    try:
        return folder.relative_to(places.root.resolve()).as_posix()
    except ValueError:
        return str(folder)


def _home(places: Places) -> Path:
    return places.taurus / "workloads"
