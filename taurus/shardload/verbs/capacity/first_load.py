"""The data of a search is loaded before the first run: the console shows the progress, and no run needs to load."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import datetime

from shardload.config import effective
from shardload.config.effective import Checked
from shardload.config.places import Places
from shardload.processes.data import refuse_incomplete
from shardload.processes.session import Session
from shardload.terminal import Terminal


def load(
    options: argparse.Namespace,
    places: Places,
    terminal: Terminal,
    checked: Checked,
    interrupted: Callable[[], bool],
) -> None:
    """Create the tables and load what is missing; with --no-load, refuse a data set that lacks documents.

    Raises ChildError if the server refuses, and Interrupted if the user wants to stop.
    """
    run_id = f"{datetime.now():%Y%m%d-%H%M%S}-{checked.merged.names['target']}-load"
    session = Session(effective.build(checked, run_id, None, "load"), checked.merged, places, terminal, None)
    try:
        session.check(checked.transactions, interrupted)
        session.start_embedded(interrupted)
        session.settle_size(interrupted)
        if options.no_load:
            refuse_incomplete(session, interrupted)
        elif session.keeps_data:
            session.call("schema", interrupted)
            session.call("load", interrupted)
    finally:
        session.close()
