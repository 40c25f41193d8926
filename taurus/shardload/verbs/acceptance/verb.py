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
from shardload.config.paths.find import find_file, name_of_argument
from shardload.config.places import STARTED_IN, Places, discard, reserve_run
from shardload.config.problem import Problem, unknown
from shardload.processes.signals import StopRequest
from shardload.terminal import Terminal
from shardload.verbs.acceptance import loads, page, redact, services, tables
from shardload.verbs.acceptance.calls import Commands, Failed, Interrupted
from shardload.verbs.acceptance.model import (
    FAILED,
    NOT_APPLICABLE,
    NOT_RUN,
    PASSED,
    Check,
    NotApplicable,
    Result,
    Scene,
    closure,
)
from shardload.verbs.acceptance.registry import CHECKS
from shardload.verbs.ci.description import check_service
from shardload.version import commit

_COLOURS = {PASSED: "green", FAILED: "red", NOT_RUN: "yellow", NOT_APPLICABLE: "dim"}
_SECRETS = (services.JENKINS_USER, services.JENKINS_TOKEN, services.GRAFANA_TOKEN)
# A check that has not ended by then hangs.
_LIMIT_SECONDS = 600
_WIDTH = 34
_INTERRUPTED = "interrupted"


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
    logs = folder / "logs"
    logs.mkdir()
    stop = StopRequest(terminal.line).install()
    commands = Commands(places.root, logs, stop.is_made)
    scene = Scene(places, options.target, section, options, commands, logs, os.environ, others)
    file = file or folder / "acceptance.html"
    terminal.line(f"{len(chosen)} checks; what the commands print is in {places.show(logs)}")
    try:
        results = perform(chosen, scene, commands.begin, stop.is_made, terminal)
    except Problem:
        discard(folder)
        raise
    if scene.is_unsettled or scene.is_variant:
        terminal.line("cleaning up the data set")
        _put_in_order(scene, terminal)
    code = code_of(results, stop.is_made())
    page.write(file, facts_of(scene), results, redact.of_scene(scene, _SECRETS), code)
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
    for name in filter(None, (options.target, options.foreign_target)):
        section = read_source(find_file(places, "target", name), places).content.get("target")
        if not isinstance(section, dict):
            raise Problem(f"{name}: target: is not a section with driver and url")
        sections[name] = section
    if options.foreign_target == options.target:
        raise Problem(f"--foreign-target {options.target}: is the target itself; name a file with another database")
    for key in (option.partition("=")[0] for option in options.option):
        if key.startswith(("target", "schema", "scenarios")):
            raise Problem(f"-o {key}: would not hold for every check; put it into the target file")
    for flag, url in (("--jenkins", options.jenkins), ("--grafana", options.grafana)):
        if url is not None:
            check_service(flag, url)
    return sections


def _page_file(options: argparse.Namespace) -> Path | None:
    if not options.page:
        return None
    file: Path = (STARTED_IN / str(options.page)).resolve()
    if file.suffix not in (".html", ".htm"):
        raise Problem(f"--page: {options.page} does not end with .html")
    if not file.parent.is_dir() or not os.access(file.parent, os.W_OK):
        raise Problem(f"--page: cannot write to the folder of {options.page}")
    for there, sign in ((file, page.GENERATOR), (file.with_suffix(".json"), '"checks"')):
        if there.exists() and not (there.is_file() and sign in there.read_text(encoding="utf-8", errors="replace")):
            raise Problem(f"--page: {there.name} exists and is not a page of acceptance; name another file")
    return file


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
        begin(check.name, _LIMIT_SECONDS)
        began = time.monotonic()
        status, why, code = (NOT_RUN, _INTERRUPTED, None) if is_interrupted() else _outcome(check, scene, results)
        seconds = time.monotonic() - began
        results[check.name] = Result(check, status, why, seconds, code)
        terminal.clear()
        text = f"{head:<{_WIDTH + 8}} {terminal.paint(status, _COLOURS[status])} in {seconds:.0f} s"
        terminal.line(text + (f": {why}" if status in (FAILED, NOT_RUN) else ""))
    return list(results.values())


def _outcome(check: Check, scene: Scene, results: Mapping[str, Result]) -> tuple[str, str, int | None]:
    for need in check.needs:
        if results[need].status != PASSED:
            return NOT_RUN, f"it needs {need}, which is {results[need].status}", None
    if check.systems is not None and not any(word in scene.system for word in check.systems):
        return NOT_APPLICABLE, f"it is for {' or '.join(check.systems)}, not for {scene.system}", None
    try:
        return PASSED, check.run(scene), None
    except NotApplicable as reason:
        return NOT_APPLICABLE, str(reason), None
    except Failed as failure:
        return FAILED, str(failure), failure.code
    except Interrupted:
        return NOT_RUN, _INTERRUPTED, None
    except Problem:
        raise
    except Exception as error:  # the page is written whatever a check trips over
        return FAILED, f"the check itself failed: {type(error).__name__}: {error}", None


def _put_in_order(scene: Scene, terminal: Terminal) -> None:
    """Settle what a killed run left, and make the table again as the target file says."""
    # The signal that ended the checks does not end this; the third one does.
    commands = Commands(scene.places.root, scene.folder, lambda: False)
    commands.begin("clean-up", _LIMIT_SECONDS)
    scene.caller = commands
    try:
        if scene.is_unsettled:
            loads.settle(scene)
        if scene.is_variant:
            tables.load_anew(scene)
    except Failed as failure:
        terminal.line(f"the data set is not clean: {failure}")


def code_of(results: Sequence[Result], is_interrupted: bool) -> int:
    """Return the exit code: what is worst."""
    codes = [exit_codes.INTERRUPTED] if is_interrupted else []
    for each in results:
        if each.status == FAILED:
            codes.append(exit_codes.WRONG_DATA if each.code == exit_codes.WRONG_DATA else exit_codes.MISSED)
        elif each.status == NOT_RUN:
            codes.append(exit_codes.INTERRUPTED if each.why == _INTERRUPTED else exit_codes.MISSED)
    return exit_codes.worst(codes)


def facts_of(scene: Scene) -> dict[str, str]:
    """Return the versions and counts that a reader of the page needs."""
    environment = loads.read(scene.bundle, "environment.json")
    generator, server, schema = (environment.get(name) or {} for name in ("generator", "server", "schema"))
    hosts = str(scene.section.get("url") or "").partition("://")[2].partition("/")[0]
    counts = [
        f"{count} {what}"
        for what, count in (server.get("topology") or {}).items()
        if isinstance(count, int) and count > (what == "shards")
    ]
    options = scene.section.get("options")
    # Zones bear names of the house.
    shown = {key: "set" if key == "zones" and value != "none" else value for key, value in schema.items()}
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "shardload": f"{__version__}, commit {commit(scene.places.root)}",
        "server": scene.server or "not known",
        "topology": ", ".join([*counts, f"hosts in the URL: {len(hosts.split(',')) if hosts else 'embedded'}"]),
        "options": _listed(options) if isinstance(options, Mapping) else "",
        "schema": _listed(shown) or "not known",
        "Java": str(generator.get("java") or "not known"),
        "system": str(generator.get("os") or f"{platform.system()} {platform.release()}"),
        "Python": platform.python_version(),
        **scene.facts,
    }


def _listed(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in values.items())
