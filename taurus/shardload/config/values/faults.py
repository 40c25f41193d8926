"""The section ``faults`` of a profile: which faults a run injects, and when."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shardload.config.problem import Problem, unknown
from shardload.config.values.quantities import seconds, whole
from shardload.config.values.schedule import LoadKeys, total_seconds

# What an embedded server can be made to do; the Java child does it.
BUILT_IN = ("stop", "kill")
BUILT_IN_WITH_DISK = ("lose-unsynced", "fill-disk")
# What the file of a target says of a fault.
COMMANDS = ("begin", "end", "check")
_SERVERS = ("postgresql", "mariadb")
# A rate before the first fault is needed, to say when it is back.
LEAST_AT_SECONDS = 5.0
DEFAULT_DURATION_SECONDS = 5.0
# A load has recovered with so many good windows of whole seconds; FaultSeconds in Java looks for them.
WINDOWS, WINDOW_CALLS = 3, 1000


@dataclass(frozen=True)
class Fault:
    """One fault; its moment counts from the end of the warm-up. ``commands`` are empty for one that is built in."""

    fault: str
    at_seconds: float
    duration_seconds: float
    commands: Mapping[str, str] = field(default_factory=dict)
    name: str = ""

    @property
    def end_seconds(self) -> float:
        """When it ends."""
        return self.at_seconds + self.duration_seconds

    def to_json(self) -> dict[str, Any]:
        """Return it as the Java side reads it."""
        moments = {"at_seconds": self.at_seconds, "duration_seconds": self.duration_seconds}
        return {"name": self.name, "fault": self.fault, **moments, **self.commands}


def read_faults(
    section: Sequence[Mapping[str, Any]], target: Mapping[str, Any], load: LoadKeys, seed: int
) -> list[Fault]:
    """Return the faults in order of time, or say which does not fit the target, the load or the others."""
    if load.steps or load.stages:
        raise Problem("require one load level; remove " + ("steps" if load.steps else "stages"))
    results_seconds = total_seconds(load.segments()) - load.warm_up
    found = []
    for index, item in enumerate(section):
        given = {key: value for key, value in item.items() if value is not None}
        kinds = given["fault"] if isinstance(given["fault"], list) else [given["fault"]]
        commands = {kind: _commands(kind, target, index) for kind in kinds}
        if ("at" in given) == ("times" in given):
            raise Problem("needs either at or times", path=(index,))
        faults = _drawn(given, kinds, results_seconds, random.Random(f"{seed}/{index}"), index)
        found += [replace(fault, commands=commands[fault.fault]) for fault in faults]
    found.sort(key=lambda fault: fault.at_seconds)
    _check_moments(found, results_seconds)
    return _named(found)


def _commands(kind: str, target: Mapping[str, Any], index: int) -> dict[str, str]:
    """Return what the target's file says of a fault, nothing for one that is built in."""
    declared = target.get("faults") or {}
    is_server = target.get("embedded") in _SERVERS
    built_in = (*BUILT_IN, *BUILT_IN_WITH_DISK) if is_server else ()
    if kind in declared:
        return {key: str(value) for key, value in declared[kind].items() if value is not None}
    if kind in built_in:
        if kind in BUILT_IN_WITH_DISK and target.get("embedded-disk") is None:
            text = f"{kind} needs target.embedded-disk, a file system of its own, such as 4GiB"
            raise Problem(text, path=(index, "fault"))
        return {}
    known = [*declared, *built_in]
    text = unknown("fault", kind, known) if known else f'unknown fault "{kind}"; target.faults of this target has none'
    raise Problem(text, path=(index, "fault"))


def _drawn(
    given: Mapping[str, Any], kinds: Sequence[str], results_seconds: float, draws: random.Random, index: int
) -> list[Fault]:
    """Return the one fault with a moment, or those that are drawn: one in each of equal parts of the results.

    A fault begins in the first half of its part and ends in it, so the rest is there for the recovery.
    """
    bounds = given.get("duration", DEFAULT_DURATION_SECONDS)
    shortest, longest = (seconds(bound) for bound in (bounds if isinstance(bounds, list) else (bounds, bounds)))
    if shortest > longest:
        raise Problem("the shortest duration comes first", path=(index, "duration"))

    def fault(at: float) -> Fault:
        return Fault(draws.choice(kinds), round(at, 3), round(draws.uniform(shortest, longest), 3))

    if "at" in given:
        return [fault(seconds(given["at"]))]
    times = whole(given["times"], 1)
    part = (results_seconds - LEAST_AT_SECONDS) / times
    if part < 2 * longest:
        most = int((results_seconds - LEAST_AT_SECONDS) / (2 * longest))
        raise Problem(f"{times} faults of up to {longest:g} s do not fit; at most {most} do", path=(index, "times"))
    return [fault(LEAST_AT_SECONDS + part * number + draws.uniform(0, part / 2)) for number in range(times)]


def _check_moments(faults: Sequence[Fault], results_seconds: float) -> None:
    for fault in faults:
        if fault.at_seconds < LEAST_AT_SECONDS:
            raise Problem(
                f"{fault.fault} at {fault.at_seconds:g} s: must be at least {LEAST_AT_SECONDS:g}s after the warm-up, "
                "to know the rate before it"
            )
        if fault.end_seconds >= results_seconds:
            raise Problem(
                f"{fault.fault} from {fault.at_seconds:g} s to {fault.end_seconds:g} s: "
                f"the results end after {results_seconds:g} s"
            )
    for before, after in zip(faults, faults[1:], strict=False):
        if after.at_seconds < before.end_seconds:
            raise Problem(
                f"{after.fault} at {after.at_seconds:g} s begins before {before.fault} ends, at "
                f"{before.end_seconds:g} s; one fault at a time"
            )


def no_time_to_recover(faults: Sequence[Fault], load: LoadKeys) -> str | None:
    """Return why the recovery from a fault cannot be seen; None if it can, or if the rate is not known before."""
    if not faults or load.throughput is None:
        return None
    needed = WINDOWS * math.ceil(WINDOW_CALLS / load.throughput)
    end = total_seconds(load.segments()) - load.warm_up
    rests = [
        (round(until - fault.end_seconds, 3), number)
        for number, (fault, until) in enumerate(zip(faults, [*(one.at_seconds for one in faults[1:]), end]))
    ]
    rest, number = min(rests)
    if rest >= needed:
        return None
    is_last = number == len(faults) - 1
    after = "" if is_last else faults[number + 1].name
    before = f"{after} begins" if after else "the load ends"
    cure = f"{after} must begin {needed - rest:g} s later" if after else f"hold-for must be {needed - rest:g} s longer"
    if rest >= WINDOWS:
        cure += f", or throughput at least {math.ceil(WINDOW_CALLS / (rest // WINDOWS))}"
    return (
        f"the recovery from {faults[number].name} cannot be measured: {WINDOWS} windows of {WINDOW_CALLS:,} calls take "
        f"{needed} s at {load.throughput:g}/s, and {rest:g} s after its end {before}; {cure}"
    )


def _named(faults: Sequence[Fault]) -> list[Fault]:
    """Give each fault the name of its kind, with a number where there are several."""
    counts = Counter(fault.fault for fault in faults)
    seen: Counter[str] = Counter()
    named = []
    for fault in faults:
        seen[fault.fault] += 1
        number = f"-{seen[fault.fault]}" if counts[fault.fault] > 1 else ""
        named.append(replace(fault, name=f"{fault.fault}{number}"))
    return named
