"""Stages and think time in whole runs, against what was planned."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

from tests.e2e.conftest import CLOSED, GENTLE, SMALL, RealCheckout, options
from tests.e2e.test_real import assert_sound

pytestmark = pytest.mark.e2e
STAGES = [
    {"throughput": 100, "for": "4s", "name": "before"},
    {"throughput": 300, "for": "3s", "ramp": "2s", "name": "spike"},
    {"throughput": 50, "for": "4s", "ramp": "2s"},
]
# Seconds times the mean of the rates at both ends.
PLANNED = {"before": 400, "spike-ramp": 400, "spike": 900, "stage-3-ramp": 350, "stage-3": 200}


def spike(*more: str) -> list[str]:
    shape = {"execution.0.stages": json.dumps(STAGES), "execution.0.warm-up": "1s"}
    criteria = {"reporting.1.criteria": GENTLE["reporting.1.criteria"]}
    return ["run", "-t", "noop", "-p", "spike", *options({**SMALL, **shape, **criteria}), *more]


def test_each_stage_has_the_arrivals_of_its_plan(real: RealCheckout) -> None:
    code, output = real.run(*spike("-o", "execution.0.arrivals=constant"))
    summary = assert_sound(real, code, output)
    assert {step["name"]: step["ledger"]["scheduled"] for step in summary["steps"]} == PLANNED
    assert summary["ledger"]["scheduled"] == sum(PLANNED.values())
    assert summary["warmup_ledger"]["scheduled"] == 100
    assert summary["result_segments"] == ["before", "spike", "stage-3"]
    assert summary["capacity"] is None
    # The rate of the result is that of the stages alone: 1500 arrivals in 11 s.
    assert summary["throughput"]["offered"] == pytest.approx(1500 / 11, rel=1e-4)
    shown = [line.split()[0] for line in output.splitlines() if " p99 " in line and "errors" in line]
    assert [name for name in shown if ":" not in name] == ["warm-up", *PLANNED], "a line for each, none for the tenth s"
    assert f"stage     before: achieved {summary['steps'][0]['achieved_per_second']:,.1f} of 100.0/s" in output


@pytest.mark.long
def test_poisson_stages_are_compared_with_the_plan_too(real: RealCheckout) -> None:
    """The expected numbers of the child's check are the areas; what became due is within 4 sigma of them."""
    code, output = real.run(*spike())
    summary = assert_sound(real, code, output)
    for step in summary["steps"]:
        planned = PLANNED[step["name"]]
        assert abs(step["ledger"]["scheduled"] - planned) < 4 * planned**0.5, step["name"]
    assert any(step["ledger"]["scheduled"] != PLANNED[step["name"]] for step in summary["steps"])


@pytest.mark.alone
def test_think_time_sets_the_rate_of_a_closed_model(real: RealCheckout) -> None:
    """Eight workers, 100 ms of thinking and next to no response: 80 calls a second by Little's law, never more."""
    code, output = real.run("run", "-t", "noop", *real.closed, "-o", "execution.0.think-time=100ms")
    summary = assert_sound(real, code, output)
    # In 2 s at most 21 calls of each worker; a busy machine makes fewer.
    assert 8 * 10 < summary["throughput"]["achieved"] * 2 <= 8 * 21
    step = summary["steps"][0]
    assert step["service_ns"]["p50"] < 50e6, "the wait is in no latency"


def test_a_thinking_worker_ends_when_the_run_is_stopped(real: RealCheckout) -> None:
    changes = {**SMALL, **CLOSED, "execution.0.hold-for": "1h", "execution.0.think-time": "30m"}
    process = real.start("run", "-t", "noop", "-p", "closed", *options(changes))
    real.wait_for("checkout/runs/*/latencies/generator-0.jsonl")
    time.sleep(3)
    os.kill(process.pid, signal.SIGINT)
    code, output = real.end_of(process)
    assert code == 2, output
    last = (real.latest / "latencies" / "generator-0.jsonl").read_text().splitlines()[-1]
    assert json.loads(last)["actual_end_ns"] < 1800e9
    assert "stop" in json.loads(last)["stop_reason"]
