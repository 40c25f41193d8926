"""Checks the merged configuration against the JSON Schemas of the YAML files, which editors read as well.

Names, types and ranges are in the schemas alone. A pattern is for editors: what it describes has a reader here or in
the Java child, and a value that does not fit it may be a secret, which no message may repeat.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from shardload.config.paths.origins import KeyPath
from shardload.config.problem import Problem, nearest, unknown
from shardload.config.values.quantities import check_heap, currency, percent, positive, positive_seconds, seconds, whole

Node = Mapping[str, Any]

_SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
_MOST = 1 << 31
# Forms that people write with units or suffixes, by the names of their definitions.
_READERS: dict[str, Callable[[Any, Node], Any]] = {
    "duration": lambda value, node: positive_seconds(value) if "exclusiveMinimum" in node else seconds(value),
    "rate": lambda value, node: positive(value, node.get("maximum", float("inf"))),
    "rate-or-0": lambda value, node: _at_least_0(value),
    "count": lambda value, node: whole(value, node.get("minimum", 1), node.get("maximum", _MOST)),
    "percent": lambda value, node: percent(value),
    "heap": lambda value, node: check_heap(value),
    "currency": lambda value, node: currency(value),
}


@dataclass(frozen=True)
class Fault:
    """What is wrong with a value, and whether the rest of its section can be read in spite of it."""

    path: KeyPath
    text: str
    leaves_rest_readable: bool = False


@lru_cache
def _schema(kind: str) -> Node:
    return dict(json.loads((_SCHEMAS / f"{kind}.schema.json").read_text(encoding="utf-8")))


@lru_cache
def _definitions() -> dict[str, Node]:
    return {
        name: node for kind in ("workload", "target", "profile") for name, node in _schema(kind)["definitions"].items()
    }


@lru_cache
def sections() -> dict[str, Node]:
    """Return the schema of each section; that of ``workload`` is the one of a folder, which knows more keys."""
    found = {
        name: node for kind in ("workload", "target", "profile") for name, node in _schema(kind)["properties"].items()
    }
    workload = _schema("workload-folder")["properties"]["workload"]
    return {**found, "execution": _definitions()["execution"], "workload": workload}


def known_keys(section: str) -> list[str]:
    """Return the keys of a section."""
    return list(_resolved(sections()[section])[0]["properties"])


def faults(path: KeyPath, value: Any, node: Node) -> Iterator[Fault]:
    """Yield what does not fit a schema; a key whose value is null counts as left out."""
    node, reader = _resolved(node)
    kinds = _kinds(node)
    if reader:
        try:
            reader(value, node)
        except Problem as problem:
            yield Fault(path, str(problem))
    elif "anyOf" in node:
        yield from _of_alternatives(path, value, node)
    elif choices := _choices(node):
        if not _is_among(value, choices):
            yield Fault(path, unknown("value", value, [str(choice) for choice in choices if choice is not False]))
    elif "object" in kinds:
        yield from _of_mapping(path, value, node)
    elif "array" in kinds:
        yield from _of_list(path, value, node)
    else:
        yield from _of_scalar(path, value, node)


def _of_scalar(path: KeyPath, value: Any, node: Node) -> Iterator[Fault]:
    """Check a text or a truth; several kinds are numbers that a text may name, which have readers elsewhere."""
    kinds = _kinds(node)
    if kinds in (["string"], ["string", "null"]) and not (isinstance(value, str) and value.strip()):
        yield Fault(path, f"must be a text{_example(node)}")
    elif kinds == ["boolean"] and not isinstance(value, bool):
        yield Fault(path, "must be true or false")


def _of_mapping(path: KeyPath, value: Any, node: Node) -> Iterator[Fault]:
    known = node.get("properties", {})
    if not isinstance(value, Mapping):
        yield Fault(
            path, "must be a mapping" + (f" with the keys {', '.join(sorted(known))}" if known else _example(node))
        )
        return
    others = node.get("additionalProperties", True)
    missing = [key for key in node.get("required", ()) if value.get(key) is None]
    misspelt = set()
    for key, item in value.items():
        if key in known and item is None:
            continue
        if key in known or isinstance(others, Mapping):
            yield from faults((*path, key), item, known.get(key, others))
        elif not others:
            meant = nearest(str(key), known)
            misspelt.add(meant)
            yield Fault((*path, key), unknown("key", key, known), leaves_rest_readable=meant not in missing)
    for key in missing:
        # A misspelt key is one problem, not two.
        if key not in misspelt:
            yield Fault((*path, key), "is missing")


def _of_list(path: KeyPath, value: Any, node: Node) -> Iterator[Fault]:
    if not isinstance(value, list) or len(value) < node.get("minItems", 0):
        yield Fault(path, "must be a list" + _example(node))
        return
    for index, item in enumerate(value):
        yield from faults((*path, index), item, node.get("items", {}))


def _of_alternatives(path: KeyPath, value: Any, outer: Node) -> Iterator[Fault]:
    """Check against the alternative of the value's own kind; a module's is the one that has its name."""
    nodes = outer["anyOf"]
    kind = "object" if isinstance(value, Mapping) else "array" if isinstance(value, list) else ""
    alike = [node for node in nodes if _container(_resolved(node)[0]) == kind] or nodes
    modules = {node["properties"]["module"]["const"]: node for node in alike if "module" in node.get("properties", {})}
    if modules and kind == "object":
        name = value.get("module")
        if isinstance(name, str) and name in modules:
            yield from faults(path, value, modules[name])
        elif name is None:
            known: Node = {key: {} for node in modules.values() for key in node["properties"]}
            of_any = {"properties": known, "required": ["module"], "additionalProperties": False}
            yield from _of_mapping(path, value, of_any)
        else:
            yield Fault((*path, "module"), unknown("module", name, modules))
        return
    named = [node for node in alike if _is_among(value, _choices(node))]
    open_ones = [node for node in alike if not _choices(node) and node.get("type") != "null"]
    yield from faults(path, value, {"examples": outer.get("examples"), **(named or open_ones or alike)[0]})


def _kinds(node: Node) -> Sequence[str]:
    kinds = node.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def _container(node: Node) -> str:
    return next((kind for kind in ("object", "array") if kind in _kinds(node)), "")


def _choices(node: Node) -> Sequence[Any]:
    return [node["const"]] if "const" in node else node.get("enum", ())


def _is_among(value: Any, choices: Sequence[Any]) -> bool:
    """Return whether a value is one of the choices; 0 is not false."""
    return any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in choices)


def _resolved(node: Node) -> tuple[Node, Callable[[Any, Node], Any] | None]:
    """Follow references; what is next to one counts as well."""
    reader = None
    while "$ref" in node or "allOf" in node:
        inner = node["allOf"][0] if "allOf" in node else {}
        name = str(inner.get("$ref") or node.get("$ref")).rpartition("/")[2]
        reader = reader or _READERS.get(name)
        beside = {key: item for key, item in node.items() if key not in ("$ref", "allOf")}
        node = {**_definitions()[name], **beside}
    return node, reader or (_READERS["count"] if node.get("type") == "integer" else None)


def _example(node: Node) -> str:
    if not node.get("examples"):
        return ""
    shown = yaml.safe_dump(node["examples"][0], default_flow_style=True, sort_keys=False, width=200)
    return f", such as {shown.strip().removesuffix('...').strip()}"


def _at_least_0(value: Any) -> float:
    try:
        return 0.0 if value in (0, "0") and not isinstance(value, bool) else positive(value)
    except Problem:
        raise Problem(f'"{value}" is not a number of at least 0') from None
