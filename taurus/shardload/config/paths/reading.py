"""Reading YAML strictly: mistakes that Taurus and YAML would accept silently are refused."""

from __future__ import annotations

import contextlib
from typing import Any

import yaml

from shardload.config.problem import Problem

MERGE_TAG = "tag:yaml.org,2002:merge"
_TEXT_TAG = "tag:yaml.org,2002:str"
# Far above any real file: a short text must not take all the memory or time of the machine.
_MOST_VALUES = 100_000
_MOST_DEPTH = 100
_MOST_INDEX = 999
_TOO_DEEP = f"is nested more than {_MOST_DEPTH} deep"


def read_yaml(text: str) -> tuple[Any, yaml.Node | None]:
    """Return the content with merge keys (``<<: *base``) resolved, and the nodes as they stand, which know their lines.

    :raises Problem: a key stands twice in one mapping, where YAML would silently take the last, or is not a text; or
        the content is too deep or, with its aliases resolved, too large
    """
    root = _compose(text)
    _check(root, set())
    return yaml.safe_load(text), root


def read_value(text: str) -> Any:
    """Return the value of an override as Taurus reads it; what is not YAML is a text.

    :raises Problem: it is too deep or, with its aliases resolved, too large
    """
    try:
        _compose(text)
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def check_name(name: str) -> None:
    """Refuse the name of an override that would make endless lists, or sections without end."""
    parts = name.split(".")
    if len(parts) > _MOST_DEPTH:
        raise Problem(_TOO_DEEP)
    for part in parts:
        with contextlib.suppress(ValueError):
            if abs(int(part)) > _MOST_INDEX:
                raise Problem(f"an index is above {_MOST_INDEX}")


def _compose(text: str) -> yaml.Node | None:
    try:
        root = yaml.compose(text, yaml.SafeLoader)
        if root is not None:
            _measure(root, {})
        return root
    except RecursionError:
        raise Problem(_TOO_DEEP) from None


def _measure(node: yaml.Node, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """Return how many values a node has, and how deep they are, with aliases resolved: an alias is the same node."""
    line = node.start_mark.line + 1
    if id(node) in known:
        measured = known[id(node)]
        if measured is None:
            raise Problem(f"an alias refers to what it is a part of (line {line})")
        return measured
    known[id(node)] = None
    values, depth = 1, 0
    if isinstance(node, yaml.CollectionNode):
        for each in node.value:
            for part in each if isinstance(each, tuple) else (each,):
                its_values, its_depth = _measure(part, known)
                values, depth = values + its_values, max(depth, its_depth)
    if values > _MOST_VALUES:
        raise Problem(f"has more than {_MOST_VALUES} values, with its aliases resolved (line {line})")
    if depth >= _MOST_DEPTH:
        raise Problem(f"{_TOO_DEEP} (line {line})")
    known[id(node)] = values, depth + 1
    return values, depth + 1


def _check(node: yaml.Node | None, seen: set[int]) -> None:
    # What an alias repeats is one node.
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check(item, seen)
    elif isinstance(node, yaml.MappingNode):
        _check_keys(node)
        for _, value in node.value:
            _check(value, seen)


def _check_keys(node: yaml.MappingNode) -> None:
    keys: set[str] = set()
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if key.tag not in (_TEXT_TAG, MERGE_TAG) or not isinstance(key, yaml.ScalarNode):
            # Taurus could not merge it.
            shown = key.value if isinstance(key, yaml.ScalarNode) else "?"
            raise Problem(f'YAML does not read the key "{shown}" as text; put it in quotes (line {line})')
        if key.value in keys:
            raise Problem(f'key "{key.value}" appears twice (line {line})')
        keys.add(key.value)
