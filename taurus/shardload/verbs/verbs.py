"""The verbs other than ``run``: each is one conversation with the Java child."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.config import effective
from shardload.config.check import check
from shardload.config.merge import Merged, merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.options.common import DEFAULT_WORKLOAD
from shardload.processes.checking import check_wholly
from shardload.processes.child import ChildDied, ChildError, Interrupted
from shardload.processes.session import Session, full_text
from shardload.processes.signals import StopRequest
from shardload.results.bundle import bundles_in, is_bundle
from shardload.results.lookup import is_search
from shardload.terminal import Terminal, complain
from shardload.verbs.capacity.page import redraw
from shardload.verbs.ci.targets import targets
from shardload.verbs.hosts import collect, find_bundle, judge, read_run, renew_report
from shardload.verbs.parity import parity
from shardload.verbs.run import consents_of, files_of
from shardload.verbs.workload import workload

_Verb = Callable[[argparse.Namespace, Places, Terminal], int]
# What the child says of a target without documents: there is nothing that could be wrong.
_KEEPS_NOTHING = "target keeps no data"
_LISTEN = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\s]+):(\d{1,5})")
_HIGHEST_PORT = 65535
_NAMED_OF_A_KIND = 20


def perform(options: argparse.Namespace, places: Places) -> int:
    """Perform a verb and return the exit code."""
    terminal = Terminal()
    verb: _Verb = {
        "schema": _schema,
        "load": _load,
        "verify": _verify,
        "report": _report,
        "calibrate": _calibrate,
        "parity": parity,
        "targets": targets,
        "collect": collect,
        "server-metrics": server_metrics,
        "workload": workload,
        "test": _test,
    }[options.verb]
    try:
        return _code_of(verb, options, places, terminal)
    except Interrupted:
        terminal.clear()
        resumable = "; the next load continues from here" if options.verb == "load" else ""
        terminal.line(f"{options.verb} was interrupted{resumable}")
        return exit_codes.INTERRUPTED


def _code_of(verb: _Verb, options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    try:
        return verb(options, places, terminal)
    except (ChildError, ChildDied) as error:
        terminal.clear()
        complain(full_text(error))
        return error.exit_code
    except Problem as problem:
        terminal.clear()
        complain(str(problem))
        return exit_codes.WRONG_USE


@contextmanager
def _session(
    options: argparse.Namespace, places: Places, terminal: Terminal
) -> Iterator[tuple[Session, Callable[[], bool]]]:
    """Open a session on the target of the options, with an embedded server if the target has one."""
    merged = merge(files_of(options, places), options.option, places, options.flags)
    checked = check_wholly(merged, places, needs_load=False)
    stop = StopRequest(terminal.line).install()
    run_id = f"{datetime.now():%Y%m%d-%H%M%S}-{merged.names['target']}-{options.verb}"
    config = effective.build(checked, run_id, None, options.verb)
    with Session(config, checked.merged, places, terminal, None) as session:
        session.check(checked.transactions, stop.is_made)
        session.start_embedded(stop.is_made)
        session.settle_size(stop.is_made)
        yield session, stop.is_made


def _schema(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    with _session(options, places, terminal) as (session, interrupted):
        done = session.call("schema", interrupted, recreate=options.recreate, **consents_of(options))
        terminal.line(f"{done.get('server')}: tables {'created' if done.get('created') else 'exist'}")
    return 0


def _load(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    with _session(options, places, terminal) as (session, interrupted):
        session.call("schema", interrupted, recreate=options.recreate, **consents_of(options))
        done = session.call("load", interrupted)
        seconds = float(done.get("seconds") or 0)
        what = session.unit
        loaded, there = int(done.get("loaded") or 0), int(done.get("documents") or 0)
        if loaded:
            # How many a run has left there since, only a count would show.
            terminal.line(f"{loaded:,} {what} loaded in {seconds:.1f} s; the data set has {there:,}")
        elif there:
            terminal.line(f"nothing to load: the {there:,} {what} of the data set were loaded before")
        else:
            terminal.line("nothing to load: the target keeps no data, or the data is not shardload's")
    return 0


def _verify(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Verify the target, then the one that a series alternates with, whatever the first result is."""
    if not options.interleave_with:
        return _verify_target(options, places, terminal)
    codes = []
    for target in (options.target, options.interleave_with):
        terminal.line(f"{target}:")
        one = argparse.Namespace(**{**vars(options), "target": target})
        codes.append(_code_of(_verify_target, one, places, terminal))
    return exit_codes.WRONG_DATA if exit_codes.WRONG_DATA in codes else codes[0] or codes[1]


