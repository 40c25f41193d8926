"""What a search says on the console and as the first sentence of its page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shardload.config.values.quantities import show_nanos
from shardload.results.searches import show_rate
from shardload.verbs.capacity.model import Answer, End, Ended, Outcome

_WHY = {
    Ended.MAX_RATE: "no run failed up to max-rate",
    Ended.MAX_DURATION: "max-duration was over",
    Ended.BOUND: "the generator was the bottleneck",
    Ended.NOTHING_PASSED: "no run passed",
    Ended.INVALID: "several runs in a row were invalid",
    Ended.UNSETTLED: "the runs contradict each other",
    Ended.INTERRUPTED: "the search was interrupted",
    Ended.WRONG: "a run found wrong documents or answers",
    Ended.REFUSED: "a run was refused",
}


def of_run(run: Mapping[str, Any]) -> str:
    """Return one line on a run."""
    p99 = show_nanos(run["p99_ns"]) if run["p99_ns"] is not None else _at_least(run["p99_at_least_ns"])
    achieved, answered, errors = (run[key] for key in ("achieved_per_second", "answered_per_second", "errors_percent"))
    parts = [f"  {run['outcome']}: {show_rate(run['rate'])}/s"]
    parts += [f"achieved {achieved:,.1f}/s"] if achieved is not None else []
    late = answered is not None and achieved is not None and abs(answered - achieved) > 0.01 * run["rate"]
    parts += [f"answered {answered:,.1f}/s whenever due"] if late else []
    parts += [f"p99 {p99}"] if p99 else []
    parts += [f"errors {errors:.2f} %"] if errors else []
    prefix = f"{run['outcome']}: "
    parts += [reason.removeprefix(prefix) for reason in run["reasons"][:1] if run["outcome"] != Outcome.GOOD]
    return ", ".join(parts)


def _at_least(nanos: float | None) -> str:
    return "" if nanos is None else f">= {show_nanos(nanos)}"


def of_answer(found: Answer) -> str:
    """Return the answer in one sentence."""
    why = _WHY.get(found.ended, "")
    low, high = found.low, found.high
    if low is None:
        below = "" if high is None else f"below {_end(high)}"
        return f"capacity {below or 'unknown'}: {why}"
    if high is None:
        return f"capacity at least {_end(low)}: {why}"
    text = f"capacity between {_end(low)} and {_end(high)}"
    return f"{text}: {why}" if why else text


def _end(end: End) -> str:
    return f"{show_rate(end.rate)}/s" + ("" if end.confirmed else " (not confirmed)")
