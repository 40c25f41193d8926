"""The merged configuration with the origin of each value: a file's line, an option, or the default."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from shardload.config.effective import DEFAULT_STATEMENT_TIMEOUT_SECONDS, Checked
from shardload.config.keys import DATA_SIZES, OPTIONS, WORKLOAD_FOLDER
from shardload.config.merge import KeyPath, Merged, show_path

DEFAULT = "default"
_SECTIONS = ("target", "schema", "workload", "scenarios", "execution", "reporting", "services", "modules")
_OF_EXECUTION = {
    "warm-up": "0s",
    "ramp-up": "0s",
    "scenario": "mix",
    "retries": "none",
    "statement-timeout": f"{DEFAULT_STATEMENT_TIMEOUT_SECONDS:g}s",
    "verification": "all",
    "samples": "slice",
}
_OF_OPEN_MODEL = {"arrivals": "constant"}


@dataclass(frozen=True)
class Value:
    """One value: of a line of a file, or set by an option, or else the default."""

    path: KeyPath
    value: Any
    file: str | None = None
    line: int | None = None
    option: str | None = None

    @property
    def origin(self) -> str:
        """Where the value comes from, in one word."""
        if self.option is not None:
            return self.option
        if self.file is None:
            return DEFAULT
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def to_json(self) -> dict[str, Any]:
        """Return the value for other programs."""
        origin = {"file": self.file, "line": self.line} if self.file else {"option": self.option} if self.option else {}
        return {"key": show_path(self.path), "value": self.value, "origin": origin or {"default": True}}


def with_defaults(
    checked: Checked, of_java: Mapping[str, str], options: Mapping[str, Any]
) -> tuple[dict[str, Any], set[KeyPath]]:
    """Return the configuration of a run with its default values, and the paths of the defaults.

    ``of_java`` are the options that shape the data, as ``workload.data.tenants``, with the values that hold;
    ``options`` are the values of a folder's own options, which are shown in place of their declarations.
    """
    config = {key: copy.deepcopy(checked.merged.config[key]) for key in _SECTIONS if checked.merged.config.get(key)}
    _leave_out_extended(config, checked.merged)
    if options:
        declared = checked.workload.get(OPTIONS) or {}
        # One with a key is shown under that key.
        own = {name: value for name, value in options.items() if not (declared.get(name) or {}).get("key")}
        config["workload"][OPTIONS] = own
    config["scenarios"] = {checked.scenario: config["scenarios"][checked.scenario]}
    config["modules"] = {"shardload": (config.get("modules") or {}).get("shardload") or {}}
    if isinstance(config["execution"], Mapping):
        config["execution"] = [config["execution"]]
    assert checked.load is not None
    given = {**_OF_EXECUTION, **(_OF_OPEN_MODEL if checked.load.model == "open" else {})}
    wanted: dict[KeyPath, Any] = {("execution", 0, key): value for key, value in given.items()}
    wanted.update({("workload", "seed"): 1, ("modules", "shardload", "heap"): "256m"})
    wanted[("target", "host-metrics")] = checked.host_metrics
    wanted[("target", "server-sessions")] = "watch"
    data = config["workload"].get("data") or {}
    if isinstance(data, Mapping) and not any(data.get(key) is not None for key in DATA_SIZES[1:]):
        # Otherwise the number of documents, on which others depend, is not known yet.
        wanted.update({tuple(key.split(".")): yaml.safe_load(value) for key, value in of_java.items()})
    return config, {path for path, value in wanted.items() if _add(config, path, value)}


def _leave_out_extended(config: dict[str, Any], merged: Merged) -> None:
    """Leave out the tables, parameters, transactions and checks that only the folder's own file has."""
    for path in (("workload", "data", "tables"), *(("workload", key) for key in WORKLOAD_FOLDER)):
        *above, last = path
        section: Any = config
        for key in above:
            section = section.get(key) if isinstance(section, Mapping) else None
        entries = section.get(last) if isinstance(section, dict) else None
        if isinstance(entries, Mapping):
            held = {name: merged.line((*path, name)) for name in entries}
            shown = {name: entries[name] for name, line in held.items() if line is None or not line[0].is_extended}
            section.update({last: shown}) if shown else section.pop(last)


def _add(config: Any, path: KeyPath, value: Any) -> bool:
    """Add a value where none is; False if there is one, or no section for it."""
    *above, last = path
    section = config
    for part in above:
        try:
            section = section[part]
        except (KeyError, IndexError, TypeError):
            return False
    if not isinstance(section, dict) or section.get(last) is not None:
        return False
    section[last] = value
    return True


def origin_of(merged: Merged, path: KeyPath, value: Any, defaults: set[KeyPath]) -> Value:
    """Return a value with where it comes from."""
    option = None if path in defaults else merged.option(path)
    if path in defaults or option is not None:
        return Value(path, value, option=option)
    found = merged.line(path)
    return Value(path, value) if found is None else Value(path, value, found[0].shown, found[1])


def rows(config: Any, merged: Merged, defaults: set[KeyPath]) -> Iterator[tuple[str, Value | None]]:
    """Yield the lines of a configuration as YAML, each with its value unless it only opens a section."""
    yield from _below((), config, 0, merged, defaults)


def _below(
    path: KeyPath, node: Any, indent: int, merged: Merged, defaults: set[KeyPath]
) -> Iterator[tuple[str, Value | None]]:
    space = " " * indent
    if isinstance(node, Mapping):
        for key, item in node.items():
            inner = (*path, key)
            if _is_leaf(item):
                yield f"{space}{key}: {scalar(item)}", origin_of(merged, inner, item, defaults)
            else:
                yield f"{space}{key}:", None
                yield from _below(inner, item, indent + (2 if isinstance(item, Mapping) else 0), merged, defaults)
        return
    for index, item in enumerate(node):
        inner = (*path, index)
        if _is_leaf(item):
            yield f"{space}- {scalar(item)}", origin_of(merged, inner, item, defaults)
            continue
        for number, (text, value) in enumerate(_below(inner, item, indent + 2, merged, defaults)):
            yield (f"{space}- {text[indent + 2 :]}" if number == 0 else text), value


def _is_leaf(node: Any) -> bool:
    return not isinstance(node, (Mapping, list)) or not node


def scalar(value: Any) -> str:
    """Return a value as YAML has it, in one line."""
    if isinstance(value, str) and "\n" in value:
        value = " ".join(value.split())
    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=float("inf"))
    return text.partition("\n")[0]
