"""What a series of runs consists of: its sides, their order, and how it ends. Pure, so that tests need no runs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from shardload.config.paths.find import name_of_argument
from shardload.config.problem import Problem

DEFAULT_ROUNDS = 6
# With fewer, compare shows differences and judges none.
LEAST_ROUNDS = 5
_MOST_RUNS = 1000
_WHERE = ("target.driver", "target.embedded", "target.url")


@dataclass(frozen=True)
class Side:
    """What is compared: a target, by its name or path, with its overrides."""

    label: str
    name: str
    target: str
    overrides: tuple[str, ...]


@dataclass(frozen=True)
class Turn:
    """One run of a series; number and round count from 1."""

    number: int
    round: int
    side: Side


def label_of(index: int) -> str:
    """Return the letter of a side; the 27th and later ones get a number."""
    return chr(ord("A") + index) if index < 26 else f"S{index + 1}"


def read_vary(texts: Sequence[str], overrides: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Read ``KEY=v1,v2``: each key once, with values that differ, and not overridden as well."""
    varied: list[tuple[str, list[str]]] = []
    fixed = {option.partition("=")[0] for option in overrides}
    for text in texts:
        key, equals, rest = text.partition("=")
        values = [value.strip() for value in rest.split(",")]
        if not key or not equals or not all(values):
            raise Problem(f'--vary {text}: has the form key=value,value, such as "--vary schema.index=hash,btree"')
        if len(set(values)) != len(values):
            raise Problem(f"--vary {text}: a value appears twice")
        if key in fixed or key in [name for name, _ in varied]:
            raise Problem(f"--vary {text}: {key} is set twice")
        varied.append((key, values))
    return varied


def build_sides(
    targets: Sequence[str], varied: Sequence[tuple[str, Sequence[str]]], overrides: Sequence[str]
) -> list[Side]:
    """Return every combination of a target and varied values, the last key changing fastest."""
    if len(targets) > 1:
        for key in (*(option.partition("=")[0] for option in overrides), *(key for key, _ in varied)):
            if key in _WHERE:
                raise Problem(
                    f"{key}: would hold for {' and '.join(targets)} alike, which then are one and the same; write it "
                    "into a target file of its own"
                )
        if len({name_of_argument(target) for target in targets}) < len(set(targets)):
            raise Problem(f"{' and '.join(targets)}: have the same name; in a series each needs its own name")
    sides = []
    combinations = itertools.product(*([(key, value) for value in values] for key, values in varied))
    for index, (target, combination) in enumerate(
        (target, combination) for combination in combinations for target in targets
    ):
        settings = [f"{key}={value}" for key, value in combination]
        name = ", ".join(([name_of_argument(target)] if len(targets) > 1 or not settings else []) + settings)
        sides.append(Side(label_of(index), name, target, (*overrides, *settings)))
    return sides


def order(sides: Sequence[Side], rounds: int) -> list[Turn]:
    """Return the runs in their order: each round turned against the one before as in ABBA BAAB.

    Over four rounds every side stands as often early as late, so what drifts steadily cancels out, and what bends too.
    """
    turns: list[Turn] = []
    for number in range(rounds):
        row = sides if number % 4 in (0, 3) else list(reversed(sides))
        turns += [Turn(len(turns) + place, number + 1, side) for place, side in enumerate(row, 1)]
    return turns


def read_rounds(repeat: int | None, interleaved: bool, sides: int) -> int:
    """Return how often each side runs."""
    rounds = repeat if repeat is not None else DEFAULT_ROUNDS if interleaved else 1
    if rounds < 1 or rounds * sides > _MOST_RUNS:
        raise Problem(_too_many(rounds, sides))
    return rounds


def _too_many(rounds: int, sides: int) -> str:
    if rounds < 1:
        return f'--repeat: "{rounds}" is not a whole number of at least 1'
    of_sides = f" of {sides} sides" if sides > 1 else ""
    return f"--repeat: {rounds} rounds{of_sides} are {rounds * sides} runs, more than {_MOST_RUNS}"


def without_verdict(rounds: int, sides: int) -> str | None:
    """Return what a user should know before a series with too few rounds begins; None where there are enough."""
    if sides < 2 or rounds >= LEAST_ROUNDS:
        return None
    what = "one round shows" if rounds == 1 else f"{rounds} rounds show"
    return f"{what} differences without a verdict; a verdict needs --repeat {LEAST_ROUNDS}"
