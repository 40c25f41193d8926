"""The tables and documents of a run: made, or only checked if the user wants nothing loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shardload.config import invocation
from shardload.processes.child import ChildError
from shardload.processes.session import Session

_READY = ("complete", "nothing-to-load")


def open_tables(session: Session, interrupted: Callable[[], bool]) -> dict[str, Any]:
    """Create the tables or check the existing ones; with --no-load, only where all documents exist."""
    if invocation.current is not None and invocation.current.is_no_load:
        refuse_incomplete(session, interrupted)
    return session.call("schema", interrupted)


def refuse_incomplete(session: Session, interrupted: Callable[[], bool]) -> None:
    """Refuse a data set that lacks documents, with the command that loads them; nothing is made or changed.

    What else is wrong with it, the run itself refuses.
    """
    if not session.keeps_data:
        raise ChildError("--no-load: this server is empty at each start, so a run must load", None, 1)
    found = session.call("data-state", interrupted)
    state, loaded, documents = found["state"], int(found["loaded"]), int(found["documents"])
    if state in _READY:
        return
    if state == "refused":
        raise ChildError(f"--no-load: {found['detail']}", None, 1)
    what = "rows" if session.config["workload"].get("folder") else "documents"
    there = "the data set does not exist" if state == "none" else f"only {loaded:,} of {documents:,} {what} are there"
    error = ChildError(f"--no-load: {there}", None, 1)
    error.hints = session.suggest(f"to load {documents - loaded:,} {what}", "load")
    raise error
