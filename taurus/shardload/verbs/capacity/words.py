"""What a search says on the console and as the first sentence of its page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shardload.config.values.quantities import show_nanos
from shardload.verbs.capacity.model import Answer, End

_WHY = {
    "max-rate": "no run failed up to max-rate",
    "max-duration": "max-duration was over",
    "generator-bound": "the generator was the bottleneck",
    "nothing-passed": "no run passed",
    "too-many-invalid-runs": "runs were not valid, several in a row",
    "unsettled": "the runs contradict each other",
    "interrupted": "the search was interrupted",
    "wrong-documents": "a run found wrong documents or answers",
    "a-run-was-refused": "a run was refused",
}


def of_run(run: Mapping[str, Any]) -> str:
    """Return one line on a run."""
    p99 = show_nanos(run["p99_ns"]) if run["p99_ns"] is not None else _at_least(run["p99_at_least_ns"])
    achieved, errors = run["achieved_per_second"], run["errors_percent"]
    parts = [f"  {run['outcome']}: {run['rate']:g}/s"]
    parts += [f"achieved {achieved:g}/s"] if achieved is not None else []
    parts += [f"p99 {p99}"] if p99 else []
    parts += [f"errors {errors:.2f} %"] if errors else []
    parts += run["reasons"][:1] if run["outcome"] != "good" else []
    return ", ".join(parts)


def _at_least(nanos: float | None) -> str:
    return "" if nanos is None else f">= {show_nanos(nanos)}"


def of_answer(ended: str, found: Answer) -> str:
    """Return the answer in one sentence."""
    why = _WHY.get(ended, "")
    low, high = found.low, found.high
    if low is None:
        below = "" if high is None else f"below {high.rate:g}/s{_unsure(high)}"
        return f"capacity {below or 'unknown'}: {why}"
    if high is None:
        return f"capacity at least {low.rate:g}/s{_unsure(low)}: {why}"
    text = f"capacity between {low.rate:g}/s{_unsure(low)} and {high.rate:g}/s{_unsure(high)}"
    return f"{text}: {why}" if why else text


def _unsure(end: End) -> str:
    return "" if end.confirmed else " (not confirmed)"
