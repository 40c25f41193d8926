"""Where keys belong: in which section, below which index of a list, in which file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from shardload.config import keys
from shardload.config.problem import Problem, unknown
from shardload.config.shapes import known_keys, sections

_PLAIN = re.compile(r"[\w-]+", re.ASCII)
# Sections without which people write their keys, as an override names them.
_HOMES = {"execution": "execution.0", "target": "target", "workload": "workload"}
_DATA = ("documents", "document-size", "tenants", *keys.DATA_SIZES)


def unknown_section(name: str) -> str:
    """Say that a key at the top is unknown, with the section that it probably belongs to."""
    if name in _DATA:
        return f'unknown key "{name}"; did you mean "workload.data.{name}"?'
    home = next((shown for section, shown in _HOMES.items() if name in known_keys(section)), None)
    return f'unknown key "{name}"; did you mean "{home}.{name}"?' if home else unknown("key", name, sections())


def check_override(key: str, config: Mapping[str, Any]) -> None:
    """Refuse an override whose path the merged files cannot take, before Taurus fails on it."""
    parts = key.split(".")
    if not all(parts):
        raise Problem(f'-o {key}: a key has the form section.key, as in "-o execution.0.hold-for=2m"')
    node: Any = config
    for number, part in enumerate(parts):
        if not _PLAIN.fullmatch(part):
            return  # one of Taurus's signs, which reach further
        before, rest = ".".join(parts[:number]), ".".join(parts[number:])
        if isinstance(node, list):
            if not part.isdigit():
                raise Problem(f'-o {key}: {before} is a list; did you mean "-o {before}.0.{rest}"?')
            node = node[int(part)] if int(part) < len(node) else None
        elif isinstance(node, Mapping):
            node = node.get(part)
        elif node is not None:
            raise Problem(f"-o {key}: {before} is a value, not a section")
        if node is None:
            return


def check_profile(contents: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Refuse a profile that holds the target: the run would take the profile's name for the target's."""
    for shown, content in contents:
        holders = [other for other, its in contents if other != shown and "target" in its]
        if "execution" in content and "target" in content and holders:
            raise Problem(
                f"{shown}: target: a profile cannot contain a target; write these keys into {holders[0]}, or use -o"
            )
