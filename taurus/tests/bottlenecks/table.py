"""The table of hits and misses, and whether it is good enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from tests.bottlenecks.rows import Row

RUNS = 5
FURTHER_RUNS = 3
NEEDED = Fraction(65, 70)
FURTHER_NEEDED = Fraction(30, 36)
# Resources of the tested system, and those of the side that makes the load.
_OF_TARGET = {"processor", "disk", "locks", "server", "shard", "plan"}
_OF_LOAD = {"generator", "workers", "pool", "network"}


class Judged(NamedTuple):
    """What a run was said to be bound by; "-" if nothing was said."""

    resource: str
    sentence: str

    @staticmethod
    def of(summary: Mapping[str, Mapping[str, str] | None]) -> Judged:
        """Read it from a summary.json."""
        found = summary.get("bottleneck") or {}
        return Judged(found.get("resource") or "-", found.get("sentence") or "")


# Each row with its runs; None if it was not run.
Results = Sequence[tuple[Row, Sequence[Judged] | None]]


def markdown(results: Results) -> str:
    """Return the table and the sums."""
    lines = ["| row | what is made | bottleneck | hits | misses |", "|---|---|---|---|---|"]
    for row, runs in results:
        misses = [f"{run.resource}: {run.sentence}" for run in runs or () if run.resource != row.expected]
        hits = f"{len(runs) - len(misses)} of {len(runs)}" if runs is not None else "not validated"
        lines.append(f"| {row.name} | {row.made} | {row.expected} | {hits} | {'<br>'.join(misses)} |")
    hit, run = _hits(results)
    sums = f"{hit} of {run} runs named the bottleneck. The target was accused in {_false(results)} runs whose cause was"
    return "\n".join([*lines, "", f"{sums} the side that makes the load."])


def _hits(results: Results) -> tuple[int, int]:
    judged = [(run.resource, row.expected) for row, runs in results for run in runs or ()]
    return sum(found == expected for found, expected in judged), len(judged)


def _false(results: Results) -> int:
    accused = [run for row, runs in results if row.expected in _OF_LOAD for run in runs or ()]
    return sum(run.resource in _OF_TARGET for run in accused)


def is_good(results: Results, needed: Fraction = NEEDED) -> bool:
    """Tell whether enough runs named the bottleneck, and none accused the target of what the load side caused."""
    hit, run = _hits(results)
    return hit >= needed * run and not _false(results)
