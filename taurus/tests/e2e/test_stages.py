"""Stages and think time in whole runs, against what was planned."""

from __future__ import annotations

import json

import pytest

from tests.e2e.conftest import GENTLE, SMALL, RealCheckout, options
from tests.e2e.test_real import assert_sound

pytestmark = pytest.mark.e2e
STAGES = [
    {"throughput": 100, "for": "4s", "name": "before"},
    {"throughput": 300, "for": "3s", "ramp": "2s", "name": "spike"},
    {"throughput": 50, "for": "4s", "ramp": "2s"},
]
# Seconds times the mean of the rates at both ends.
PLANNED = {"before": 400, "spike-ramp": 400, "spike": 900, "stage-3-ramp": 350, "stage-3": 200}


def test_a_warm_up_goes_on_while_the_compiler_is_busy(real: RealCheckout) -> None:
    """A JVM that calls as fast as it can compiles for longer than two seconds. Red before: the hold began at 2 s."""
    shape = {"execution.0.warm-up": "2s", "execution.0.hold-for": "3s", "execution.0.concurrency": "2"}
    code, output = real.run("run", "-t", "noop", "-p", "closed", *options({**SMALL, **shape}))
    summary = assert_sound(real, code, output)
    warm_up = summary["warm_up"]
    # The tests' JVM has only the first compiler, which may be done in time.
    assert warm_up["prolonged_seconds"] in (0, 1, 2) and warm_up["seconds"] == 2 + warm_up["prolonged_seconds"]
    told = "warm-up prolonged to 0:03: the JIT compiler takes " in output
    assert told == (warm_up["prolonged_seconds"] > 0)
    assert summary["steps"][0]["seconds"] == 3 and not summary["steps"][0]["cut"]
    ledger = (real.latest / "latencies" / "generator-0.jsonl").read_text(encoding="utf-8").splitlines()
    begin = round(warm_up["seconds"] * 1e9)
    assert json.loads(ledger[-1])["segments_ns"]["hold"] == [begin, begin + 3 * 10**9]


def spike(*more: str) -> list[str]:
    shape = {"execution.0.stages": json.dumps(STAGES), "execution.0.warm-up": "1s"}
    criteria = {"reporting.1.criteria": GENTLE["reporting.1.criteria"]}
    return ["run", "-t", "noop", "-p", "spike", *options({**SMALL, **shape, **criteria}), *more]


def test_each_stage_has_the_arrivals_of_its_plan(real: RealCheckout) -> None:
    code, output = real.run(*spike("-o", "execution.0.arrivals=constant"))
    summary = assert_sound(real, code, output)
    assert {step["name"]: step["ledger"]["scheduled"] for step in summary["steps"]} == PLANNED
    assert summary["ledger"]["scheduled"] == sum(PLANNED.values())
    assert summary["warmup_ledger"]["scheduled"] == 100 * summary["warm_up"]["seconds"]
    assert summary["result_segments"] == ["before", "spike", "stage-3"]
    assert summary["capacity"] is None
    # The rate of the result is that of the stages alone: 1500 arrivals in 11 s.
    assert summary["throughput"]["offered"] == pytest.approx(1500 / 11, rel=1e-4)
    shown = [line.split()[0] for line in output.splitlines() if " p99 " in line and "errors" in line]
    assert [name for name in shown if ":" not in name] == ["warm-up", *PLANNED], "a line for each, none for the tenth s"
    assert f"stage     before: achieved {summary['steps'][0]['achieved_per_second']:,.1f} of 100.0/s" in output
