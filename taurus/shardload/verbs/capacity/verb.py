"""``run`` with a section ``search``: ordinary runs, one after the other, until the capacity is known.

All runs are on one data set: the search loads it, and each run verifies what it wrote.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from datetime import datetime

from shardload import exit_codes
from shardload.config import effective
from shardload.config.effective import Checked
from shardload.config.merge import Merged, merge
from shardload.config.places import SERIES_VARIABLE, Places
from shardload.config.problem import Problem
from shardload.processes.checking import check_wholly
from shardload.processes.child import ChildDied, ChildError, Interrupted
from shardload.processes.session import Session, full_text, refuse_incomplete
from shardload.results.handover import ResultsFolder
from shardload.terminal import Terminal, complain
from shardload.verbs.capacity.runner import Search
from shardload.verbs.one_run import LOG, Relay, starter_of
from shardload.verbs.run import files_of, set_console

_SECTION = "search"


def is_search(options: argparse.Namespace, places: Places) -> bool:
    """Whether a call of run is a search; a run of a series or of a search is an ordinary one."""
    if os.environ.get(SERIES_VARIABLE):
        return False
    merged = merge(files_of(options, places), options.option, places, options.flags)
    if merged.config.get(_SECTION) is None:
        return False
    flagged = [key for key in options.flags if key.startswith(f"{_SECTION}.")]
    if flagged and not _is_asked(merged, options):
        flag = options.flags[flagged[0]]
        raise Problem(f'{flag}: only available for a search; the profile {options.profile} has no section "{_SECTION}"')
    return True


def _is_asked(merged: Merged, options: argparse.Namespace) -> bool:
    """Whether a file or an override of its own has the section, and not only an option such as --max-duration."""
    named = [key for source in merged.sources for key in source.content]
    named += [
        option.partition("=")[0].partition(".")[0] for option in options.option if _key(option) not in options.flags
    ]
    return any(name.lstrip("~$^") == _SECTION for name in named)


def _key(option: str) -> str:
    return option.partition("=")[0]


def refuse_in_series(options: argparse.Namespace) -> None:
    """Refuse what makes a series of runs, each of which would be a search."""
    given = next(name for name in ("repeat", "vary", "interleave_with") if getattr(options, name) not in (None, []))
    flag = "--" + given.replace("_", "-")
    raise Problem(
        f'{flag}: the section "{_SECTION}" of the profile already makes the run a search; name another profile'
    )


def run_search(options: argparse.Namespace, places: Places) -> int:
    """Check the configuration, load the data, search, and write what was found."""
    os.chdir(places.root)
    set_console(options)
    terminal = Terminal()
    checked = check_wholly(merge(files_of(options, places), options.option, places, options.flags), places)
    relay = Relay()
    relay.install()
    refused = _load(options, places, terminal, checked, lambda: relay.is_stopping)
    if refused is not None:
        return refused
    search = Search(options, places, terminal, checked)
    results = ResultsFolder.named(options.results, places) if options.results else None
    if results:
        results.note_run(search.folder.name)
    start = starter_of(options, places, terminal, relay, search.folder / LOG, search.above)
    code = search.run(start, lambda: relay.is_stopping)
    if results:
        results.forget_refused(places)
    return code


def _load(
    options: argparse.Namespace, places: Places, terminal: Terminal, checked: Checked, interrupted: Callable[[], bool]
) -> int | None:
    """Create the tables and load what is missing, so that no run needs to; return the exit code if none can begin.

    With --no-load, a data set that lacks documents is refused.
    """
    run_id = f"{datetime.now():%Y%m%d-%H%M%S}-{checked.merged.names['target']}-load"
    try:
        with Session(effective.build(checked, run_id, None, "load"), checked.merged, places, terminal, None) as session:
            session.check(checked.transactions, interrupted)
            session.start_embedded(interrupted)
            session.settle_size(interrupted)
            if options.no_load:
                refuse_incomplete(session, interrupted)
            elif session.keeps_data:
                session.call("schema", interrupted)
                session.call("load", interrupted)
            return None
    except (ChildError, ChildDied) as error:
        complain(full_text(error))
        return error.exit_code
    except Interrupted:
        terminal.clear()
        terminal.line("the search was interrupted before its first run; the next one continues the load")
        return exit_codes.INTERRUPTED
