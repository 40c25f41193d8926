"""The verb ``workload``: checks a folder and shows its rows and calls, or writes a small one to begin with."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.config import effective
from shardload.config.effective import Checked
from shardload.config.merge import find_file, list_names, merge, read_source
from shardload.config.places import STARTED_IN, Places
from shardload.config.problem import Problem, unknown
from shardload.config.workload.folder import WORKLOAD_FILE
from shardload.processes.checking import check_wholly
from shardload.processes.hints import program
from shardload.processes.session import Session
from shardload.processes.signals import StopRequest
from shardload.terminal import Terminal
from shardload.verbs.draft import write_draft

_MOST_PREVIEWED = 1000
# The name in the scaffold's files, which the new folder's own takes the place of.
_NAME_LINE = "  name: shop\n"


def workload(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Perform its action and return the exit code."""
    return {"check": check_folder, "init": init_folder}[options.action](options, places, terminal)


def check_folder(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Print each problem in a line of its own, or that there is none."""
    if not 0 <= options.preview <= _MOST_PREVIEWED:
        raise Problem(f"--preview {options.preview}: must be a number from 0 to {_MOST_PREVIEWED}")
    files = [places.taurus / "base.yml", find_file(places, "target", options.target)]
    files.append(find_file(places, "workload", options.workload))
    checked = check_wholly(merge(files, options.option, places), places, needs_load=False)
    answer = _ask(checked, options, places, terminal)
    for line in preview_lines(answer.get("preview") or {}):
        terminal.line(line)
    # A folder is checked against one system after the other.
    target = checked.merged.names["target"]
    problems = [str(problem) for problem in answer.get("problems") or []]
    for line in problems:
        terminal.line(f"shardload: {target}: {line}")
    if problems:
        terminal.line(f"{len(problems)} problem{'s' if len(problems) > 1 else ''} on {target}")
        return exit_codes.WRONG_USE
    terminal.line(f"{checked.workload['name']}: nothing wrong found on {target}")
    return exit_codes.OK


def _ask(checked: Checked, options: argparse.Namespace, places: Places, terminal: Terminal) -> dict[str, Any]:
    stop = StopRequest(terminal.line).install()
    run_id = f"{datetime.now():%Y%m%d-%H%M%S}-{checked.merged.names['target']}-workload-check"
    with Session(effective.build(checked, run_id, None, "check"), checked.merged, places, terminal, None) as session:
        session.check(checked.transactions, stop.is_made)
        session.start_embedded(stop.is_made)
        return session.call("workload-check", stop.is_made, preview=options.preview)


def preview_lines(preview: Mapping[str, Any]) -> Iterator[str]:
    """Yield the first rows of each table, then calls of each transaction with the values of their parameters."""
    for table, rows in (preview.get("rows") or {}).items():
        yield f"table {table}" + ("" if rows else ": no rows are loaded")
        yield from ("  " + _values(row) for row in rows)
    for transaction, calls in (preview.get("calls") or {}).items():
        yield f"transaction {transaction}"
        # The number is worth a word only where there are several.
        several = any(call.get("variant") for call in calls)
        for call in calls:
            if "not_prepared" in call:
                yield f"  not prepared: {call['not_prepared']}"
                continue
            variant = f"variant {int(call.get('variant') or 0) + 1}: " if several else ""
            yield f"  {variant}{_values(call.get('arguments') or {}) or 'no parameters'}"


def _values(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in row.items())


def init_folder(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Write the folder and say what to do next."""
    folder = STARTED_IN / Path(options.directory).expanduser()
    if options.from_database:
        if options.system:
            raise Problem("--system: not together with --from-database, whose URL says it")
        _refuse_what_is_there(folder, options.directory)
        system = write_draft(options, folder, workload_name(folder.resolve().name), places, terminal)
    else:
        system = _write_scaffold(options, folder, places, terminal)
    shown = _as_argument(options.directory)
    target = "" if system == _system_of(options.default_target, places) else " --target TARGET"
    terminal.line(f"{options.directory} has a workload for {system}; docs/own-workload.md explains each key. Next:")
    terminal.line(f"  {program(places)} workload check {shown}{target} --preview 5")
    terminal.line(f"  {program(places)} run --workload {shown}{target}")
    return 0


def _write_scaffold(options: argparse.Namespace, folder: Path, places: Places, terminal: Terminal) -> str:
    given = {"--target": options.target, "--user": options.user, "-o": options.option}
    if alone := [flag for flag, value in given.items() if value]:
        raise Problem(f"{alone[0]}: only together with --from-database")
    scaffold = places.taurus / "scaffold"
    systems = sorted(path.name for path in scaffold.iterdir() if path.is_dir())
    # A target's name stands for its system: Citus takes the files of PostgreSQL.
    targets = list_names(places, "target")
    system = options.system or options.default_target
    system = _system_of(system, places) if system in targets and system not in systems else system
    if system not in systems:
        raise Problem(f"--system {system}: {unknown('system', system, [*systems, *targets])}")
    _refuse_what_is_there(folder, options.directory)
    try:
        shutil.copytree(scaffold / system, folder, copy_function=shutil.copyfile, dirs_exist_ok=True)
        file = folder / WORKLOAD_FILE
        text = file.read_text(encoding="utf-8")
        file.write_text(
            text.replace(_NAME_LINE, f"  name: {workload_name(folder.resolve().name)}\n", 1), encoding="utf-8"
        )
    except OSError as error:
        raise Problem(f"cannot write {error.filename or folder}: {error.strerror}") from error
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        terminal.line(f"  {path.relative_to(folder).as_posix()}")
    return system


def workload_name(folder: str) -> str:
    """Return a valid name of a workload for a folder's name."""
    name = re.sub(r"[^a-z0-9]+", "-", folder.lower()).strip("-")
    return name if re.match(r"[a-z]", name) else f"workload-{name}".rstrip("-")


def _system_of(target: str, places: Places) -> str:
    content = read_source(find_file(places, "target", target), places).content
    return str((content.get("target") or {}).get("driver"))


def _refuse_what_is_there(folder: Path, shown: str) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists():
        raise Problem(f"{shown}: exists, and is not an empty folder; nothing was written")


def _as_argument(directory: str) -> str:
    """Return a path that cannot be taken for the name of a shipped workload."""
    text = directory.rstrip("/") or directory
    return shlex.quote(text if "/" in text else f"./{text}")
