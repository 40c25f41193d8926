"""The options of the verbs ``report``, ``compare`` and ``parity``."""

from __future__ import annotations

from shardload.options.common import DEFAULT_WORKLOAD, Verbs, add_overrides, add_runs, add_verb, example

_COMPARE_EPILOG = """\
examples:
  shardload compare 20261121-060102-citus-steady 20261121-071500-ferretdb-steady
  shardload compare runs/20261121-080000-citus-series
Only repeated runs in turns (run --repeat 6 --interleave-with TARGET) tell a difference from the noise between runs.
"""

_PARITY_EPILOG = """\
examples:
  shardload parity --targets embedded-postgresql,embedded-mongodb
  shardload parity --targets citus,mongodb-sharded --calls 1000 -o workload.data.documents=20000
Every target gets the same documents and the same calls. Each answer, and the whole state after the writes, is compared
with what the workload itself says. Exit code 0 if all are equal, 4 if not; addresses belong in the target files.
"""


def add(verbs: Verbs) -> None:
    """Add these verbs to the command line."""
    shown = example("report", "report 20261121-060102-citus-steady --static page")
    text = "write summary.json and report.html of a bundle again, or the page of a search"
    report = add_verb(verbs, "report", text, shown)
    report.add_argument(
        "bundle", nargs="?", help="a bundle or a search, by its name in runs/ or its path (default: the latest bundle)"
    )
    compare = add_verb(verbs, "compare", "compare runs, or the runs of a series again", _COMPARE_EPILOG)
    compare.add_argument(
        "runs", nargs="+", metavar="RUN", help="a bundle or a series, by its name in runs/ or its path"
    )
    compare.add_argument("--into", metavar="DIR", help="where compare.html and compare.json go")
    for verb in (report, compare):
        verb.add_argument(
            "--static", metavar="DIR", help="also write the page there without scripts, for viewers such as Jenkins'"
        )
    parity = add_verb(
        verbs,
        "parity",
        "check whether targets give the same answers; uses scratch tables, never your data",
        _PARITY_EPILOG,
    )
    parity.add_argument("--targets", "-t", required=True, metavar="A,B", help="two or more, by name or file")
    parity.add_argument("--workload", "-w", default=DEFAULT_WORKLOAD, help="by its name or its file (%(default)s)")
    parity.add_argument("--calls", type=int, default=200, metavar="N", help="of each transaction (%(default)s)")
    add_overrides(parity)
    for verb in (report, compare, parity):
        add_runs(verb)
