"""``shardload workload init``: a small folder to begin with, from taurus/scaffold."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
from pathlib import Path

from shardload.config.merge import find_file, list_names, read_source
from shardload.config.places import STARTED_IN, Places
from shardload.config.problem import Problem, unknown
from shardload.config.workload.folder import WORKLOAD_FILE
from shardload.processes.hints import program
from shardload.terminal import Terminal

# The name in the scaffold's files, which the new folder's own takes the place of.
_NAME_LINE = "  name: shop\n"


def init_folder(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Write the folder and say what to do next."""
    scaffold = places.taurus / "scaffold"
    systems = sorted(path.name for path in scaffold.iterdir() if path.is_dir())
    # A target's name stands for its system: Citus takes the files of PostgreSQL.
    targets = list_names(places, "target")
    system = options.system or options.default_target
    system = _system_of(system, places) if system in targets and system not in systems else system
    if system not in systems:
        raise Problem(f"--system {system}: {unknown('system', system, [*systems, *targets])}")
    folder = STARTED_IN / Path(options.directory).expanduser()
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
    shown = _as_argument(options.directory)
    target = "" if system == _system_of(options.default_target, places) else " --target TARGET"
    terminal.line(f"{options.directory} has a workload for {system}; docs/own-workload.md explains each key. Next:")
    terminal.line(f"  {program(places)} workload check {shown}{target} --preview 5")
    terminal.line(f"  {program(places)} run --workload {shown}{target}")
    return 0


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
