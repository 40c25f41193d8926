"""What makes the load of a run: a generator on this machine, or engines on load hosts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

# Beyond these a load host is shown also where there are too many to show all.
_LAG_SECONDS = 2.0
_CPU_PERCENT = 60.0
_CLOCK_OFFSET_MS = 500.0
_CLOCK_UNCERTAINTY_MS = 20.0
_GOOD_STATES = ("opening", "running", "ended")


@dataclass(frozen=True)
class HostState:
    """How one load host is doing; what is not known yet is 0."""

    generator: int
    host: str
    state: str
    figures: Mapping[str, float]

    @staticmethod
    def read(told: Mapping[str, Any]) -> HostState:
        """Read one from the child's message."""
        names = (
            "lag_seconds", "silent_seconds", "rate", "cpu_percent", "gc_percent", "hiccup_p99_ms", "clock_offset_ms",
            "clock_uncertainty_ms",
        )  # fmt: skip
        figures = {name: float(told.get(name) or 0.0) for name in names}
        return HostState(int(told["generator"]), str(told["host"]), str(told.get("state", "opening")), figures)

    @property
    def is_lost(self) -> bool:
        """Whether it takes part no more, though its schedule has not ended."""
        return self.state not in _GOOD_STATES

    @property
    def is_well(self) -> bool:
        """Whether nothing about it needs attention."""
        return not (
            self.is_lost
            or self.figures["lag_seconds"] > _LAG_SECONDS
            or self.figures["cpu_percent"] > _CPU_PERCENT
            or abs(self.figures["clock_offset_ms"]) > _CLOCK_OFFSET_MS
            or self.figures["clock_uncertainty_ms"] > _CLOCK_UNCERTAINTY_MS
        )


@dataclass(frozen=True)
class Seen:
    """What a look at the load found; ``trouble`` ends the run as a part that died."""

    is_over: bool
    notes: Sequence[str] = ()
    trouble: str | None = None


@dataclass(frozen=True)
class Ends:
    """How the generators ended, by their numbers; a lost one left no last line. ``hints`` are shown at the very end."""

    lost: Sequence[int] = ()
    losses: Sequence[Mapping[str, Any]] = ()
    exit_codes: Mapping[int, int | None] = field(default_factory=dict)
    hints: Sequence[str] = ()


class Load(Protocol):
    """The course of a load: ``open``, ``prepare``, ``start``, ``check`` until it is over, ``stop``, ``ends``."""

    # The stream of seconds that console and criteria follow, and how messages call what writes it.
    stream: str
    name: str
    hosts: Sequence[HostState]

    def open(self, interrupted: Callable[[], bool]) -> Sequence[str]:
        """Make sure that it can be made, before anything is done to the target; return lines to show."""

    def prepare(self, config: Mapping[str, Any]) -> None:
        """Write what the generators need, before the data set is marked."""

    def start(self, interrupted: Callable[[], bool]) -> None:
        """Start it."""

    def check(self, interrupted: Callable[[], bool]) -> Seen:
        """Look at it."""

    def stop(self, reason: str | None, patience_seconds: float) -> Seen:
        """Stop it if it still runs, and wait until the last figures are there.

        ``reason`` says what made the controller stop it, None if it ended by itself or a part died.
        """

    def ends(self, has_final: bool) -> Ends:
        """Say how the generators ended; ``has_final`` is true if the stream has its final line."""
