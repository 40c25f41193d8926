"""``workload init --from-database``: a folder from existing tables; whole, or not at all."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from shardload.config import effective
from shardload.config.check import check
from shardload.config.merge import find_file, list_names, merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.config.secrets import refuse_in_options
from shardload.config.workload.folder import WORKLOAD_FILE
from shardload.processes.child import Interrupted
from shardload.processes.session import Session
from shardload.processes.signals import StopRequest
from shardload.terminal import Terminal

_FLAG = "--from-database"
# The session needs some workload; its tables are not touched.
_WORKLOAD = "document-store"
_HEAD = """\
# Tables, values and transactions as "shardload workload init --from-database" found them; docs/own-workload.md explains
# each key. Set the mix to that of your application: here each kind of transaction is spread evenly over the tables.
# The lines "edit" in schema/ name what the folder cannot express. "-o workload.data.documents=100k" scales all tables.
"""


def write_draft(options: argparse.Namespace, folder: Path, name: str, places: Places, terminal: Terminal) -> str:
    """Ask the server, write the folder, and return the system whose files it has."""
    stop = StopRequest(terminal.line).install()
    driver, draft = _ask(options, places, terminal, stop.is_made)
    workload = draft["workload"]
    files = {WORKLOAD_FILE: _HEAD + _workload_text(name, workload), **draft["files"]}
    _write(folder, files, stop.is_made)
    entity = next((table for table, entry in workload["tables"].items() if "entity" in entry), None)
    terminal.line(
        f"{len(workload['tables'])} tables, {len(workload['transactions'])} transactions; "
        + (f"every row of {entity} is verified" if entity else "no table whose rows could be verified")
    )
    for line in draft["edits"]:
        terminal.line(f"  edit: {line}")
    return driver


def _ask(
    options: argparse.Namespace, places: Places, terminal: Terminal, interrupted: Callable[[], bool]
) -> tuple[str, dict[str, Any]]:
    url = options.from_database
    target = options.target or url.partition("://")[0]
    known = list_names(places, "target")
    if not options.target and target not in known:
        raise Problem(
            f"{_FLAG}: is not a URL that begins with the name of a target; --target names one: {', '.join(known)}"
        )
    overrides = [f"target.url={json.dumps(url)}"]
    if options.user:
        overrides.append(f"target.user={json.dumps(options.user)}")
    refuse_in_options(_FLAG, overrides)
    files = [places.taurus / "base.yml", find_file(places, "target", target), find_file(places, "workload", _WORKLOAD)]
    flags = {"target.url": _FLAG, "target.user": "--user"}
    checked = check(merge(files, [*options.option, *overrides], places, flags), needs_load=False)
    config = effective.build(checked, "workload-init", None, "init")
    with Session(config, checked.merged, places, terminal, None) as session:
        return str(checked.target["driver"]), session.call("workload-draft", interrupted)


class _Flow(dict[str, Any]):
    """A mapping on one line."""


class _Dumper(yaml.SafeDumper):
    """Knows such mappings, and repeats equal ones."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(_Flow, lambda dumper, data: dumper.represent_mapping("tag:yaml.org,2002:map", data, True))


def _workload_text(name: str, found: Mapping[str, Any]) -> str:
    tables = {}
    for table, entry in found["tables"].items():
        shown = {key: _Flow(entry[key]) if key == "entity" else entry[key] for key in entry}
        tables[table] = {**shown, "columns": _in_lines(entry["columns"])}
    workload = {
        "name": name,
        "seed": 1,
        "data": {"tables": tables},
        "parameters": _in_lines(found["parameters"]),
        "transactions": _in_lines(found["transactions"]),
    }
    content = _plain({"workload": workload, "scenarios": {"mix": {"mix": found["mix"]}}})
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, width=1000, allow_unicode=True)


def _in_lines(section: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _Flow(value) for key, value in section.items()}


def _plain(value: Any) -> Any:
    """Return whole numbers without a point."""
    if isinstance(value, dict):
        return type(value)((key, _plain(item)) for key, item in value.items())
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _write(folder: Path, files: Mapping[str, str], interrupted: Callable[[], bool]) -> None:
    """Write next to the folder and rename it at the end."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            for name, text in files.items():
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                (made / name).write_text(text, encoding="utf-8")
            if interrupted():
                raise Interrupted("workload")
            # Replaces an empty folder, and no other one.
            made.replace(folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise Problem(f"cannot write {error.filename or folder}: {error.strerror}") from error
