"""``shardload parity``: do targets give the same answers? The comparison itself is made by the Java child."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from shardload import exit_codes
from shardload.config import effective
from shardload.config.check import check
from shardload.config.effective import Checked
from shardload.config.merge import merge
from shardload.config.paths.find import argument, find_file, name_of_argument
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.config.workload.section import option_keys
from shardload.processes.child import Interrupted
from shardload.processes.session import Session
from shardload.processes.signals import StopRequest
from shardload.terminal import Terminal

# All of them are held in memory, and each is compared several times.
_DOCUMENTS = "workload.data.documents=2000"
_TENANTS = "workload.data.tenants=20"
# The documents, those of a fake among the targets, and the answers.
_HEAP = "2g"
_OTHER_SIZES = ("workload.data.dataset-size", "workload.data.ratio-to-ram")


def parity(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Load the same data on all targets, run the same calls, print the comparison; return the exit code."""
    names = [argument(places, "target", find_file(places, "target", name)) for name in split(options.targets)]
    _refuse_same_name(names)
    _refuse_what_parity_cannot_do(options)
    all_checked = [_checked(name, options, places) for name in names]
    stop = StopRequest(terminal.line, abandon_at=2).install()
    run_id = f"{datetime.now():%Y%m%d-%H%M%S}-{'-'.join(map(name_of_argument, names))}-parity"
    directory = places.runs / run_id
    first: Session | None = None
    try:
        for checked in all_checked:
            config = effective.build(checked, run_id, None, "parity")
            if first is None:
                session = first = Session(config, checked.merged, places, terminal, None, _HEAP)
            else:
                session = first.beside(config, checked.merged)
            server = _open(session, checked, stop.is_made)
            terminal.line(f"{config['target']['name']}: {server}")
        assert first is not None
        done = first.call("parity", stop.is_made, calls=options.calls, directory=str(directory))
    except Interrupted:
        terminal.line("stopping: dropping the scratch tables; a second signal exits immediately")
        raise
    finally:
        if first is not None:
            first.close()
    for line in table(done, terminal.paint):
        terminal.line(line)
    terminal.line(f"{places.show(directory / 'parity.json')}")
    return 0 if done.get("equal") else exit_codes.WRONG_DATA


def _refuse_what_parity_cannot_do(options: argparse.Namespace) -> None:
    if options.calls < 10:
        raise Problem(f"--calls {options.calls}: too few for a result; the minimum is 10")
    overridden = [option.partition("=")[0] for option in options.option]
    theirs = next((key for key in overridden if key.startswith(("target.", "schema."))), None)
    if theirs:
        raise Problem(f"-o {theirs}: would apply to every target; put it into a file of taurus/targets")
    sized = next((key for key in overridden if key.startswith(_OTHER_SIZES)), None)
    if sized:
        raise Problem(f"-o {sized}: parity holds all documents in memory; give it workload.data.documents")


def _open(session: Session, checked: Checked, is_interrupted: Callable[[], bool]) -> Any:
    """Start and open the target of a session; return the name of its server."""
    session.check(checked.transactions, is_interrupted)
    session.start_embedded(is_interrupted)
    return session.call("parity-open", is_interrupted).get("server")


def split(targets: str) -> list[str]:
    """Return the names of ``a,b``: two or more, each once."""
    names = [name.strip() for name in targets.split(",") if name.strip()]
    if len(names) < 2:
        raise Problem(f"--targets {targets}: needs two or more, as --targets embedded-postgresql,citus")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise Problem(f"--targets {targets}: {twice} is named twice; a target always equals itself")
    return names


def _refuse_same_name(targets: Sequence[str]) -> None:
    names = [name_of_argument(target) for target in targets]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise Problem(f"--targets: two targets are named {twice}; each needs its own name")


def _checked(name: str, options: argparse.Namespace, places: Places) -> Checked:
    files = [
        places.taurus / "base.yml",
        find_file(places, "target", name),
        find_file(places, "workload", options.workload),
    ]
    merged = merge(files, [_DOCUMENTS, *options.option], places)
    if "tenants" in option_keys(merged, "workload.data"):
        merged = merge(files, [_DOCUMENTS, _TENANTS, *options.option], places)
    return check(merged, needs_load=False)


def table(done: dict[str, Any], paint: Callable[[str, str], str]) -> list[str]:
    """Return the comparison as lines for people."""
    lines = []
    transactions = done.get("transactions") or []
    width = max([len(str(each.get("name"))) for each in transactions] + [11])
    lines.append(paint(f"{'transaction':<{width}}  {'calls':>6}  {'rows':>8}  result", "bold"))
    load = done.get("load") or {}
    rows = [{**load, "calls": None}] if not load.get("equal", True) else []
    has_stopped = any(each.get("difference") for each in [load, *transactions])
    for each in [*rows, *transactions]:
        lines += _line(each, width, paint, has_stopped)
    beyond = sum(int(each.get("beyond_limit") or 0) for each in transactions)
    if beyond:
        lines.append(
            f"{beyond} calls match more rows than the limit: "
            "parity compares the row count, and the rows only where an order determines them"
        )
    equal = sum(1 for each in transactions if each.get("equal") and each.get("calls"))
    shared = sum(1 for each in transactions if not each.get("only_of"))
    verdict = f"{equal} of {shared} equal: {', '.join(done.get('targets') or [])}"
    lines.append(paint(verdict, "green" if done.get("equal") else "red"))
    return lines


def _line(each: dict[str, Any], width: int, paint: Callable[[str, str], str], has_stopped: bool) -> list[str]:
    calls = each.get("calls")
    difference = each.get("difference")
    result = paint("different", "red") if difference else "equal" if calls else _not_compared(each, has_stopped)
    shown = "" if calls is None else f"{calls:,}"
    lines = [f"{each.get('name', ''):<{width}}  {shown:>6}  {each.get('rows', 0):>8,}  {result}"]
    if difference:
        asked = f": {difference['arguments']}" if difference.get("arguments") else ""
        lines.append("    " + textwrap.shorten(difference["where"] + asked, 160, placeholder=" ..."))
        sides = difference["sides"]
        room = max(len(name) for name in sides)
        lines += [f"    {name:<{room}}  {text}" for name, text in sides.items()]
    return lines


def _not_compared(each: dict[str, Any], has_stopped: bool) -> str:
    only = each.get("only_of")
    if only:
        return f"not compared: only {only} has it"
    return f"not compared: {'it comes after a difference' if has_stopped else 'parity has no call of it'}"
