"""The page of a search. Java draws it from ``search.json`` and the bundles of the runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.config.merge import Merged
from shardload.config.places import Places
from shardload.processes.session import Session
from shardload.results.lookup import SEARCH_FILE, member, read_json
from shardload.terminal import Terminal


def draw(folder: Path, places: Places, terminal: Terminal, static: Path | None = None) -> list[str]:
    """Write search.html, and the page without scripts if a folder is named for it; return the lines for the console.

    Raises ChildError or ChildDied if Java cannot draw the page.
    """
    for run in read_json(folder / SEARCH_FILE).get("runs") or []:
        member(places.runs, run)  # refuses a path
    asked: dict[str, Any] = {"static_into": str(static)} if static else {}
    with Session({}, Merged({}), places, terminal, None) as session:
        reply = session.call("capacity", directory=str(folder.resolve()), **asked)
        return [str(line) for line in reply.get("lines") or []]


def redraw(folder: Path, places: Places, terminal: Terminal, static: Path | None = None) -> int:
    """Write the page of a search again; return the exit code of the search."""
    for line in draw(folder, places, terminal, static):
        terminal.line(line)
    code = read_json(folder / SEARCH_FILE).get("exit")
    return exit_codes.INTERRUPTED if code is None else int(code)
