"""Finds which file set a key of the merged configuration, and where in that file the key is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

KeyPath = tuple[Any, ...]
# Taurus's signs before a key: replace what earlier files say, and merge lists item by item instead of joining them.
_REPLACE, _BY_ITEM = "~", "$"


@dataclass(frozen=True)
class Origin:
    """A part of one file: the number of the file, the part's content, and its path in the file."""

    number: int
    content: Any
    path: KeyPath
    is_by_item: bool = False


def find_origin(contents: Iterable[Any], path: KeyPath) -> Origin | None:
    """Return what said the value at a path of the merged configuration, None if no file did."""
    parts = [Origin(number, content, ()) for number, content in enumerate(contents)]
    for head in path:
        parts = list(_items(parts, head)) if isinstance(head, int) else _values(parts, head)
    return parts[-1] if parts else None


def _values(parts: Iterable[Origin], key: Any) -> list[Origin]:
    found: list[Origin] = []
    for part in parts:
        if not isinstance(part.content, dict):
            continue
        for name in (f"{_REPLACE}{key}", key, f"{_BY_ITEM}{key}"):
            if name in part.content:
                if name != key and name.startswith(_REPLACE):
                    found.clear()
                is_by_item = name != key and name.startswith(_BY_ITEM)
                found.append(Origin(part.number, part.content[name], (*part.path, key), is_by_item))
    return found


def _items(parts: Iterable[Origin], index: int) -> Iterator[Origin]:
    """Yield the files' own items at an index of the joined list."""
    before = 0
    for part in parts:
        if isinstance(part.content, dict):
            # Taurus takes a single item without a list.
            if index == before:
                yield Origin(part.number, part.content, part.path)
            before += 1
        elif isinstance(part.content, list):
            own = index if part.is_by_item else index - before
            if 0 <= own < len(part.content):
                yield Origin(part.number, part.content[own], (*part.path, own))
            before = max(before, len(part.content)) if part.is_by_item else before + len(part.content)