def _verify_target(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    with _session(options, places, terminal) as (session, interrupted):
        if not session.keeps_data:
            terminal.line(f"verification: not run, {_KEEPS_NOTHING} between two commands")
            return 0
        asked = {"verification": options.verification} if options.verification else {}
        done = session.call("verify", interrupted, walk=True, runs=str(places.runs), **asked)
        for line in verification_lines(done):
            terminal.line(line)
        if done.get("bundle") and is_bundle(Path(done["bundle"])):
            renew_report(session, Path(done["bundle"]), terminal)
    if done.get("verdict") == "not run":
        return 0 if done.get("reason") == _KEEPS_NOTHING else exit_codes.INTERRUPTED
    return exit_codes.WRONG_DATA if done.get("wrong") else 0


def verification_lines(done: Mapping[str, Any]) -> list[str]:
    """Return what the child found, or why it compared nothing."""
    verdict, walked, wrong = done.get("verdict"), int(done.get("walked") or 0), int(done.get("wrong") or 0)
    if verdict == "not run":
        return [f"verification: not run: {done.get('reason') or 'no reason given'}"]
    if verdict == "skipped":
        return [f"verification: skipped: {done.get('reason') or 'no reason given'}"]
    if done.get("mode") not in ("all", "written") and "checks" in done:
        return [f"verification: {verdict}, {_of_checks(done['checks'])}", *_scope(done), *_check_lines(done)]
    lines = [f"verification: {verdict}, {wrong} wrong of {walked:,} documents"]
    if done.get("checks"):
        wrong = sum(int(number) for number in (done.get("counts") or {}).values())
        lines = [f"verification: {verdict}, {wrong} wrong of {walked:,} rows, {_of_checks(done['checks'])}"]
    expected = int(done.get("expected", walked))
    if not wrong and walked > expected:
        lines.append(f"  {expected:,} expected, {walked - expected:,} more from calls with an unknown outcome")
    lines += _scope(done)
    for kind, findings in groupby(done.get("findings") or [], lambda finding: finding.get("kind")):
        named = [_named(finding) for finding in islice(findings, _NAMED_OF_A_KIND)]
        lines += [f"  {kind}: {name}" for name in named]
        more = int((done.get("counts") or {}).get(kind, 0)) - len(named)
        lines += [f"  {kind}: {more:,} more"] if more > 0 else []
    return [*lines, *_check_lines(done)]


def _named(finding: Mapping[str, Any]) -> str:
    ordinal = finding.get("ordinal")
    name = finding.get("name") or ("" if ordinal is None else f"document {ordinal}")
    return ", ".join(filter(None, (name, finding.get("detail"))))


def _scope(done: Mapping[str, Any]) -> list[str]:
    return [f"  {done['scope']}"] if done.get("scope") else []


def _of_checks(checks: Sequence[Mapping[str, Any]]) -> str:
    wrong = sum(found.get("verdict") == "wrong" for found in checks)
    return f"{len(checks)} check{'s' if len(checks) != 1 else ''}, {wrong} wrong"


def _check_lines(done: Mapping[str, Any]) -> list[str]:
    """Return what the checks of a workload folder found, of which no document can be named."""
    lines = []
    for found in done.get("checks") or []:
        if found.get("verdict") != "clean":
            named = f"{found.get('name')} ({found.get('when')} the run)"
            lines.append(f"  {named}: {found.get('verdict')}: {found.get('detail') or 'no reason given'}")
    return lines


def _report(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    bundle = find_bundle(options.bundle, places, _has_report) if options.bundle else _latest(places)
    static = Path(options.static).resolve() if options.static else None
    if is_search(bundle):
        return redraw(bundle, places, terminal, static)
    with Session(read_run(bundle), Merged({}), places, terminal, None) as session:
        done = judge(session, bundle)
        for line in done.get("lines") or []:
            terminal.line(str(line))
        if static:
            page = session.call("static", directory=str(bundle), into=str(static))
            terminal.line(f"static    {page['report']}")
    return int(done.get("exit", 0))


def _has_report(folder: Path) -> bool:
    return is_bundle(folder) or is_search(folder)


def _latest(places: Places) -> Path:
    bundles = bundles_in(places.runs)
    if not bundles:
        raise Problem(f"there is no bundle in {places.show(places.runs)} yet")
    return bundles[-1]


def _calibrate(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    if options.rounds is not None and options.rounds < 1:
        raise Problem(f'--rounds: "{options.rounds}" is not a whole number of at least 1')
    if options.workload == DEFAULT_WORKLOAD and not any(one.startswith("execution.") for one in options.option):
        # Each transaction takes minutes, and the cheapest call shows the most of what the harness adds.
        options.option.append("execution.0.scenario=find-by-id-and-filter1")
    with _session(options, places, terminal) as (session, interrupted):
        session.call("schema", interrupted)
        session.call("load", interrupted)
        directory = places.runs / session.config["run"]["id"]
        request: dict[str, Any] = {"directory": str(directory), "jmeter_home": str(places.home / "jmeter")}
        if options.rounds is not None:
            request["rounds"] = options.rounds
        done = session.call("calibrate", interrupted, **request)
    for line in done.get("lines") or []:
        terminal.line(str(line))
    return 0


def _test(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    raise Problem("tests are run by the launcher: ./shardload test [java|python|e2e|long]")


def server_metrics(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Serve until a signal comes, which is the ordinary end."""
    host, port = parse_listen(options.listen)
    checked = check(merge(files_of(options, places), options.option, places), needs_load=False)
    stop = StopRequest(terminal.line).install()
    run_id = f"{datetime.now():%Y%m%d-%H%M%S}-{options.target}-{options.verb}"
    config = effective.build(checked, run_id, None, options.verb)
    try:
        with Session(config, checked.merged, places, terminal, None) as session:
            session.check(checked.transactions, stop.is_made)
            data = str(places.data(session.config["target"]["name"]))
            session.call("server-metrics", stop.is_made, host=host, port=port, data_directory=data)
    except Interrupted:
        terminal.clear()
    return 0


def parse_listen(text: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT; an IPv6 address is in brackets."""
    match = _LISTEN.fullmatch(text)
    if not match or int(match[2]) > _HIGHEST_PORT:
        raise Problem(f"--listen: {text} is not of the form HOST:PORT, such as 127.0.0.1:9465")
    return match[1].strip("[]"), int(match[2])
