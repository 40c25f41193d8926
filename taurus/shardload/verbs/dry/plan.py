"""What a run would do: its segments, the samples that its criteria get, and how long all of it takes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shardload.config.effective import Checked
from shardload.config.values.criteria import samples_needed
from shardload.config.values.schedule import Segment, expected_counts, result_names, total_seconds
from shardload.config.values.search import Plan
from shardload.verbs.capacity.model import Next, Outcome, Trial
from shardload.verbs.capacity.search import decide

# As measured with 2 KiB documents on an embedded server: only to say whether it is seconds or hours.
LOADED_PER_SECOND = 13_000.0
VERIFIED_PER_SECOND = 110_000.0
_START_SECONDS = 8.0
_END_SECONDS = 4.0
_USUAL_BYTES = 2048
_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
_LIMIT_PERCENTILE = 99.0
# A search is estimated for a server that carries so many times the start rate; noise makes so many times the runs, by
# the table in docs/capacity.md.
_KNEE = 10
_NOISE = 1.6


@dataclass(frozen=True)
class Samples:
    """What a criterion judges: how many samples come, and how many it needs; None where nobody can know.

    With too few samples a live criterion judges whatever came in its time frame, a limit the maximum, and a criterion
    at the end nothing.
    """

    criterion: str
    expected: float | None
    needed: float
    per: str
    is_live: bool = False
    is_limit: bool = False

    @property
    def is_too_few(self) -> bool:
        """Whether too few samples come for the percentile that is judged."""
        return self.expected is not None and self.expected < self.needed

    def to_json(self) -> dict[str, Any]:
        """Return it for other programs."""
        return {**asdict(self), "needed": self.needed or None, "too_few": self.is_too_few}


def arrivals_of(segment: Segment, known: Mapping[str, Any]) -> float | None:
    """Return how many arrivals fall due in a segment, by the plan of the Java child; None in the closed model."""
    if segment.expected_arrivals is None:
        return None
    counted = (known.get("expected") or {}).get(segment.name)
    return segment.expected_arrivals if counted is None else float(sum(map(float, counted.values())))


def samples(checked: Checked, segments: Sequence[Segment], known: Mapping[str, Any]) -> list[Samples]:
    """Return what each criterion and limit gets to judge."""
    counts = expected_counts(segments, known)
    names = result_names(segments)
    results = [segment for segment in segments if segment.name in names]
    is_open = checked.load is not None and checked.load.model == "open"
    slowest = min((_rate(segment) for segment in results), default=0.0)
    found = []
    for criterion in checked.criteria:
        label = criterion.label
        expected = counts.get(label, 0.0) if is_open else None
        per = "the run"
        if criterion.is_live:
            share = counts[label] / counts[""] if is_open and counts.get(label) else 0.0
            expected = slowest * share * criterion.timeframe if is_open else None
            per = f"{criterion.timeframe:g} s"
        level = criterion.percentile
        needed = 0.0 if level is None else samples_needed(level)
        found.append(Samples(criterion.text, expected, needed, per, criterion.is_live))
    limits = checked.execution.get("limits") or {}
    # Each run of a search is long enough.
    if limits.get("p99") is not None and checked.search is None:
        steps = [arrivals_of(segment, known) or 0.0 for segment in segments if segment.kind == "step"]
        least = (min(steps) if steps else counts.get("", 0.0)) if is_open else None
        per, needed = "each step" if steps else "the run", samples_needed(_LIMIT_PERCENTILE)
        found.append(Samples(f"limits: p99 {limits['p99']}", least, needed, per, is_limit=True))
    return found


def _rate(segment: Segment) -> float:
    arrivals = segment.expected_arrivals
    return 0.0 if arrivals is None or not segment.seconds else arrivals / segment.seconds


@dataclass(frozen=True)
class Times:
    """Estimated seconds; None where it is not known what would be loaded."""

    load: float | None
    run: float
    verification: float
    around: float = _START_SECONDS + _END_SECONDS

    @property
    def total(self) -> float:
        """All of it, without a load of which nothing is known."""
        return (self.load or 0.0) + self.run + self.verification + self.around

    def to_json(self) -> dict[str, Any]:
        """Return it for other programs."""
        return {
            "load_seconds": self.load, "run_seconds": self.run, "verification_seconds": self.verification,
            "start_and_report_seconds": self.around, "total_seconds": self.total,
        }  # fmt: skip


def times(checked: Checked, segments: Sequence[Segment], documents: int | None, to_load: int | None) -> Times:
    """Return how long the parts of a run would take."""
    size = max(1.0, _document_bytes(checked.workload.get("data") or {}) / _USUAL_BYTES)
    mode = checked.execution.get("verification") or "all"
    length = total_seconds(segments)
    walked = float(documents or 0) if mode == "all" else 0.0
    if mode == "written":
        # All arrivals, for which of them write is the workload's to know.
        walked = sum(segment.expected_arrivals or 0.0 for segment in segments)
    load = None if to_load is None else to_load * size / LOADED_PER_SECOND
    return Times(load, length, walked * size / VERIFIED_PER_SECOND)


def search_runs(plan: Plan) -> tuple[int, int]:
    """Return how many runs a search makes, on a server without noise and on a noisy one."""
    trials: list[Trial] = []
    while isinstance(found := decide(plan, trials), Next):
        is_good = found.rate <= _KNEE * plan.start_rate
        trials.append(Trial(found.rate, Outcome.GOOD if is_good else Outcome.BAD))
    return len(trials), math.ceil(_NOISE * len(trials))


def _document_bytes(data: Mapping[str, Any]) -> float:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(B|KiB|MiB)\s*", str(data.get("document-size") or ""))
    return float(match[1]) * _UNITS[match[2]] if match else float(_USUAL_BYTES)
