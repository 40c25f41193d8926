"""What one run of a search says, from the summary that Java judged. Python judges nothing again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.results.bundle import SUMMARY_FILE
from shardload.results.lookup import read_json
from shardload.verbs.capacity.model import Outcome

# How Java begins the reason of a verdict that the generator set the pace.
_BOUND = "generator-bound: "


def read_summary(bundle: Path | None) -> dict[str, Any]:
    """Return the summary of a run; empty where there is none."""
    return read_json(bundle / SUMMARY_FILE) if bundle else {}


def outcome_of(code: int, summary: Mapping[str, Any]) -> Outcome:
    """Return what a run that ended with a code says of its rate."""
    holds = _holds(summary)
    if code == exit_codes.INVALID:
        first = next(iter(_reasons(summary)), "")
        return Outcome.BOUND if first.startswith(_BOUND) else Outcome.INVALID
    if code not in (exit_codes.OK, exit_codes.MISSED) or not holds:
        return Outcome.INVALID
    passed = code == exit_codes.OK and all(hold["passed"] for hold in holds)
    return Outcome.GOOD if passed else Outcome.BAD


def figures(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a run that search.json holds."""
    headline = summary.get("headline") or {}
    latency = headline.get("latency_ns") or {}
    return {
        "offered_per_second": headline.get("offered_per_second"),
        "achieved_per_second": headline.get("achieved_per_second"),
        "answered_per_second": headline.get("answered_per_second"),
        "p50_ns": latency.get("p50"),
        "p99_ns": latency.get("p99"),
        "p99_at_least_ns": (latency.get("at_least_ns") or {}).get("p99"),
        "errors_percent": headline.get("errors_percent"),
        "workers_busy_percent": next((hold.get("workers_busy_percent") for hold in _holds(summary)), None),
        "reasons": reasons(summary),
    }


def reasons(summary: Mapping[str, Any]) -> list[str]:
    """Return why a run is not good: that the generator was the bound, what its hold missed, and the other reasons."""
    missed = [str(hold["why"]) for hold in _holds(summary) if not hold["passed"]]
    verdict = _reasons(summary)
    bound = [reason for reason in verdict if reason.startswith(_BOUND)]
    return [*dict.fromkeys([*bound, *missed, *verdict])]


def _reasons(summary: Mapping[str, Any]) -> list[str]:
    return [str(reason) for reason in (summary.get("verdict") or {}).get("reasons") or []]


def _holds(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [step for step in summary.get("steps") or [] if step.get("kind") == "hold"]
