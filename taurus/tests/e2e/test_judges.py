"""The same bundle, the same verdict: Python, which judges steps live, against Java, on bundles written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shardload.config.values.schedule import LoadKeys
from tests.e2e.conftest import RealCheckout
from tests.e2e.judges import assert_same_judgement, live_faults
from tests.test_live import Files

pytestmark = pytest.mark.e2e
MILLI = 1_000_000


def run_json(segments: list[dict], limits: dict[str, float], generators: int) -> dict[str, Any]:
    hosts = {"hosts": {"list": [f"10.9.0.{number + 2}:1099" for number in range(generators)]}}
    return {
        **(hosts if generators > 1 else {}),
        "run": {"id": "by-hand", "profile": "steps"},
        "target": {"name": "noop", "driver": "noop", "options": {}},
        "workload": {"name": "document-store", "seed": 1, "data": {}},
        "mix": {"insert": 100},
        "criteria": [],
        "load": {
            "model": "open",
            "workers": 8,
            "generators": generators,
            "segments": segments,
            "limits": limits,
            "rate_profile": False,
        },
    }


def write(folder: Path, steps: list[dict[str, Any]], limits: dict[str, float], generators: int = 1) -> Path:
    """Write a bundle with one step of two seconds for each entry, and two quiet seconds after them."""
    folder.mkdir(parents=True)
    count = len(steps)
    keys = LoadKeys(concurrency=8, throughput=500.0 * count, ramp_up=2.0 * count, steps=count, hold_for=0, warm_up=0)
    for number in range(generators):
        write_stream(Files(folder, f"generator-{number}"), steps, 1)
    if generators > 1:
        write_stream(Files(folder, "merged"), steps, generators)
    segments = [segment.to_json() for segment in keys.segments()]
    (folder / "run.json").write_text(json.dumps(run_json(segments, limits, generators)))
    outcome: dict = {"interrupted": False, "stopped_by": None, "lost_generators": [], "criteria": [], "notes": []}
    (folder / "outcome.json").write_text(json.dumps(outcome))
    return folder


def write_stream(files: Files, steps: list[dict[str, Any]], times: int) -> None:
    """Write what one generator did, or so many together."""
    scheduled, spans = {}, {}
    for number, step in enumerate(steps):
        name = f"step-{number + 1}"
        entry = {key: step.get(key, 0) for key in ("dropped", "failed", "unknown", "missing")}
        started = step["due"] - entry["dropped"]
        entry |= {"started": started, "done": started - entry["failed"] - entry["unknown"] - entry["missing"]}
        entry |= {key: step[key] for key in ("carried_in", "unasked") if key in step}
        entry |= {"on_time": step.get("on_time", entry["done"])}
        entry = {key: times * value for key, value in entry.items()}
        more: dict = {"max_ns": {"response": step["nanos"]}, "overflow": {"response": times * step.get("overflow", 0)}}
        for _ in range(2):
            files.second(name, {"insert": entry | more}, nanos=step["nanos"], due={name: times * step["due"]})
        scheduled[name] = {"insert": 2 * times * step["due"]}
        spans[name] = [number * 2 * 10**9, (number + 1) * 2 * 10**9]
    for _ in range(2):
        files.second("", {})
    files.line({
        "final": True, "format": 2, "stop_reason": "schedule", "actual_end_ns": 2 * len(steps) * 10**9,
        "segments_ns": spans, "start_epoch_ms": 1_790_000_000_000, "scheduled": scheduled, "segments": {},
    })  # fmt: skip


@pytest.mark.parametrize("generators", [1, 3])
def test_both_judge_steps_alike(real: RealCheckout, generators: int) -> None:
    steps: list[dict[str, Any]] = [
        {"due": 500, "nanos": 2 * MILLI},
        {"due": 1000, "nanos": 2 * MILLI, "on_time": 980},
        {"due": 1500, "nanos": 2 * MILLI, "on_time": 1469},
        {"due": 2000, "nanos": 6 * MILLI},
        {"due": 2500, "nanos": 2 * MILLI, "failed": 25, "on_time": 2475},
        {"due": 3000, "nanos": 2 * MILLI, "failed": 31, "on_time": 2969},
        {"due": 3500, "nanos": 2 * MILLI, "dropped": 36},
        {"due": 4000, "nanos": 2 * MILLI, "dropped": 40},
        {"due": 400, "nanos": 4 * MILLI},
        {"due": 400, "nanos": 6 * MILLI},
        {"due": 470, "nanos": 2 * MILLI, "unknown": 3, "missing": 4},
        {"due": 1000, "nanos": 2 * MILLI, "on_time": 950, "carried_in": 30},
        {"due": 1000, "nanos": 2 * MILLI, "on_time": 950, "carried_in": 29},
        {"due": 1000, "nanos": 2 * MILLI, "on_time": 950, "carried_in": 50, "unasked": 21},
        {"due": 1000, "nanos": 61_000 * MILLI, "overflow": 1000},
    ]
    bundle = write(real.root / "runs" / "by-hand", steps, {"errors_percent": 1.0, "p99_ms": 5.0}, generators)
    code, output = real.run("report", str(bundle))
    assert code != 1, output
    assert set(live_faults(bundle)) == {f"step-{number}" for number in (3, 4, 6, 7, 10, 13, 14, 15)}
    assert_same_judgement(bundle)


def test_both_judge_steps_without_limits_alike(real: RealCheckout) -> None:
    steps = [{"due": 500, "nanos": 900 * MILLI}, {"due": 1000, "nanos": MILLI, "on_time": 979, "failed": 500}]
    bundle = write(real.root / "runs" / "by-hand", steps, {})
    real.run("report", str(bundle))
    assert set(live_faults(bundle)) == {"step-2"}
    assert_same_judgement(bundle)
