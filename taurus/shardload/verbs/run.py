"""The verb ``run``: Taurus, in this process, with the four files and nothing else."""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from bzt.cli import CLI, get_option_parser

from shardload import exit_codes
from shardload.bzt_modules.exit_signal import Ended
from shardload.config import invocation
from shardload.config.merge import find_file, merge
from shardload.config.places import STARTED_IN, Places
from shardload.options.run import console_of
from shardload.processes.checking import check_wholly
from shardload.results.bundle import SUMMARY_FILE, bundles_in
from shardload.results.handover import ResultsFolder
from shardload.results.lookup import group_of, is_group
from shardload.terminal import Terminal, harmless, signed

_OURS = ("Engine.shardload", "Engine.passfail")


class _OnlyOurs(logging.Filter):
    """Lets through what concerns the run; all the rest is in the bundle's bzt.log."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record reaches standard output."""
        return record.levelno < logging.ERROR and record.name.startswith(_OURS)


class _Plain(logging.Formatter):
    """A line without time and level; it takes the place of the live block below it."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        text = record.getMessage()
        if record.levelno >= logging.ERROR:
            text = signed(text)
        return ("\x1b[J" if self._stream.isatty() else "") + harmless(text)


class _Harmless(logging.Formatter):
    """Taurus's own form of a record, whose text no terminal can take for a command."""

    def __init__(self, form: logging.Formatter) -> None:
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """Return the record in Taurus's form."""
        safe = copy.copy(record)
        safe.msg, safe.args = harmless(record.getMessage()), ()
        if record.exc_info:
            safe.exc_text = harmless(self.formatException(record.exc_info))
        return self._form.format(safe)


def files_of(options: argparse.Namespace, places: Places) -> list[Path]:
    """Return the files that are merged, in their order."""
    kinds = [kind for kind in ("target", "workload", "profile") if hasattr(options, kind)]
    return [places.taurus / "base.yml", *(find_file(places, kind, getattr(options, kind)) for kind in kinds)]


def consents_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return what data the user agrees to lose, in the form that the child reads."""
    return {"discard_unsettled": options.discard_unsettled, "replace_foreign": options.replace_foreign}


def set_console(options: argparse.Namespace) -> None:
    """Have this process show what was asked for."""
    Terminal.is_quiet = options.quiet
    Terminal.default = sys.stderr if options.json else None


def run(options: argparse.Namespace, places: Places) -> int:
    """Check the configuration, then let Taurus run it."""
    os.chdir(places.root)
    set_console(options)
    files = files_of(options, places)
    # Before Taurus, which creates folders first; the executor checks again what Taurus then has merged.
    check_wholly(merge(files, options.option, places, options.flags), places)
    results = ResultsFolder.named(options.results, places) if options.results else None
    invocation.current = invocation.Invocation(
        files,
        list(options.option),
        options.flags,
        results.path if results else None,
        console_of(options),
        options.no_load,
    )
    try:
        code = _run_taurus(options, files)
        if options.json:
            print(json.dumps(_end(code, invocation.current.bundle)), flush=True)
        return code
    finally:
        if results:
            results.forget_refused(places)


def _end(code: int, bundle: Path | None) -> dict[str, Any]:
    """Return the last line for other programs: the exit code, and the summary if there is one."""
    end: dict[str, Any] = {"type": "end", "exit_code": code, "bundle": None, "summary": None}
    if bundle is not None and bundle.is_dir():
        end["bundle"] = str(bundle)
        with contextlib.suppress(OSError, ValueError):
            end["summary"] = json.loads((bundle / SUMMARY_FILE).read_text(encoding="utf-8"))
    return end


def _run_taurus(options: argparse.Namespace, files: Sequence[Path]) -> int:
    # No system configs: they would bring ~/.bzt-rc, and keys that are in none of the four files.
    arguments = ["--no-system-configs"]
    for option in options.option:
        arguments += ["-o", option]
    parsed, _ = get_option_parser().parse_args(arguments)
    console = CLI.console_handler
    if not options.verbose:
        console.addFilter(_OnlyOurs())
    taurus = CLI(parsed)
    if options.json:
        console.setStream(sys.stderr)
    if options.verbose:
        console.setFormatter(_Harmless(console.formatter or logging.Formatter()))
    else:
        console.setFormatter(_Plain(console.stream))
        errors = logging.StreamHandler(sys.stderr)
        errors.setLevel(logging.ERROR)
        errors.setFormatter(_Plain(sys.stderr))
        logging.getLogger("").addHandler(errors)
    code = int(taurus.perform([str(path) for path in files]))
    # Taurus keeps the code of the first exception: a part that failed in mid-run made it 1, "nothing was started".
    ended = Ended.last
    is_misled = code == exit_codes.WRONG_USE and ended not in (None, exit_codes.WRONG_USE)
    return (ended or exit_codes.PART_DIED) if is_misled else code


def named_runs(texts: Sequence[str], places: Places) -> list[str]:
    """Return the runs that --discard-unsettled names; a folder of results in which none was started stands for none."""
    return list(dict.fromkeys(run for text in texts for run in _runs(text, places)))


def _runs(text: str, places: Places) -> Iterator[str]:
    results = ResultsFolder((STARTED_IN / text).resolve())
    if not results.is_ours and "/" in text:
        return
    folder = results.run(places) if results.is_ours else places.runs / text
    if folder is None:
        return
    if is_group(folder):
        # The bundles name their series or search: one that was killed did not write down its last run.
        yield from (bundle.name for bundle in bundles_in(places.runs) if group_of(bundle) == folder.name)
    else:
        yield folder.name
