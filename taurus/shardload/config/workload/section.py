"""The section ``workload``. The Java child checks the content of parameters, transactions, checks and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime, timezone
from typing import Any

from shardload.config.keys import COUNTS, DATA_SIZES, OPTIONS, WORKLOAD_FOLDER
from shardload.config.merge import KeyPath, Merged
from shardload.config.problem import Problem, unknown
from shardload.config.shapes import Node, sections
from shardload.config.values.quantities import MOST_SEED, whole

Note = Callable[[KeyPath, str], None]
Fits = Callable[[KeyPath, Any, Node], bool]

_EXISTING = "existing"
_NAME = re.compile(r"[a-z][a-z0-9-]*")


def read_workload(merged: Merged, fits: Fits, note: Note) -> dict[str, Any]:
    """Return the section in the form that Java reads; what is wrong is noted.

    It has the key ``folder``, which nobody may write.
    """
    section = merged.config.get("workload")
    if section is None:
        raise Problem(
            "no workload: exactly one of the files must come from taurus/workloads, or be a folder's workload.yml"
        )
    node = sections()["workload"]
    # What the child checks.
    others: dict[str, Node] = {key: {} for key in ("data", OPTIONS, *WORKLOAD_FOLDER)}
    folder = folder_of(merged)
    if not fits(("workload",), section, {**node, "properties": {**node["properties"], **others}}) or folder is None:
        return {}
    workload = {key: value for key, value in section.items() if value is not None}
    if not _NAME.fullmatch(workload["name"]):
        text = "is not a name; write small letters, digits and hyphens, as my-shop"
        note(("workload", "name"), f'"{workload["name"]}" {text}')
    workload["data"] = _data(merged, section.get("data"), note)
    workload["folder"] = folder
    for key in WORKLOAD_FOLDER:
        workload[key] = _entries(("workload", key), section.get(key), note)
    if OPTIONS in workload:
        workload[OPTIONS], workload["chosen"] = _options(merged, note)
    return workload


def folder_of(merged: Merged) -> str | None:
    """Return the workload's folder as Java gets it; None where no file names one."""
    for source in reversed(merged.sources):
        if source.folder is not None and any(str(key).lstrip("~$^") == "workload" for key in source.content):
            return source.folder
    return None


def option_keys(merged: Merged, section: str) -> list[str]:
    """Return the keys of a section of the configuration that set options of the folder."""
    found = []
    for source in merged.sources:
        options = (source.content.get("workload") or {}).get(OPTIONS) if source.folder is not None else None
        for option in options.values() if isinstance(options, Mapping) else ():
            of, _, key = str(option.get("key") if isinstance(option, Mapping) else "").rpartition(".")
            found += [key] if of == section else []
    return found


def _data(merged: Merged, data: Any, note: Note) -> dict[str, Any]:
    path: KeyPath = ("workload", "data")
    if isinstance(data, str):
        if data != _EXISTING:
            note(path, unknown("value", data, (_EXISTING,)) + ", or a mapping with the key tables")
        return {_EXISTING: True}
    if not isinstance(data or {}, Mapping):
        note(path, f"must be a mapping, or the word {_EXISTING}")
        return {}
    merged.prefer_overrides(path, DATA_SIZES)
    found: dict[str, Any] = _texts(path, data or {}, note)
    _counts(path, found, COUNTS, note)
    tables = found.get("tables")
    for name, table in tables.items() if isinstance(tables, Mapping) else ():
        # A text such as $tenants is the value of an option, which the child fills in.
        if isinstance(table, dict) and not str(table.get("rows")).startswith("$"):
            _counts((*path, "tables", name), table, ("rows",), note)
    return found


def _counts(path: KeyPath, section: dict[str, Any], keys: Collection[str], note: Note) -> None:
    """Make texts such as ``10k`` the numbers that Java reads; their bounds are Java's to know."""
    for key in keys:
        if isinstance(section.get(key), str):
            try:
                section[key] = whole(section[key], 0, MOST_SEED)
            except Problem as problem:
                note((*path, key), str(problem))


def _entries(path: KeyPath, section: Any, note: Note) -> dict[str, Any]:
    """Return a section whose keys are names; an entry that says nothing is an empty mapping."""
    if not isinstance(section if section is not None else {}, Mapping):
        note(path, "must be a mapping of names")
        return {}
    found = {}
    for name, entry in (section or {}).items():
        if not isinstance(entry if entry is not None else {}, Mapping):
            note((*path, name), "must be a mapping, such as {}")
            continue
        found[str(name)] = _texts((*path, name), entry or {}, note)
    return found


def _options(merged: Merged, note: Note) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options that the folder's file declares, and the values that overrides chose in place of them."""
    path: KeyPath = ("workload", OPTIONS)
    declared: dict[str, Any] = {}
    for source in merged.sources:
        if source.folder is not None:
            declared = _entries(path, (source.content.get("workload") or {}).get(OPTIONS), note)
    section = merged.config["workload"][OPTIONS]
    if not isinstance(section, Mapping):
        note(path, "must be a mapping of names")
        return declared, {}
    chosen = {}
    for name, value in section.items():
        if isinstance(value, Mapping):
            declared[str(name)] = _texts((*path, name), value, note)
        elif isinstance(value, list):
            note((*path, name), "must be one value; a list belongs into values")
        elif value is not None:
            chosen[str(name)] = value
    return declared, chosen


def _texts(path: KeyPath, value: Any, note: Note) -> Any:
    """Return YAML values in a form that JSON can represent: timestamps become ISO 8601 texts."""
    if isinstance(value, Mapping):
        return {str(key): _texts((*path, key), item, note) for key, item in value.items()}
    if isinstance(value, list):
        return [_texts((*path, index), item, note) for index, item in enumerate(value)]
    if isinstance(value, date):
        moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
        return aware.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if value is not None and not isinstance(value, (str, int, float)):
        note(path, f"has a value that JSON cannot represent ({type(value).__name__})")
        return None
    return value
