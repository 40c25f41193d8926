"""What a check is, how it ends, and what it works with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from shardload.config.places import Places
from shardload.verbs.acceptance.calls import Answer, Commands

PASSED, FAILED, NOT_APPLICABLE, NOT_RUN = "passed", "failed", "not applicable", "not run"


class NotApplicable(Exception):
    """A check has no meaning here; its text says why."""


class Size(NamedTuple):
    """How much data and load the checks use."""

    documents: int
    tenants: int
    rate: int
    calls: int


SIZE = Size(documents=20_000, tenants=100, rate=100, calls=100)
# No index of FerretDB 1 serves a find: each one reads all documents.
SMALL = Size(documents=100, tenants=4, rate=20, calls=20)
SLOW = "FerretDB 1"


@dataclass
class Scene:
    """What all checks share: the target, how it is called, and what earlier checks found."""

    places: Places
    target: str
    section: Mapping[str, Any]
    options: Any
    caller: Commands
    folder: Path
    environment: Mapping[str, str]
    others: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # What the server calls itself, how much it can do with, and the bundle of the check "run".
    server: str = ""
    size: Size = SMALL
    bundle: Path | None = None
    facts: dict[str, str] = field(default_factory=dict)
    # What commands printed so far: rights that were missing show in it.
    told: list[str] = field(default_factory=list)
    # The runs that were started; they alone may be given up.
    runs: list[str] = field(default_factory=list)
    # What is to be put in order at the end.
    is_unsettled: bool = False
    is_variant: bool = False
    # Whether the table belongs to taurus/acceptance, which other workloads do not accept as their own.
    is_folder: bool = False

    @property
    def topology(self) -> str:
        """What the target's options say that the server is; empty where they do not."""
        options = self.section.get("options")
        return str(options.get("topology") or "") if isinstance(options, Mapping) else ""

    @property
    def system(self) -> str:
        """The words by which checks know a server: ``PostgreSQL 15.20, Citus 12.1``, ``MongoDB 8; MongoDB sharded``."""
        return f"{self.server}; {self.server.split(' ')[0]} {self.topology}" if self.topology else self.server

    def call(self, *words: str) -> Answer:
        """Run a command, whose output may tell of rights that are missing."""
        answer = self.caller.call(words)
        self.told.append(answer.output)
        return answer


class Check(NamedTuple):
    """One thing to be shown.

    ``run`` returns what it found, or raises Failed or NotApplicable. ``needs`` names checks that must have passed,
    ``after`` those that only must have been run. ``systems`` are words of Scene.system; None stands for all.
    """

    name: str
    proves: str
    run: Callable[[Scene], str]
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    systems: tuple[str, ...] | None = None


class Result(NamedTuple):
    """How a check ended."""

    check: Check
    status: str
    why: str
    seconds: float = 0.0
    code: int | None = None


def closure(names: Collection[str], checks: Sequence[Check]) -> list[Check]:
    """Return the named checks and all that they need, which are before them."""
    wanted = set(names)
    for check in reversed(checks):
        wanted.update((*check.needs, *check.after) if check.name in wanted else ())
    return [check for check in checks if check.name in wanted]
