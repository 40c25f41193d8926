"""What a workload folder is: its file, its name, and its place as Java gets it."""

from __future__ import annotations

from pathlib import Path

from shardload.config.places import Places

# The file that makes a folder a workload; it is one of the four that Taurus merges.
WORKLOAD_FILE = "workload.yml"


def name_of(path: Path) -> str:
    """Return the name of a merged file: that of its folder where a folder is the workload."""
    return path.resolve().parent.name if path.name == WORKLOAD_FILE else path.stem


def place_of(path: Path, places: Places) -> str:
    """Return a workload's folder as Java gets it: relative to the checkout if it lies in it, for load hosts."""
    folder = path.resolve().parent
    try:
        return folder.relative_to(places.root.resolve()).as_posix()
    except ValueError:
        return str(folder)
