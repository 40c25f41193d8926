"""The verb ``acceptance``: runs the checks one after another and writes the page, however it ends."""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from shardload import __version__, exit_codes
from shardload.config.merge import read_source
from shardload.config.paths.find import find_file, is_path, name_of_argument
from shardload.config.places import STARTED_IN, Places, discard, reserve_run
from shardload.config.problem import Problem, unknown
from shardload.processes.signals import StopRequest
from shardload.terminal import Terminal
from shardload.verbs.acceptance import loads, page, redact, services, tables
from shardload.verbs.acceptance.calls import Commands
from shardload.verbs.acceptance.model import (
    FAILED,
    NOT_APPLICABLE,
    NOT_RUN,
    PASSED,
    Check,
    Failed,
    Interrupted,
    NotApplicable,
    Result,
    Scene,
    closure,
)
from shardload.verbs.acceptance.registry import CHECKS
from shardload.verbs.acceptance.variants import system_of
from shardload.version import commit

_COLOURS = {PASSED: "green", FAILED: "red", NOT_RUN: "yellow", NOT_APPLICABLE: "dim"}
_SECRETS = (services.JENKINS_USER, services.JENKINS_TOKEN, services.GRAFANA_TOKEN)
_CLEAN_UP_SECONDS = 300
_WIDTH = 34


def acceptance(options: argparse.Namespace, places: Places) -> int:
    """Check a cluster in full and write one page; return the exit code."""
    terminal = Terminal()
    if options.list:
        for check in CHECKS:
            terminal.line(f"{check.name:<{_WIDTH}} {check.proves}")
        return exit_codes.OK
    chosen = _chosen(options)
    others = _sections(options, places)
    section = others.pop(options.target)
    file = _page_file(options)
    folder = reserve_run(places.runs, name_of_argument(options.target), "acceptance")
    (folder / "logs").mkdir()
    stop = StopRequest(terminal.line)
    stop.install()
    commands = Commands(places.root, folder / "logs", lambda: stop.is_made)
    scene = Scene(places, options.target, section, options, commands, folder / "logs", os.environ, others)
    file = file or folder / "acceptance.html"
    terminal.line(f"{len(chosen)} checks; what the commands print is in {places.show(folder / 'logs')}")
    try:
        results = perform(chosen, scene, commands.begin, lambda: stop.is_made, terminal)
    except Problem:
        discard(folder)
        raise
    _put_in_order(scene, folder, stop, terminal)
    code = code_of(results, stop.is_made)
    write_page(file, scene, results, code)
    terminal.line(f"{page.counts(results)}: exit code {code}")
    terminal.line(f"page      {places.show(file)}, and as JSON {places.show(file.with_suffix('.json'))}")
    return code


def _chosen(options: argparse.Namespace) -> list[Check]:
    names = [check.name for check in CHECKS]
    if not options.target:
        raise Problem("acceptance: name a target, as --target citus")
    if options.only is None:
        return list(CHECKS)
    wanted = [name.strip() for name in options.only.split(",") if name.strip()]
    for name in wanted:
        if name not in names:
            raise Problem(f"--only: {unknown('check', name, names)}")
    if not wanted:
        raise Problem("--only: names no check; --list has their names")
    return closure(wanted, CHECKS)


def _sections(options: argparse.Namespace, places: Places) -> dict[str, dict[str, object]]:
    """Return the sections of the target files, after everything that can be wrong with the options."""
    sections = {}
    for name in (options.target, *([options.foreign_target] if options.foreign_target else [])):
        content = read_source(find_file(places, "target", name), places).content.get("target")
        if not isinstance(content, dict):
            raise Problem(f"{name}: target: is not a section with driver and url")
        sections[name] = content
    if options.foreign_target == options.target:
        raise Problem(f"--foreign-target {options.target}: is the target itself; name a file with another database")
    for key in (option.partition("=")[0] for option in options.option):
        if key.startswith(("target", "schema", "scenarios")):
            raise Problem(f"-o {key}: would not hold for every check; put it into the target file")
    for flag, url in (("--jenkins", options.jenkins), ("--grafana", options.grafana)):
        if url is not None:
            services.check_url(flag, url)
    return sections


def _page_file(options: argparse.Namespace) -> Path | None:
    if not options.page:
        return None
    file: Path = (STARTED_IN / str(options.page)).resolve()
    if file.suffix not in (".html", ".htm"):
        raise Problem(f"--page: {options.page} does not end with .html")
    if not file.parent.is_dir() or not os.access(file.parent, os.W_OK):
        raise Problem(f"--page: cannot write to the folder of {options.page}")
    for there in (file, file.with_suffix(".json")):
        if there.exists() and not _is_ours(there):
            raise Problem(f"--page: {there.name} exists and is not a page of acceptance; name another file")
    return file


def _is_ours(file: Path) -> bool:
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    return page.GENERATOR in text or ('"checks"' in text and file.suffix == ".json")


