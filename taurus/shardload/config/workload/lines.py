"""Finds the line of a key in a YAML file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from shardload.config.paths.reading import MERGE_TAG


def line_of(root: yaml.Node | None, path: Sequence[Any]) -> int | None:
    """Return the line, from 1, of the key or list item at a path; None if the file does not have it."""
    if root is None or not path:
        return None
    head, rest = path[0], path[1:]
    for mark, value in _entries(root, head):
        if not rest:
            return int(mark.line) + 1
        found = line_of(value, rest)
        if found is not None:
            return found
    return None


def _entries(node: yaml.Node, head: Any) -> Iterator[tuple[Any, yaml.Node]]:
    """Yield where entries with this key or index begin, with their values."""
    if isinstance(node, yaml.SequenceNode) and isinstance(head, int) and 0 <= head < len(node.value):
        yield node.value[head].start_mark, node.value[head]
    if isinstance(node, yaml.MappingNode):
        merged: list[yaml.Node] = []
        for key, value in node.value:
            if key.tag == MERGE_TAG:
                merged += value.value if isinstance(value, yaml.SequenceNode) else [value]
            # Taurus puts a sign before a key whose value replaces what other files say.
            if isinstance(key, yaml.ScalarNode) and str(head) in (key.value, key.value.lstrip("~$^")):
                yield key.start_mark, value
        # Keys of its own go before those that it merges.
        for base in merged:
            yield from _entries(base, head)
