"""Both judges of steps on one bundle: the controller's, which ends runs, and Java's, which says what a run is worth."""

from __future__ import annotations

import json
from pathlib import Path

from shardload.config.values.schedule import Segment
from shardload.results import histogram
from shardload.results.steps import StepJudge
from shardload.results.tail import tail_of


def live_faults(bundle: Path) -> dict[str, str]:
    """Return what the controller finds wrong, step by step, when it hears a finished bundle line by line."""
    load = json.loads((bundle / "run.json").read_text())["load"]
    segments = [Segment(**segment) for segment in load["segments"]]
    judge = StepJudge(segments, load["limits"], None)
    for second in tail_of(bundle, "generator-0").read():
        judge.hear(second)
    return dict(fault.split(": ", 1) for fault in judge.failed)


def live_percentiles(bundle: Path, level: float) -> dict[str, float]:
    """Return the percentile of the response time of every segment that the live display computes, in ns."""
    counts: dict = {}
    dropped: dict[str, int] = {}
    largest: dict[str, int] = {}
    for second in tail_of(bundle, "generator-0").read():
        for (segment, _), part in second.histograms["response"].items():
            counts[segment] = counts[segment] + part if segment in counts else part
        for segment, transactions in second.ledger.get("segments", {}).items():
            for counted in transactions.values():
                dropped[segment] = dropped.get(segment, 0) + counted.get("dropped", 0)
                seen = (counted.get("max_ns") or {}).get("response", 0)
                largest[segment] = max(largest.get(segment, 0), seen)
    return {
        name: min(histogram.percentile(part, level, dropped.get(name, 0)), largest[name])
        for name, part in counts.items()
    }


def assert_same_judgement(bundle: Path) -> None:
    """Compare verdicts of all completed steps, and percentiles of all segments; at least one must have been judged."""
    summary = json.loads((bundle / "summary.json").read_text())
    steps = [step for step in summary["steps"] if step["kind"] == "step" and not step["cut"]]
    faults = live_faults(bundle)
    assert steps
    assert {step["name"]: step["passed"] for step in steps} == {
        step["name"]: step["name"] not in faults for step in steps
    }
    for key, level in (("p50", 50), ("p99", 99)):
        mine = live_percentiles(bundle, level)
        known = {s["name"]: s["response_ns"][key] for s in steps if s["response_ns"][key] is not None}
        assert {name: mine[name] for name in known} == known
