"""The options of ``run`` and of the verbs on the data of one target."""

from __future__ import annotations

import argparse

from shardload.options import run
from shardload.options.common import (
    DEFAULT_PROFILE,
    DEFAULT_TARGET,
    DEFAULT_WORKLOAD,
    Verbs,
    add_overrides,
    add_runs,
    add_verb,
    example,
)


def add(verbs: Verbs) -> None:
    """Add these verbs to the command line."""
    verb = add_verb(verbs, "run", "schema, load if empty, load test, verification, report", run.EPILOG)
    add_files(verb, profile=True)
    run.add_shortcuts(verb, with_load=True)
    run.add_rehearsal(verb)
    run.add_labels(verb)
    run.add_console(verb)
    run.add_series(verb)
    run.add_allow_writes(verb)
    run.add_ending(verb)
    shown = example("schema --target citus", "schema --target citus -o schema.index=btree --recreate")
    schema = add_verb(verbs, "schema", "create the tables, or check the existing ones", shown)
    add_data(schema)
    run.add_recreate(schema)
    shown = example("load --target citus --documents 10M", "load --target citus --recreate --document-size 4KiB")
    load = add_verb(verbs, "load", "load the documents; an interrupted load continues where it ended", shown)
    add_data(load)
    run.add_recreate(load)
    shown = example("verify --target citus", "verify --target citus --verification written")
    text = "compare the documents with their expected content, and settle the data set"
    verify = add_verb(verbs, "verify", text, shown)
    add_data(verify)
    verify.add_argument(
        "--verification",
        choices=["all", "written"],
        help="read every document, or those that the run wrote (default: as the run's profile says, or all)",
    )
    verify.add_argument("--interleave-with", metavar="TARGET", help="verify this target too, after a series of both")
    shown = example("calibrate", "calibrate --target postgresql --rounds 30")
    text = "measure the overhead of the harness against a plain loop on the driver"
    calibrate = add_verb(verbs, "calibrate", text, shown)
    add_data(calibrate)
    calibrate.add_argument(
        "--rounds", type=int, metavar="N", help="interleaved rounds (default: 20; fewer decide nothing)"
    )


def add_files(parser: argparse.ArgumentParser, profile: bool = False) -> None:
    """Add the names of target and workload, and of the profile where a load is made."""
    parser.add_argument("--target", "-t", default=DEFAULT_TARGET, help="by its name or its file (%(default)s)")
    parser.add_argument(
        "--workload", "-w", default=DEFAULT_WORKLOAD, help="by its name, its file or its folder (%(default)s)"
    )
    if profile:
        parser.add_argument("--profile", "-p", default=DEFAULT_PROFILE, help="by its name or its file (%(default)s)")
        parser.add_argument("--verbose", "-v", action="store_true", help="show what Taurus logs")
    add_overrides(parser)
    add_runs(parser)


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add what a verb on the data of one target takes."""
    add_files(parser)
    run.add_shortcuts(parser)
