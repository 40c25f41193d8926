"""Collects everything that is wrong with a configuration, so that one message reports all of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from shardload.config.merge import KeyPath, Merged
from shardload.config.problem import Problem, unknown

T = TypeVar("T")


class Notes:
    """Reads sections of a merged configuration and notes each problem with the place of its key."""

    def __init__(self, merged: Merged) -> None:
        self.merged = merged
        self.config = merged.config
        self.found: list[str] = []

    def _fail(self, path: KeyPath, text: str) -> None:
        """Give the section up: what follows could not be read."""
        raise Problem(f"{self.merged.place(path)}: {text}")

    def _note(self, path: KeyPath, text: str) -> None:
        """Go on, so that all problems come out together."""
        self.found.append(f"{self.merged.place(path)}: {text}")

    def _try(self, action: Callable[[], T]) -> T | None:
        """Return what the action returns, or note its problem."""
        try:
            return action()
        except Problem as problem:
            self.found.append(str(problem))
            return None

    def _at(self, path: KeyPath, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except Problem as problem:
            raise Problem(f"{self.merged.place((*path, *problem.path))}: {problem}") from None

    def _keys(self, path: KeyPath, value: Any, known: Collection[str], skip_foreign: bool = False) -> None:
        """Refuse unknown keys; with ``skip_foreign`` only those that the user's files hold, not Taurus's own."""
        if not isinstance(value, Mapping):
            self._fail(path, f"must be a mapping with the keys {', '.join(sorted(known))}")
        for key in value:
            if key not in known and not (skip_foreign and self.merged.where((*path, key)) is None):
                self._note((*path, key), unknown("key", key, known))

    def _text(self, path: KeyPath, section: Mapping[str, Any], key: str, required: bool = False) -> None:
        value = section.get(key)
        if value is None and not required:
            return
        if not isinstance(value, str) or not value.strip():
            self._note((*path, key), "is missing" if value is None else "must be a text")

    def _one_of(self, path: KeyPath, section: Mapping[str, Any], key: str, choices: Collection[str]) -> None:
        value = section.get(key)
        if value is not None and value not in choices:
            self._note((*path, key), unknown("value", value, choices))

    def _number(self, path: KeyPath, section: Mapping[str, Any], key: str, reader: Callable[[Any], Any]) -> None:
        if section.get(key) is not None:
            self._try(lambda: self._at((*path, key), lambda: reader(section[key])))
