"""Reading YAML strictly: mistakes that Taurus and YAML would accept silently are refused."""

from __future__ import annotations

from typing import Any

import yaml

from shardload.config.problem import Problem

MERGE_TAG = "tag:yaml.org,2002:merge"
_TEXT_TAG = "tag:yaml.org,2002:str"


def read_yaml(text: str) -> tuple[Any, yaml.Node | None]:
    """Return the content with merge keys (``<<: *base``) resolved, and the nodes as they stand, which know their lines.

    :raises Problem: a key stands twice in one mapping, where YAML would silently take the last, or is not a text
    """
    root = yaml.compose(text, yaml.SafeLoader)
    _check(root, set())
    return yaml.safe_load(text), root


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
