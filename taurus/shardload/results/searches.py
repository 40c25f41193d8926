"""What ``search.json`` of a search for the capacity says, in the forms that tables and descriptions need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def interval(search: Mapping[str, Any]) -> str:
    """Return the interval, such as "180 to 200/s" or "at least 180/s"."""
    low, high = rate_of(search, "low"), rate_of(search, "high")
    if low is not None and high is not None:
        return f"{show_rate(low)} to {show_rate(high)}/s"
    if low is not None:
        return f"at least {show_rate(low)}/s"
    return "unknown" if high is None else f"below {show_rate(high)}/s"


def rate_of(search: Mapping[str, Any], end: str) -> float | None:
    """Return the rate of an end of the interval, None if there is none."""
    found = search.get(end)
    return float(found["rate"]) if isinstance(found, Mapping) else None


def p99_at_low(search: Mapping[str, Any]) -> float | None:
    """Return the median p99 of the runs at the low end, the one that the curve of the page shows."""
    low = rate_of(search, "low")
    runs = [run for run in search.get("runs") or [] if run["rate"] == low and run["outcome"] in ("good", "bad")]
    values = sorted(run["p99_ns"] for run in runs if run.get("p99_ns") is not None)
    return float(values[(len(values) - 1) // 2]) if values else None


def show_rate(rate: float) -> str:
    """Return a rate with all of its digits."""
    return f"{rate:,.10g}"
