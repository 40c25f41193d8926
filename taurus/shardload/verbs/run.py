"""The verb ``run``: Taurus, in this process, with the four files and nothing else."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bzt.cli import CLI, get_option_parser

from shardload import exit_codes
from shardload.bzt_modules.exit_signal import Ended
from shardload.config import invocation
from shardload.config.merge import find_file, merge
from shardload.config.places import Places
from shardload.processes.checking import check_wholly
from shardload.results.handover import ResultsFolder
from shardload.terminal import signed

_OURS = ("Engine.shardload", "Engine.passfail")


class _OnlyOurs(logging.Filter):
    """Lets through what concerns the run; all the rest is in the bundle's bzt.log."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record reaches the console."""
        return record.name.startswith(_OURS) if record.levelno < logging.ERROR else True


class _Plain(logging.Formatter):
    """A line without time and level; it takes the place of the live block below it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        text = record.getMessage()
        if record.levelno >= logging.ERROR:
            text = signed(text)
        return ("\x1b[J" if sys.stdout.isatty() else "") + text


def files_of(options: argparse.Namespace, places: Places) -> list[Path]:
    """Return the files that are merged, in their order."""
    kinds = [kind for kind in ("target", "workload", "profile") if hasattr(options, kind)]
    return [places.taurus / "base.yml", *(find_file(places, kind, getattr(options, kind)) for kind in kinds)]


def consents_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return what the user agrees to lose where data are made anew, in the form that the child reads."""
    return {"discard_unsettled": options.discard_unsettled, "replace_foreign": options.replace_foreign}


def run(options: argparse.Namespace, places: Places) -> int:
    """Check the configuration, then let Taurus run it."""
    os.chdir(places.root)
    files = files_of(options, places)
    # Before Taurus, which creates folders first; the executor checks again what Taurus then has merged.
    check_wholly(merge(files, options.option, places, options.flags), places)
    results = ResultsFolder.named(options.results, places) if options.results else None
    invocation.current = invocation.Invocation(
        files, list(options.option), options.flags, results.path if results else None
    )
    try:
        return _run_taurus(options, files)
    finally:
        if results:
            results.forget_refused(places)


def _run_taurus(options: argparse.Namespace, files: Sequence[Path]) -> int:
    # No system configs: they would bring ~/.bzt-rc, and keys that are in none of the four files.
    arguments = ["--no-system-configs"]
    for option in options.option:
        arguments += ["-o", option]
    parsed, _ = get_option_parser().parse_args(arguments)
    if not options.verbose:
        CLI.console_handler.addFilter(_OnlyOurs())
    taurus = CLI(parsed)
    if not options.verbose:
        CLI.console_handler.setFormatter(_Plain())
    code = int(taurus.perform([str(path) for path in files]))
    # Taurus keeps the code of the first exception: a part that failed in mid-run made it 1, "nothing was started".
    ended = Ended.last
    is_misled = code == exit_codes.WRONG_USE and ended not in (None, exit_codes.WRONG_USE)
    return (ended or exit_codes.PART_DIED) if is_misled else code
