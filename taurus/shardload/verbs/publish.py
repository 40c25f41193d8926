"""The verb ``publish``: which runs go into which store; the import itself is made by the Java child."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from shardload import exit_codes
from shardload.config.merge import Merged
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.config.store import Store
from shardload.processes.child import ChildDied, Interrupted
from shardload.processes.session import Session, describe
from shardload.processes.signals import StopRequest
from shardload.results.bundle import is_bundle
from shardload.terminal import Terminal
from shardload.verbs.compare import bundles_of, find_run
from shardload.verbs.publish_store import given_store, store_of


def publish(options: argparse.Namespace, places: Places) -> int:
    """Publish each run; one that fails does not stop the others."""
    terminal = Terminal()
    bundles = list(dict.fromkeys(bundles_of([find_run(text, places) for text in options.runs], places)))
    if not bundles:
        raise Problem("publish: the series has no runs yet")
    given_store(options)  # what is wrong for all runs is said once
    stop = StopRequest(terminal.line, abandon_at=2)
    stop.install()
    code = exit_codes.OK
    for number, bundle in enumerate(bundles, 1):
        head = f"{number} of {len(bundles)}  " if len(bundles) > 1 else ""
        try:
            if not is_bundle(bundle):
                raise Problem("the series names it and it is not there")
            store = store_of(options, bundle, places)
            terminal.line(head + _publish(bundle, store, places, terminal, lambda: stop.is_made))
        except (Problem, ChildDied) as error:
            terminal.line(f"{head}{bundle.name}: not published: {describe(error)}")
            code = exit_codes.WRONG_USE
        except Interrupted:
            terminal.clear()
            terminal.line(f"{head}{bundle.name}: interrupted; publish it again, the store may have a part of it")
            return exit_codes.INTERRUPTED
    return code


def _publish(bundle: Path, store: Store, places: Places, terminal: Terminal, is_interrupted: Callable[[], bool]) -> str:
    session = Session({}, Merged({}), places, terminal, None)
    try:
        done = session.call(
            "publish", is_interrupted, directory=str(bundle), progress=terminal.is_terminal, **store.to_json()
        )
    finally:
        session.close()
    for problem in done.get("problems") or []:
        terminal.line(f"warning: {bundle.name}: {problem}")
    return (
        f"{bundle.name}: {store.url} shows {done['operations']:,} operations, the same as the ledger "
        f"({done['series']:,} series, {done['samples']:,} samples)"
    )
