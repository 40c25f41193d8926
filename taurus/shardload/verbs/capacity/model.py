"""The nouns of a search for the capacity: runs that were made, and what they say of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Outcome(str, Enum):
    """What a run shows about its rate; search.json contains the values."""

    GOOD = "good"
    BAD = "bad"
    # The generator could not offer the rate: the run says nothing of the target.
    BOUND = "generator-bound"
    # The measurement is not valid.
    INVALID = "invalid"


class Ended(str, Enum):
    """Why a search ended; search.json contains the values."""

    FOUND = "found"
    MAX_RATE = "max-rate"
    MAX_DURATION = "max-duration"
    BOUND = "generator-bound"
    NOTHING_PASSED = "nothing-passed"
    INVALID = "too-many-invalid-runs"
    UNSETTLED = "unsettled"
    # These three do not follow from the outcomes of runs: the caller ends the search.
    INTERRUPTED = "interrupted"
    WRONG = "wrong-documents"
    REFUSED = "a-run-was-refused"


@dataclass(frozen=True)
class Trial:
    """A run that was made, and how long it took from start to end."""

    rate: float
    outcome: Outcome
    seconds: float = 0.0


@dataclass(frozen=True)
class Next:
    """The rate to try, and why."""

    rate: float
    why: str


@dataclass(frozen=True)
class End:
    """An end of the interval; ``good`` and ``bad`` count the runs at its rate."""

    rate: float
    confirmed: bool
    good: int
    bad: int


@dataclass(frozen=True)
class Answer:
    """The capacity lies between ``low`` and ``high``; without ``high`` it is at least ``low``."""

    ended: Ended
    low: End | None
    high: End | None