def perform(
    checks: Sequence[Check],
    scene: Scene,
    begin: Callable[[str, float], None],
    is_interrupted: Callable[[], bool],
    terminal: Terminal,
) -> list[Result]:
    """Run the checks in their order.

    :raises Problem: the data of somebody else are there, and nothing was changed
    """
    results: dict[str, Result] = {}
    for number, check in enumerate(checks, 1):
        head = f"[{number}/{len(checks)}] {check.name}"
        terminal.block([head])
        begin(check.name, check.limit_seconds)
        began = time.monotonic()
        status, why, code = _outcome(check, scene, results, is_interrupted)
        seconds = time.monotonic() - began
        results[check.name] = Result(check, status, why, seconds, code)
        terminal.clear()
        text = f"{head:<{_WIDTH + 8}} {terminal.paint(status, _COLOURS[status])} in {seconds:.0f} s"
        terminal.line(text + (f": {why}" if status in (FAILED, NOT_RUN) else ""))
    return list(results.values())


def _outcome(
    check: Check, scene: Scene, results: Mapping[str, Result], is_interrupted: Callable[[], bool]
) -> tuple[str, str, int | None]:
    if is_interrupted():
        return NOT_RUN, "interrupted", None
    for need in check.needs:
        if results[need].status != PASSED:
            return NOT_RUN, f"it needs {need}, which is {results[need].status}", None
    system = system_of(scene.server, scene.topology)
    if check.systems is not None and not any(word in system for word in check.systems):
        return NOT_APPLICABLE, f"it is for {' or '.join(check.systems)}, not for {system}", None
    try:
        return PASSED, check.run(scene), None
    except NotApplicable as reason:
        return NOT_APPLICABLE, str(reason), None
    except Failed as failure:
        return FAILED, str(failure), failure.code
    except Interrupted:
        return NOT_RUN, "interrupted", None
    except Problem:
        raise
    except Exception as error:  # the page is written whatever a check trips over
        return FAILED, f"the check itself failed: {type(error).__name__}: {error}", None


def _put_in_order(scene: Scene, folder: Path, stop: StopRequest, terminal: Terminal) -> None:
    """Settle what a killed run left, and make the table again as the target file says."""
    if not (scene.is_unsettled or scene.is_variant):
        return
    terminal.line("cleaning up the data set")
    # The signal that ended the checks does not end this; the third one does.
    commands = Commands(scene.places.root, folder / "logs", lambda: False)
    commands.begin("clean-up", _CLEAN_UP_SECONDS)
    scene.caller = commands
    try:
        if scene.is_unsettled:
            loads.settle(scene)
        if scene.is_variant:
            tables.load_anew(scene, [])
    except Failed as failure:
        terminal.line(f"the data set is not clean: {failure}")


def code_of(results: Sequence[Result], is_interrupted: bool) -> int:
    """Return the exit code: what is worst."""
    codes = [exit_codes.INTERRUPTED] if is_interrupted else []
    for result in results:
        if result.status == FAILED:
            codes.append(exit_codes.WRONG_DATA if result.code == exit_codes.WRONG_DATA else exit_codes.MISSED)
        elif result.status == NOT_RUN:
            codes.append(exit_codes.INTERRUPTED if result.why == "interrupted" else exit_codes.MISSED)
    return exit_codes.worst(codes)


def write_page(file: Path, scene: Scene, results: Sequence[Result], code: int) -> None:
    """Write the page, without anything that earlier checks found out about machines."""
    hide = redact.of_machine(scene.environment, scene.places.root, _SECRETS)
    for name, section in {scene.target: scene.section, **scene.others}.items():
        redact.add_target(hide, name_of_argument(name), section, scene.environment)
        hide.add(redact.PLACE, [name] if is_path(name) else [])
    for url in (scene.options.jenkins, scene.options.grafana):
        if url:
            redact.add_url(hide, url)
    for run in scene.runs:
        for name in ("environment.json", "hosts.json", "run.json"):
            redact.add_found(hide, loads.read(scene.places.runs / run, name))
    page.write(file, facts_of(scene), results, hide, code)


def facts_of(scene: Scene) -> dict[str, str]:
    """Return the versions and counts that a reader of the page needs."""
    environment = loads.read(scene.bundle, "environment.json")
    generator = environment.get("generator") or {}
    topology = (environment.get("server") or {}).get("topology") or {}
    schema = environment.get("schema") or {}
    hosts = str(scene.section.get("url") or "").partition("://")[2].partition("/")[0]
    counts = [
        f"{count} {what}" for what, count in topology.items() if isinstance(count, int) and count > (what == "shards")
    ]
    return {
        "shardload": f"{__version__}, commit {commit(scene.places.root)}",
        "server": scene.server or "not known",
        "topology": ", ".join([*counts, f"hosts in the URL: {len(hosts.split(',')) if hosts else 'embedded'}"]),
        "options": ", ".join(f"{key}: {value}" for key, value in _words(scene.section.get("options")).items()),
        # Zones bear names of the house.
        "schema": ", ".join(
            f"{key}: {'set' if key == 'zones' and value != 'none' else value}" for key, value in schema.items()
        )
        or "not known",
        "Java": str(generator.get("java") or "not known"),
        "system": str(generator.get("os") or f"{platform.system()} {platform.release()}"),
        "Python": platform.python_version(),
        **scene.facts,
    }


def _words(options: object) -> dict[str, object]:
    return options if isinstance(options, dict) else {}
