"""What a check is, how it ends, and what it works with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from shardload.config.places import Places

PASSED, FAILED, NOT_APPLICABLE, NOT_RUN = "passed", "failed", "not applicable", "not run"


class Failed(Exception):
    """The condition of a check does not hold; ``code`` is the exit code of the command that showed this."""

    def __init__(self, why: str, code: int | None = None) -> None:
        super().__init__(why)
        self.code = code


class NotApplicable(Exception):
    """A check has no meaning here; its text says why."""


class Interrupted(Exception):
    """Somebody pressed Ctrl-C."""


@dataclass(frozen=True)
class Answer:
    """How a command of shardload ended, and what it printed."""

    code: int
    output: str

    @property
    def line(self) -> str:
        """The line that says why it ended so: the last one that shardload marks as its own, or else the last."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        marked = [line for line in lines if line.startswith(("shardload: ", "verdict"))]
        return (marked or lines or ["(it printed nothing)"])[-1]


# Asked while a command runs, with what it has printed so far; the name of a signal that it returns is sent.
Watch = Callable[[str], "str | None"]


class Caller(Protocol):
    """Calls verbs of shardload, as a user would."""

    def call(
        self,
        words: Sequence[str],
        environment: Mapping[str, str] | None = None,
        watch: Watch | None = None,
        may_fail: bool = True,
    ) -> Answer:
        """Run a command to its end; without ``may_fail`` another exit code than 0 fails the check."""


@dataclass(frozen=True)
class Size:
    """How much data and load the checks use."""

    documents: int
    tenants: int
    rate: int
    calls: int


@dataclass
class Scene:
    """What all checks share: the target, how it is called, and what earlier checks found."""

    places: Places
    target: str
    section: Mapping[str, Any]
    options: Any
    caller: Caller
    folder: Path
    environment: Mapping[str, str]
    others: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # What the server calls itself, how much it can do with, and the bundle of the check "run".
    server: str = ""
    size: Size | None = None
    bundle: Path | None = None
    facts: dict[str, str] = field(default_factory=dict)
    # What commands printed so far: rights that were missing show in it.
    told: list[str] = field(default_factory=list)
    # The runs that were started; they alone may be given up.
    runs: list[str] = field(default_factory=list)
    # What is to be put in order at the end.
    is_unsettled: bool = False
    is_variant: bool = False
    # Whether the table belongs to taurus/acceptance, which the built-in workload does not accept as its own.
    is_folder: bool = False

    @property
    def topology(self) -> str:
        """What the target's options say that the server is; empty where they do not."""
        options = self.section.get("options")
        return str(options.get("topology") or "") if isinstance(options, Mapping) else ""


@dataclass(frozen=True)
class Check:
    """One thing to be shown.

    ``run`` returns what it found, or raises :class:`Failed` or :class:`NotApplicable`. ``needs`` names checks that
    must have passed, ``after`` those that only must have been run. ``systems`` are words for servers, as in
    :func:`variants.system_of`; None stands for all.
    """

    name: str
    proves: str
    run: Callable[[Scene], str]
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    systems: tuple[str, ...] | None = None
    limit_seconds: float = 180


@dataclass(frozen=True)
class Result:
    """How a check ended."""

    check: Check
    status: str
    why: str
    seconds: float = 0.0
    code: int | None = None


def closure(names: Collection[str], checks: Sequence[Check]) -> list[Check]:
    """Return the named checks and all that they need, in the order of the registry."""
    by_name = {check.name: check for check in checks}
    wanted: set[str] = set()
    rest = list(names)
    while rest:
        name = rest.pop()
        if name not in wanted:
            wanted.add(name)
            rest += [*by_name[name].needs, *by_name[name].after]
    return [check for check in checks if check.name in wanted]
