"""Both judges of steps on one bundle: the controller's, which ends runs, and Java's, which says what a run is worth."""

from __future__ import annotations

import json
from pathlib import Path

from shardload.config.values.schedule import Segment
from shardload.results.bundle import ledger_file
from shardload.results.figures import Figures
from shardload.results.steps import StepJudge
from shardload.results.tail import LiveTail, Second


def seconds(bundle: Path) -> list[Second]:
    """Return the seconds that the controller hears: the generator's, or those of all load hosts together."""
    return list(LiveTail(bundle, "merged" if ledger_file(bundle, "merged").exists() else "generator-0").read())


def live_faults(bundle: Path) -> dict[str, str]:
    """Return what the controller finds wrong, step by step, when it hears a finished bundle line by line."""
    load = json.loads((bundle / "run.json").read_text())["load"]
    segments = [Segment(**segment) for segment in load["segments"]]
    judge = StepJudge(segments, load["limits"], None)
    for second in seconds(bundle):
        judge.hear(second)
    return dict(fault.split(": ", 1) for fault in judge.failed)


def live_percentiles(bundle: Path, level: float) -> dict[str, float]:
    """Return the percentile of the response time of every segment that the live display computes, in ns."""
    segments: dict[str, Figures] = {}
    for second in seconds(bundle):
        for name in second.ledger.get("segments", {}):
            segments.setdefault(name, Figures("response")).add(second, name)
    return {name: min(of.percentile(level)[0] or 0, of.max_nanos) for name, of in segments.items() if of.samples}


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
