"""The verbs for load hosts: the archive that a load host runs from, and folders that were copied from load hosts."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from shardload.config.merge import Merged
from shardload.config.places import STARTED_IN, Places
from shardload.config.problem import Problem, unknown_run
from shardload.config.store import LOCAL
from shardload.processes.child import ChildError
from shardload.processes.hints import as_options, program, without_run_keys
from shardload.processes.session import Session, describe
from shardload.results.bundle import RUN_FILE, chosen_of, is_bundle, overrides_of
from shardload.results.lookup import abbreviated, runs_in
from shardload.terminal import Terminal
from shardload.verbs.package import package


def make_package(options: argparse.Namespace, places: Places) -> int:
    """Write the file that a load host runs from, or an archive of everything, by default where the user stands."""
    options.output = Path(options.output).resolve() if options.output else None
    if options.all:
        from shardload.verbs.archive import package_all

        return package_all(options, places, Terminal())
    if options.python:
        raise Problem("--python: only together with --all, because a load host needs no Python")
    file = package(places, options.output)
    Terminal().line(f"wrote {places.show(file)} ({file.stat().st_size / 1e6:.0f} MB)")
    return 0


def collect(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Merge folders that were copied from load hosts into a bundle, and say what to do next."""
    bundle = find_bundle(options.run, places)
    folders = [_folder(text, places) for text in options.folders]
    config = read_run(bundle)
    hosts = (config.get("hosts") or {}).get("list") or []
    if not hosts:
        raise Problem(f"{bundle.name} was not a run with load hosts: there is nothing to collect")
    with Session(config, Merged({}), places, terminal, None) as session:
        done = session.call("collect", directory=str(bundle), folders=[str(folder) for folder in folders])
        for line in _outcome(done, hosts):
            terminal.line(line)
        renew_report(session, bundle, terminal)
    folder = places.root / config["workload"]["folder"]
    workload = folder.name if folder.parent == places.taurus / "workloads" else str(folder)
    named = {"target": config["target"]["name"], "workload": workload, **chosen_of(bundle)}
    chosen = ["--target", named["target"], "--workload", named["workload"]]
    chosen += as_options(without_run_keys(overrides_of(bundle)))
    terminal.line("then settle the data set, which also writes the report again:")
    terminal.line(f"  {shlex.join([program(places), 'verify', *chosen])}")
    return 0


def judge(session: Session, bundle: Path) -> dict[str, Any]:
    """Write the summary and the page of a run again from its other files, and return what the child reports."""
    config = read_run(bundle)
    if config.get("host_metrics") == LOCAL:
        # Generators may have been collected since, or the run was cut off before. A store is not asked again.
        session.call("hosts", config=config, directory=str(bundle), hurried=True)
    return session.call("finish", config=config, directory=str(bundle))


def renew_report(session: Session, bundle: Path, terminal: Terminal) -> None:
    """Judge a run again after another verb changed its bundle; a failure does not change that verb's own result."""
    try:
        lines = judge(session, bundle).get("lines") or []
    except ChildError as error:
        lines = [f"report    not written again: {describe(error)}"]
    for line in map(str, lines):
        if line.startswith(("verdict", "report")):
            terminal.line(line)


def _outcome(done: dict[str, Any], hosts: Sequence[str]) -> list[str]:
    """Say which generators are in the bundle now, which are still missing, and which did not end properly."""

    def named(numbers: Iterable[int]) -> str:
        return ", ".join(f"{number} ({hosts[number]})" for number in sorted(numbers))

    there = {int(number) for number in done.get("collected") or []}
    unended = {int(number) for number in done.get("missing") or []}
    lines = [f"collected {named(there)}" if there else "nothing new was collected", *map(str, done.get("lines") or [])]
    if unended & there:
        lines.append(f"ended without a final ledger line: {named(unended & there)}; calls under way there stay unknown")
    if unended - there:
        lines.append(f"still missing: {named(unended - there)}; copy their folders of this run and collect them too")
    return lines


def find_bundle(text: str, places: Places, accepts: Callable[[Path], bool] = is_bundle) -> Path:
    """Return a bundle, or another folder that the caller accepts, by its path or its name in runs/."""
    for folder in ((STARTED_IN / text).resolve(), places.runs / text):
        if accepts(folder):
            return folder
    named_in_part = abbreviated(text, places.runs)
    if named_in_part is not None and accepts(named_in_part):
        return named_in_part
    known = [path.name for path in runs_in(places.runs) if accepts(path)]
    raise Problem(unknown_run(Path(text).name or text, known))


def read_run(bundle: Path) -> dict[str, Any]:
    """Return the configuration that a run had."""
    try:
        return dict(json.loads((bundle / RUN_FILE).read_text(encoding="utf-8")))
    except (ValueError, RecursionError) as error:
        raise Problem(f"{bundle / RUN_FILE} is damaged: {error}") from error


def _folder(text: str, places: Places) -> Path:
    folder = (STARTED_IN / text).resolve()
    if not folder.is_dir():
        raise Problem(f"{text}: there is no such folder; name the one of the run that was copied from a load host")
    return folder
