"""Stages of a profile: rates in their order, each with the time of its ramp and the time for which it is held."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shardload.config.problem import Problem
from shardload.config.values.quantities import number, seconds

# From a key inside the execution item to what is wrong with it.
Fault = tuple[tuple[str | int, ...], str]

_BESIDE = {
    "throughput": "each stage has its own throughput",
    "steps": "write each step as a stage",
    "ramp-up": "each stage has its own ramp",
    "hold-for": "each stage has its own for",
}
_RAMP = "-ramp"
_WARM_UP = "warm-up"
# The console has room for 20 characters, the suffix of ramps included.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}", re.ASCII)


@dataclass(frozen=True)
class Stage:
    """One rate: ``ramp`` seconds for the way to it, then ``hold`` seconds at it."""

    name: str
    throughput: float
    hold: float
    ramp: float

    @property
    def ramp_name(self) -> str:
        """The name of the segment in which the rate changes."""
        return self.name + _RAMP


def stage_faults(execution: Mapping[str, Any]) -> list[Fault]:
    """Return all that is wrong with the stages of an execution item, each with its key."""
    stages = execution.get("stages")
    if stages is None:
        return []
    faults: list[Fault] = [
        ((key,), f"cannot be combined with stages; {hint}")
        for key, hint in _BESIDE.items()
        if execution.get(key) is not None
    ]
    for index, stage in enumerate(stages):
        faults += [(("stages", index, "name"), text) for text in _name_faults(stage.get("name"))]
    return faults or list(_faults_together(_stages(stages)))


def read_stages(execution: Mapping[str, Any]) -> tuple[Stage, ...]:
    """Return the stages of an execution item, none if it has no such key, or the first problem with them."""
    for path, text in stage_faults(execution):
        raise Problem(text, path=path)
    return _stages(execution.get("stages") or [])


def _stages(stages: list[Mapping[str, Any]]) -> tuple[Stage, ...]:
    return tuple(
        Stage(
            str(stage.get("name") or f"stage-{place}"),
            number(stage["throughput"]) or 0.0,
            seconds(stage["for"]),
            seconds(stage.get("ramp") or 0),
        )
        for place, stage in enumerate(stages, 1)
    )


def _name_faults(name: str | None) -> Iterator[str]:
    if name is not None and not _NAME.fullmatch(name):
        yield f'"{name}" is not a name of a stage: up to 15 letters, digits, "-", "_" and "."'
    if name == _WARM_UP:
        yield f'"{name}" is reserved for the warm-up'


def _faults_together(stages: tuple[Stage, ...]) -> Iterator[Fault]:
    """Yield what only shows once each stage alone is right."""
    if not any(stage.throughput for stage in stages):
        yield ("stages",), "no stage has a throughput above 0"
    seen: dict[str, int] = {}
    for index, stage in enumerate(stages):
        if not stage.hold and not stage.ramp:
            yield ("stages", index, "for"), "is 0 and there is no ramp, so the stage has no duration"
        for name in (stage.name, *([stage.ramp_name] if stage.ramp else [])):
            if name in seen:
                yield ("stages", index), f'the segment name "{name}" is already used by stage {seen[name] + 1}'
            seen.setdefault(name, index)
