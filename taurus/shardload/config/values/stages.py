"""Stages of a profile: rates in their order, each with the time of its ramp and the time for which it is held."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shardload.config.keys import STAGE
from shardload.config.problem import Problem, unknown
from shardload.config.values.quantities import positive, seconds

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
    if not isinstance(stages, list) or not stages:
        return [*faults, (("stages",), "must be a list of stages, as in [{throughput: 200, for: 30s, ramp: 5s}]")]
    for index, stage in enumerate(stages):
        faults += [(("stages", index, *path), text) for path, text in _faults_of_one(stage)]
    return faults or list(_faults_together(_stages(stages)))


def read_stages(execution: Mapping[str, Any]) -> tuple[Stage, ...]:
    """Return the stages of an execution item, none if it has no such key, or the first problem with them."""
    for path, text in stage_faults(execution):
        raise Problem(text, path=path)
    return _stages(execution.get("stages") or [])


def rate(value: object) -> float:
    """Return a rate; 0 is a pause."""
    try:
        return 0.0 if value in (0, "0") and not isinstance(value, bool) else positive(value)
    except Problem:
        raise Problem(f'"{value}" is not a number of at least 0') from None


def _stages(stages: list[Mapping[str, Any]]) -> tuple[Stage, ...]:
    return tuple(
        Stage(
            str(stage.get("name") or f"stage-{number}"),
            rate(stage["throughput"]),
            seconds(stage["for"]),
            seconds(stage.get("ramp") or 0),
        )
        for number, stage in enumerate(stages, 1)
    )


def _faults_of_one(stage: Any) -> Iterator[Fault]:
    if not isinstance(stage, Mapping):
        yield (), f"must be a mapping with the keys {', '.join(sorted(STAGE))}"
        return
    for key in stage:
        if key not in STAGE:
            yield (key,), unknown("key", key, STAGE)
    readers: dict[str, Callable[[Any], Any]] = {"throughput": rate, "for": seconds, "ramp": seconds, "name": _name}
    for key, reader in readers.items():
        value = stage.get(key)
        if value is not None:
            try:
                reader(value)
            except Problem as problem:
                yield (key,), str(problem)
        elif key in ("throughput", "for"):
            yield (key,), "is missing"


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise Problem(f'"{value}" is not a name of a stage: up to 15 letters, digits, "-", "_" and "."')
    if value == _WARM_UP:
        raise Problem(f'"{value}" is reserved for the warm-up')
    return value


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
