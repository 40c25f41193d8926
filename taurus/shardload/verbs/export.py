"""The verb ``export``: which run goes where, and in which format; the files are written by the Java child."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from shardload import exit_codes
from shardload.config.merge import Merged
from shardload.config.places import STARTED_IN, Places
from shardload.config.problem import Problem, unknown
from shardload.options.history import FORMATS
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.session import Session, describe
from shardload.results.bundle import is_bundle
from shardload.results.lookup import is_search
from shardload.terminal import Terminal, complain, harmless
from shardload.verbs.compare import find_run

_ENDINGS = {"csv": "-csv", "json": ".json", "openmetrics": ".om"}


def export(options: argparse.Namespace, places: Places) -> int:
    """Write a run in another format."""
    if options.format not in FORMATS:
        raise Problem(unknown("format", options.format, FORMATS))
    bundle = find_run(options.run, places)
    if not is_bundle(bundle):
        kind = "search" if is_search(bundle) else "series"
        raise Problem(f"{bundle.name} is a {kind}; export takes one run")
    terminal = Terminal(sys.stderr)
    try:
        if options.output == "-":
            return _to_stdout(bundle, options.format, places, terminal)
        target = (STARTED_IN / (options.output or bundle.name + _ENDINGS[options.format])).resolve()
        _check(target, options.format, options.force, places)
        for file in _write(bundle, options.format, target, places, terminal):
            Terminal().line(f"wrote {places.show(file)} ({_size(file)})")
    except (ChildError, ChildDied) as error:
        complain(describe(error))
        return error.exit_code
    return exit_codes.OK


def _to_stdout(bundle: Path, kind: str, places: Places, terminal: Terminal) -> int:
    if kind == "csv":
        raise Problem("--output: csv is a folder of three files; name it")
    with tempfile.TemporaryDirectory(prefix="shardload-export-") as folder:
        (file,) = _write(bundle, kind, Path(folder, "export"), places, terminal)
        try:
            if sys.stdout.isatty():
                # The values of a bundle may be anybody's: only a file or a pipe has them exactly.
                with open(file, encoding="utf-8", newline="\n") as text:
                    sys.stdout.buffer.writelines(harmless(line).encode() for line in text)
            else:
                with open(file, "rb") as content:
                    shutil.copyfileobj(content, sys.stdout.buffer)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has enough
            sys.stderr.close()
    return exit_codes.OK


def _check(target: Path, kind: str, force: bool, places: Places) -> None:
    """Refuse what cannot be written, and what would be lost."""
    shown = places.show(target)
    if kind == "csv" and target.exists() and not target.is_dir():
        raise Problem(f"--output: {shown} is a file; csv needs a folder")
    if kind != "csv" and target.is_dir():
        raise Problem(f"--output: {shown} is a folder; {kind} is one file")
    if not target.parent.is_dir():
        raise Problem(f"--output: there is no folder {places.show(target.parent)}")
    is_taken = any(target.iterdir()) if target.is_dir() else target.is_file()
    if is_taken and not force:
        raise Problem(f"{shown} exists already; --force replaces it")


def _write(bundle: Path, kind: str, target: Path, places: Places, terminal: Terminal) -> list[Path]:
    with Session({}, Merged({}), places, terminal, None) as session:
        done = session.call("export", directory=str(bundle), format=kind, output=str(target))
    for problem in done.get("problems") or []:
        terminal.line(f"warning: {bundle.name}: {problem}")
    return [Path(file) for file in done["files"]]


def _size(file: Path) -> str:
    size = file.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"
