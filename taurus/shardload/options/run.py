"""The options of ``run``. Verbs that come before or after a run have some of them."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  shardload run --target citus --profile max-capacity
  shardload run --target citus --profile steady --rate 800 --duration 5m
  shardload run --target citus --profile find-capacity --rate 500 --max-duration 20m
  shardload run --target citus --profile steady --name new-index --tag build=17 --note "filter4 as btree"
  shardload run --target citus --repeat 6 --interleave-with ferretdb
  shardload run --target citus --vary schema.index=hash,btree --vary execution.0.throughput=200,400
With --repeat, --interleave-with or --vary the data is loaded again before each run, the order alternates from round
to round (ABBA BAAB), and the runs are compared at the end: runs/<series>/compare.html.
A profile with a section "search", as find-capacity has, makes run a search: one run after the other until the highest
rate within the limits is known. docs/capacity.md describes it.
With any verb an option whose value is empty counts as not given: --rate "" is no --rate, and -o "" sets nothing.
"""


def add_shortcuts(parser: argparse.ArgumentParser, with_load: bool = False) -> None:
    """Add shortcuts for keys; those of the load only where a load is made."""
    group = parser.add_argument_group("shortcuts for -o")
    if with_load:
        group.add_argument("--rate", metavar="N", help="arrivals per second, as 500 or 10k (execution.0.throughput)")
        group.add_argument(
            "--duration", metavar="T", help="as 5m: execution.0.hold-for, or ramp-up where the profile has steps"
        )
        group.add_argument("--concurrency", metavar="N", help="workers (execution.0.concurrency)")
    group.add_argument("--url", metavar="URL", help="of the server, without user and password (target.url)")
    group.add_argument("--user", metavar="NAME", help="(target.user); the password's variable is target.password-env")
    group.add_argument("--documents", metavar="N", help="as 100k or 2M (workload.data.documents)")
    group.add_argument("--document-size", metavar="S", help="as 4KiB (workload.data.document-size)")
    group.add_argument("--seed", metavar="N", help="of data and load (workload.seed)")
    if with_load:
        add_load_hosts(group)
    group.add_argument(
        "--options",
        metavar='"K=V K=V"',
        help="several overrides in one argument, quoted as in a shell; of the target only target.options"
        + ("" if with_load else "; keys of a run are left out"),
    )


def add_allow_writes(parser: argparse.ArgumentParser) -> None:
    """Add the consent to writes into data that shardload did not make."""
    parser.add_argument(
        "--allow-writes", action="store_true", help="let a workload with data: existing write to these data"
    )


def add_load_hosts(parser: argparse._ActionsContainer) -> None:
    """Add the list of load hosts."""
    parser.add_argument("--load-hosts", metavar="A,B", help="host or host:port of each (target.load-hosts)")


def add_console(parser: argparse.ArgumentParser) -> None:
    """Add how a run shows itself."""
    shown = parser.add_argument_group("console").add_mutually_exclusive_group()
    shown.add_argument("--quiet", "-q", action="store_true", help="print only verdict, rate, p99, report and problems")
    shown.add_argument(
        "--json", action="store_true", help="a line of JSON per second and one at the end; all else to standard error"
    )


def console_of(options: argparse.Namespace) -> str:
    """Return how the seconds of a run are shown: live, quiet or json."""
    return "json" if options.json else "quiet" if options.quiet else "live"


def add_rehearsal(parser: argparse.ArgumentParser) -> None:
    """Add what shows a run without it, and what keeps it from loading."""
    group = parser.add_argument_group("before the load")
    group.add_argument(
        "--dry-run", action="store_true", help="show configuration, plan and time; start and write nothing"
    )
    group.add_argument("--no-load", action="store_true", help="load nothing: exit code 1 if documents are missing")


def add_ending(parser: argparse.ArgumentParser) -> None:
    """Add what a caller such as Jenkins needs of the end of a run."""
    group = parser.add_argument_group("for continuous integration")
    group.add_argument(
        "--allow-missed-criteria", action="store_true", help="exit with 0 where the code would be 3; junit.xml has them"
    )
    group.add_argument(
        "--results", metavar="DIR", help="empty this folder and record the run there, for the verb results"
    )


def add_labels(parser: argparse.ArgumentParser) -> None:
    """Add what finds the run again."""
    group = parser.add_argument_group("to find the run again (all stored in clear: no secrets)")
    group.add_argument("--name", metavar="NAME", help="becomes part of the bundle's folder name (run.name)")
    group.add_argument(
        "--tag", action="append", default=[], metavar="KEY=VALUE", help="repeatable; for shardload runs (run.tags)"
    )
    group.add_argument("--note", metavar="TEXT", help="one line for reports (run.note)")


def add_series(parser: argparse.ArgumentParser) -> None:
    """Add what makes several runs of one call."""
    series = parser.add_argument_group("several runs")
    series.add_argument(
        "--repeat",
        type=int,
        metavar="N",
        help="each side N times (default: 6 with --interleave-with, else 1); a verdict needs 5",
    )
    series.add_argument("--interleave-with", metavar="TARGET", help="alternate with another target, then compare")
    series.add_argument(
        "--vary", action="append", default=[], metavar="KEY=V1,V2", help="one run for each value; repeat for a matrix"
    )
    series.add_argument(
        "--max-duration", metavar="T", help="as 20m: of a search for the capacity (search.max-duration)"
    )
    _add_consents(series)


def add_recreate(parser: argparse.ArgumentParser) -> None:
    """Add the options that drop the data and load it again."""
    parser.add_argument("--recreate", action="store_true", help="drop the existing data: ALL documents of the data set")
    _add_consents(parser)


def _add_consents(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--discard-unsettled",
        action="append",
        default=[],
        metavar="RUN",
        help="also if this run wrote to it and no verification has settled it; a series or a folder of run --results: "
        "all its runs",
    )
    parser.add_argument(
        "--replace-foreign", action="store_true", help="also a table or collection that shardload did not make"
    )
