"""Checking a configuration as a whole: by Python and, if Python finds problems, by the Java child as well."""

from __future__ import annotations

from shardload.config import effective
from shardload.config.check import Refused, check
from shardload.config.effective import Checked
from shardload.config.merge import Merged
from shardload.config.places import Places
from shardload.config.problem import Problem, Problems
from shardload.processes.child import ChildDied, ChildError, Interrupted
from shardload.processes.session import Session, full_text
from shardload.terminal import Terminal


def check_wholly(merged: Merged, places: Places, needs_load: bool = True) -> Checked:
    """Check a configuration; a refusal also lists the problems that only the child finds.

    If Python finds no problem, the child is not asked here: the caller asks it anyway.
    """
    try:
        return check(merged, needs_load)
    except Refused as refused:
        if refused.readable is None:
            raise
        key, told = _of_child(refused.readable, places)
        lines = refused.lines
        if key.startswith("mix."):
            # A misspelt transaction is the reason for the wrong sum, not a second problem.
            lines = [line for line in lines if line not in refused.sums]
        elif key == "mix" and refused.sums:
            told = []
        raise Problems([*lines, *told]) from None


def _of_child(readable: Checked, places: Places) -> tuple[str, list[str]]:
    """Return the key that the child refuses, and the lines that it says."""
    config = effective.build(readable, "check", None, "check")
    try:
        with Session(config, readable.merged, places, Terminal(), None) as session:
            session.check(readable.transactions)
    except (ChildError, Problem) as error:
        return error.key or "", full_text(error).splitlines()
    except (ChildDied, Interrupted):
        pass  # Python's problems are enough to refuse it
    return "", []
