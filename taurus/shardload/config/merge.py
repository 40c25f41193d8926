"""Merges the YAML files as Taurus does, and remembers which file set which key."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import yaml

from shardload.config.keys import DATA_SIZES
from shardload.config.paths.find import find_file as find_file
from shardload.config.paths.find import list_folders
from shardload.config.paths.find import list_names as list_names
from shardload.config.paths.origins import KeyPath as KeyPath
from shardload.config.paths.origins import find_origin
from shardload.config.paths.reading import MERGE_TAG, read_yaml
from shardload.config.places import Places
from shardload.config.problem import Problem, unknown
from shardload.config.values.sections import check_override
from shardload.config.workload import folder as workload_folder


@dataclass(frozen=True)
class Source:
    """One file as it was read."""

    path: Path
    shown: str
    content: dict[str, Any]
    # The nodes, which know their lines.
    root: yaml.Node | None = None
    # Of a workload folder's file: the folder as Java gets it.
    folder: str | None = None
    # Whether no command names it: a file that one names adds to it.
    is_extended: bool = False


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
        found = self._in_file(path)
        if found is not None:
            return found[0].shown
        names = [option.partition("=")[0] for option in self.overrides]
        return next((self._shown(name) for name in reversed(names) if name.startswith(dotted + ".")), None)

    def line(self, path: KeyPath) -> tuple[Source, int | None] | None:
        """Return the file and line that said the value at a path; None where no file or an override did."""
        found = None if self._override_of(show_path(path)) is not None else self._in_file(path)
        return None if found is None else (found[0], line_of(found[0].root, found[1]))

    def _in_file(self, path: KeyPath) -> tuple[Source, KeyPath] | None:
        """Return the file that said the value at a path, with the path as it is in that file."""
        found = find_origin((source.content for source in self.sources), path)
        return None if found is None else (self.sources[found.number], found.path)

    def option(self, path: KeyPath) -> str | None:
        """Return the option of the command line that set the value at a path, None if none did."""
        name = self._override_of(show_path(path))
        if name is None:
            return None
        shown = self._shown(name)
        return "-o" if shown == f"-o {show_path(path)}" else shown

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
                return found if found.startswith("-o " + shown) else self._placed(found, path, length)
        return shown

    def refuse(self, path: KeyPath, text: str) -> NoReturn:
        """Give up what is being read, because of the key at a path."""
        raise Problem(f"{self.place(path)}: {text}")

    def _placed(self, found: str, path: KeyPath, length: int) -> str:
        """Show a path in what holds the first parts of it; in a file, with the indexes of its own lists."""
        in_file = self._in_file(path[:length])
        if in_file is None or in_file[0].shown != found:
            return f"{found}: {show_path(path)}"
        source, own = in_file
        line = line_of(source.root, own) if source.folder is not None else None
        return f"{found if line is None else f'{found}:{line}'}: {show_path((*own, *path[length:]))}"

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


def read_source(path: Path, places: Places) -> Source:
    """Read one file, strictly."""
    shown = places.show(path)
    try:
        text = path.read_text(encoding="utf-8")
        content, root = read_yaml(text)
    except Problem as problem:
        raise Problem(f"{shown}: {problem}") from None
    except OSError as error:
        raise Problem(f"cannot read {shown}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Problem(f"{shown} is not valid YAML: {_one_line(error)}") from error
    if not isinstance(content, dict):
        raise Problem(f"{shown}: the file must be a mapping of keys")
    if path.name != workload_folder.WORKLOAD_FILE:
        return Source(path, shown, content, root)
    return Source(path, shown, content, root, workload_folder.place_of(path, places))


def _one_line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or str(error)
    return f"{reason} (line {mark.line + 1})" if mark else " ".join(str(reason).split())


def merge(
    paths: Iterable[Path], overrides: Sequence[str], places: Places, flags: Mapping[str, str] | None = None
) -> Merged:
    """Merge files and overrides exactly as Taurus does; ``flags`` say which option set the key of an override."""
    # Here, for names alone are asked for too, by a shell at each key of Tab: Taurus takes half a second to import.
    from bzt.cli import ConfigOverrider
    from bzt.engine import Configuration

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
                f"-o {name[0] if name else ''}: an override has the form key=value, "
                'such as "-o execution.0.hold-for=2m"'
            )
        check_override(option.partition("=")[0], config)
    try:
        ConfigOverrider(log).apply_overrides(list(overrides), config)
    except (TypeError, KeyError, IndexError, ValueError, AttributeError) as error:
        names = ", ".join("-o " + option.partition("=")[0] for option in overrides)
        raise Problem(f"cannot apply {names}: this key cannot be set ({type(error).__name__})") from error
    return extended(Merged(plain(config), sources, list(overrides), names_of(sources), flags or {}), places)


def extended(merged: Merged, places: Places) -> Merged:
    """Return what the files mean where the workload is the name of a folder: its own file says what they do not."""
    section: Any = merged.config.get("workload")
    name = section.get("name") if isinstance(section, Mapping) else None
    if not isinstance(name, str) or any(source.folder is not None for source in merged.sources):
        return merged
    files = list_folders(places)
    if name not in files:
        merged.refuse(("workload", "name"), unknown("value", name, sorted(files)))
    base = read_source(files[name], places)
    own = plain(base.content.get("workload") or {})
    if isinstance(section.get("data"), Mapping) and any(key in section["data"] for key in DATA_SIZES):
        own["data"] = {key: value for key, value in (own.get("data") or {}).items() if key not in DATA_SIZES}
    config = {**merged.config, "workload": _over(own, section)}
    base = replace(base, content={"workload": base.content.get("workload")}, is_extended=True)
    return replace(merged, config=config, sources=[base, *merged.sources])


def _over(below: Any, above: Any) -> Any:
    """Return two values as one, where a mapping adds to a mapping and what is above takes the place of the rest."""
    if isinstance(below, Mapping) and above is None:
        return below
    if not isinstance(below, Mapping) or not isinstance(above, Mapping):
        return above
    return {**below, **{key: _over(below.get(key), value) for key, value in above.items()}}


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
