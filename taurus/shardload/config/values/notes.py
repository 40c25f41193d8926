"""Collects everything that is wrong with a configuration, so that one message reports all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from shardload.config.merge import KeyPath, Merged
from shardload.config.problem import Problem

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
