"""Merging the YAML files as Taurus does, and remembering which file said what."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from bzt.cli import ConfigOverrider
from bzt.engine import Configuration

from shardload.config.paths.find import find_file as find_file
from shardload.config.paths.find import list_names as list_names
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.config.workload import folder as workload_folder
from shardload.config.workload.lines import line_of

KeyPath = tuple[Any, ...]


class _StrictLoader(yaml.SafeLoader):
    """Refuses a key that stands twice in one mapping, where YAML would silently take the last."""


def _mapping(loader: _StrictLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        line = key_node.start_mark.line + 1
        if not isinstance(key, str):
            # Taurus could not merge it.
            raise Problem(f'YAML does not read the key "{key_node.value}" as a text; put it in quotes (line {line})')
        if key in seen:
            raise Problem(f'key "{key}" stands twice (line {line})')
        seen.add(key)
    loader.flatten_mapping(node)
    return dict(loader.construct_pairs(node, deep=True))


_StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


@dataclass(frozen=True)
class Source:
    """One file as it was read."""

    path: Path
    shown: str
    content: dict[str, Any]
    # Of a workload folder's file: the folder as Java gets it, and the nodes, which know their lines.
    folder: str | None = None
    root: yaml.Node | None = None


@dataclass
class Merged:
    """The merged configuration and where it came from."""

    config: dict[str, Any]
    sources: Sequence[Source] = ()
    overrides: Sequence[str] = ()
    names: dict[str, str] = field(default_factory=dict)
    # Which option of the command line set the key of an override, where it was not -o.
    flags: Mapping[str, str] = field(default_factory=dict)

    def where(self, path: KeyPath) -> str | None:
        """Return the file or override that set the key at a path, None when neither did."""
        dotted = ".".join(str(part) for part in path)
        name = self._override_of(dotted)
        if name is not None:
            return self._shown(name)
        for source in reversed(self.sources):
            if _holds(source.content, path):
                return source.shown
        names = [option.partition("=")[0] for option in self.overrides]
        return next((self._shown(name) for name in reversed(names) if name.startswith(dotted + ".")), None)

    def _override_of(self, dotted: str) -> str | None:
        """Return the key of the override that set a key or what it is part of."""
        names = [option.partition("=")[0] for option in self.overrides]
        return next((name for name in reversed(names) if dotted == name or dotted.startswith(name + ".")), None)

    def _shown(self, name: str) -> str:
        return self.flags.get(name) or "-o " + name

    def place(self, path: KeyPath) -> str:
        """Return where a key stands, for messages; a missing key stands where its parent does."""
        shown = show_path(path)
        for length in range(len(path), 0, -1):
            found = self.where(path[:length])
            if found:
                return found if found.startswith("-o " + shown) else f"{self._with_line(found, path[:length])}: {shown}"
        return shown

    def _with_line(self, found: str, path: KeyPath) -> str:
        """Return a file with the line of a key, where lines are known."""
        lines = [line_of(source.root, path) for source in reversed(self.sources) if source.shown == found]
        line = next((line for line in lines if line is not None), None)
        return found if line is None else f"{found}:{line}"

    def prefer_overrides(self, path: KeyPath, keys: Iterable[str]) -> None:
        """Among keys of a section that exclude each other, let those of overrides take the place of those of files."""
        section: Any = self.config
        for name in path:
            section = section.get(name) or {}
        said = [key for key in keys if section.get(key) is not None]
        overridden = [key for key in said if self._override_of(show_path((*path, key))) is not None]
        for key in said if overridden else ():
            if key not in overridden:
                del section[key]


def show_path(path: KeyPath) -> str:
    """Show a path as it is written in an override, which is what people paste."""
    return ".".join(str(part) for part in path)


def _holds(node: Any, path: KeyPath) -> bool:
    """Whether a file's own content has the key; its list items may have moved when lists were joined."""
    if not path:
        return True
    head, rest = path[0], path[1:]
    if isinstance(node, dict):
        return any(_holds(node[name], rest) for name in (head, f"~{head}", f"${head}", f"^{head}") if name in node)
    if isinstance(node, list) and isinstance(head, int):
        return any(_holds(item, rest) for item in node) if rest else head < len(node)
    return False


def read_source(path: Path, places: Places) -> Source:
    """Read one file, strictly."""
    shown = places.show(path)
    try:
        text = path.read_text(encoding="utf-8")
        content = yaml.load(text, _StrictLoader)
    except Problem as problem:
        raise Problem(f"{shown}: {problem}") from None
    except OSError as error:
        raise Problem(f"cannot read {shown}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Problem(f"{shown} is no valid YAML: {_one_line(error)}") from error
    if not isinstance(content, dict):
        raise Problem(f"{shown}: the file has to be a mapping of keys")
    if path.name != workload_folder.WORKLOAD_FILE:
        return Source(path, shown, content)
    return Source(path, shown, content, workload_folder.place_of(path, places), yaml.compose(text, yaml.SafeLoader))


def _one_line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or str(error)
    return f"{reason} (line {mark.line + 1})" if mark else " ".join(str(reason).split())


def merge(
    paths: Iterable[Path], overrides: Sequence[str], places: Places, flags: Mapping[str, str] | None = None
) -> Merged:
    """Merge files and overrides exactly as Taurus does; ``flags`` say which option set the key of an override."""
    sources = [read_source(path, places) for path in paths]
    config = Configuration()
    log = logging.getLogger("shardload.merge")
    # Taurus logs the values of overrides; without a handler Python would print its errors.
    log.propagate = False
    log.addHandler(logging.NullHandler())
    config.log = log
    config.load([str(source.path) for source in sources])
    for option in overrides:
        if not option.partition("=")[0] or "=" not in option:
            # Only what begins like a key: the rest may be a secret.
            name = re.match(r"[\w.~^$*-]*", option)
            raise Problem(
                f'-o {name[0] if name else ""}: an override has the form key=value, as "-o execution.0.hold-for=2m"'
            )
    try:
        ConfigOverrider(log).apply_overrides(list(overrides), config)
    except (TypeError, KeyError, IndexError, ValueError, AttributeError) as error:
        names = ", ".join("-o " + option.partition("=")[0] for option in overrides)
        raise Problem(f"cannot apply {names}: no such key can be set ({type(error).__name__})") from error
    return Merged(plain(config), sources, list(overrides), names_of(sources), flags or {})


def names_of(sources: Sequence[Source]) -> dict[str, str]:
    """Return the names of target, workload and profile: those of the files that hold these sections."""
    return {kind: workload_folder.name_of(source.path) for source in sources for kind in kinds_of(source)}


def kinds_of(source: Source) -> list[str]:
    """Return what a file holds of target, workload and profile."""
    sections = {str(key).lstrip("~$^") for key in source.content}
    kinds = (("target", "target"), ("workload", "workload"), ("profile", "execution"))
    return [kind for kind, section in kinds if section in sections]


def plain(value: Any) -> Any:
    """Copy nested configuration into plain dicts and lists."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
