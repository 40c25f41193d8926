"""The options of the verb ``runs``."""

from __future__ import annotations

import argparse

from shardload.options.common import Verbs, add_verb

_EPILOG = """\
examples:
  shardload runs
  shardload runs --tag build=17 --verdict ok --since 7d
  shardload runs open new-index
  shardload runs rm 20261121-060102 20261121-080000-citus-series
A run is named by any part of its folder's name that no other has: what run --name gave it, or its time. So do report,
compare, publish, export and history --add. A series or a search is one line with the number of its runs (x12).
"""


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    runs = add_verb(verbs, "runs", "list, open or remove runs", _EPILOG)
    runs.set_defaults(action=None)
    _add_filters(runs)
    actions = runs.add_subparsers(dest="action", metavar="[rm|open]", parser_class=argparse.ArgumentParser)
    remove = add_verb(actions, "rm", "remove runs, or series and searches with their runs; asks before")
    remove.add_argument("runs", nargs="+", metavar="RUN", help="a run, series or search, by a part of its name")
    remove.add_argument("--yes", "-y", action="store_true", help="do not ask; needed where there is no terminal")
    remove.add_argument(
        "--unsettled", action="store_true", help="also remove a run whose bundle is still needed to verify its data set"
    )
    opened = add_verb(actions, "open", "print the path of a report, and open it where that is possible")
    opened.add_argument("run", metavar="RUN", help="a run, series or search, by a part of its name")
    opened.add_argument("--print", action="store_true", help="print the path only")


def _add_filters(runs: argparse.ArgumentParser) -> None:
    runs.add_argument(
        "--tag", action="append", default=[], metavar="KEY=VALUE", help="only runs with this tag; repeatable"
    )
    runs.add_argument("--target", "-t", metavar="NAME", help="only runs of this target")
    # Checked later: argparse names no nearest one.
    runs.add_argument(
        "--verdict", metavar="WORD", help="only these: ok, missed, interrupted, wrong, invalid, running, unfinished"
    )
    runs.add_argument("--since", metavar="TIME", help="only newer ones: 2026-11-21, 7d or 2h")
    runs.add_argument("--limit", type=int, metavar="N", help="only the newest N")
    runs.add_argument("--each", action="store_true", help="also each run of a series or search")
    runs.add_argument("--json", action="store_true", help="print everything as JSON")
