"""``run --dry-run``: the configuration with its origins, the plan, and what would be loaded."""

from __future__ import annotations

import argparse
import json
import os
import sys

from shardload import exit_codes
from shardload.config import effective
from shardload.config.merge import merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.processes.checking import check_wholly
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.session import Session, full_text
from shardload.terminal import Terminal, complain
from shardload.verbs.dry import text
from shardload.verbs.dry.configuration import rows, with_defaults
from shardload.verbs.dry.data import look
from shardload.verbs.dry.plan import samples, times
from shardload.verbs.dry.text import Rehearsal
from shardload.verbs.run import files_of, set_console


def refuse_what_writes(options: argparse.Namespace) -> None:
    """Refuse options that a dry run cannot mean: it starts one run and writes nothing."""
    several = options.repeat is not None or options.interleave_with or options.vary
    if options.dry_run and (several or options.results):
        flag = "--results" if options.results else "--repeat, --interleave-with and --vary"
        why = "nothing is written" if options.results else "one run is shown"
        raise Problem(f"--dry-run: {why}; leave out {flag}")
    if options.no_load and several:
        raise Problem("--no-load: a series loads the data again before each run; remove one of the two")


def dry_run(options: argparse.Namespace, places: Places) -> int:
    """Show what the run would be; return 1 if it would be refused."""
    os.chdir(places.root)
    set_console(options)
    terminal = Terminal()
    try:
        rehearsal = _rehearse(options, places, terminal)
    except (ChildError, ChildDied) as error:
        complain(full_text(error))
        return error.exit_code
    if options.json:
        print(json.dumps(rehearsal.to_json(), indent=2, default=str))
    else:
        text.show(rehearsal, Terminal(sys.stdout))
    is_short = options.no_load and rehearsal.data.to_load != 0
    return exit_codes.WRONG_USE if rehearsal.data.is_refused or is_short else exit_codes.OK


def _rehearse(options: argparse.Namespace, places: Places, terminal: Terminal) -> Rehearsal:
    merged = merge(files_of(options, places), options.option, places, options.flags)
    checked = check_wholly(merged, places)
    assert checked.load is not None
    segments = checked.load.segments()
    config = effective.build(checked, "dry-run", None, merged.names.get("profile", ""))
    with Session(config, merged, places, terminal, None) as session:
        known = session.check(checked.transactions)
        data = look(session, checked, places, known.get("data") or {})
    shown, defaults = with_defaults(checked, known.get("data") or {}, known.get("options") or {})
    return Rehearsal(
        checked,
        list(rows(shown, merged, defaults)),
        segments,
        known,
        samples(checked, segments, known),
        data,
        times(checked, segments, data.documents, data.to_load),
        options.no_load,
    )
