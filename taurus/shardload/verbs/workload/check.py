"""``shardload workload check``: what the child finds wrong with a folder, and what its rows and calls look like."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from shardload import exit_codes
from shardload.config import effective
from shardload.config.effective import Checked
from shardload.config.merge import find_file, merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.processes.checking import check_wholly
from shardload.processes.session import Session
from shardload.processes.signals import StopRequest
from shardload.terminal import Terminal

_MOST_PREVIEWED = 1000


def check_folder(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Print each problem in a line of its own, or that there is none."""
    if not 0 <= options.preview <= _MOST_PREVIEWED:
        raise Problem(f"--preview {options.preview}: must be a number from 0 to {_MOST_PREVIEWED}")
    files = [places.taurus / "base.yml", find_file(places, "target", options.target)]
    files.append(find_file(places, "workload", options.workload))
    checked = check_wholly(merge(files, options.option, places), places, needs_load=False)
    if "folder" not in checked.workload:
        raise Problem(f"workload {options.workload}: has no folder with statements, so there is nothing to check")
    answer = _ask(checked, options, places, terminal)
    for line in preview_lines(answer.get("preview") or {}):
        terminal.line(line)
    problems = [str(problem) for problem in answer.get("problems") or []]
    for line in problems:
        terminal.line(f"shardload: {line}")
    if problems:
        terminal.line(f"{len(problems)} problem{'s' if len(problems) > 1 else ''}")
        return exit_codes.WRONG_USE
    terminal.line(f"{checked.workload['name']}: nothing wrong found")
    return exit_codes.OK


def _ask(checked: Checked, options: argparse.Namespace, places: Places, terminal: Terminal) -> dict[str, Any]:
    stop = StopRequest(terminal.line)
    stop.install()
    run_id = f"{datetime.now():%Y%m%d-%H%M%S}-{checked.merged.names['target']}-workload-check"
    session = Session(effective.build(checked, run_id, None, "check"), checked.merged, places, terminal, None)

    def is_interrupted() -> bool:
        return stop.is_made

    try:
        session.check(checked.transactions, is_interrupted)
        session.start_embedded(is_interrupted)
        return session.call("workload-check", is_interrupted, preview=options.preview)
    finally:
        session.close()


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
