"""Runs with the fakes: how a generator ends, and what the controller makes of it."""

from __future__ import annotations

import re
import signal

import pytest

from tests.conftest import Checkout
from tests.test_run import kill_parent


def test_a_generator_that_dies_makes_the_run_invalid(checkout: Checkout) -> None:
    code, output = checkout.run("run", *checkout.options(), FAKE_GENERATOR="die:2")
    assert code == 5, output
    outcome = checkout.read("outcome.json")
    assert outcome["lost_generators"] == [0]
    assert outcome["generators"] == [{"generator": 0, "exit_code": -9}]
    assert outcome["notes"] == [], "the verdict says what became of it"
    assert next(request for request in checkout.requests if request["verb"] == "verify")["walk"] is True


@pytest.mark.parametrize(("fault", "code"), [("ends:1:143", 143), ("refuses:3", 3)])
def test_how_jmeter_ended_is_kept_for_the_verdict(checkout: Checkout, fault: str, code: int) -> None:
    checkout.run("run", *checkout.options(), FAKE_GENERATOR=fault)
    outcome = checkout.read("outcome.json")
    assert outcome["generators"] == [{"generator": 0, "exit_code": code}]
    assert outcome["stopped_by"] is None
    assert outcome["lost_generators"] == ([0] if fault.startswith("refuses") else [])


def test_a_silent_generator_is_noted(checkout: Checkout) -> None:
    _, output = checkout.run("run", *checkout.options(throughput="1000", hold_for="7s"), FAKE_GENERATOR="silent:1")
    assert re.search("generator 0 has been silent for [5-9] s", output), output


def test_a_deaf_generator_is_killed(checkout: Checkout) -> None:
    options = checkout.options(hold_for="60s", statement_timeout="1s")
    process = checkout.start("run", *options, module="tests.fakes.impatient", FAKE_GENERATOR="deaf")
    checkout.wait_for("checkout/runs/*/latencies/*.jsonl")
    code, output = kill_parent(checkout, process, signal.SIGTERM)
    assert code == 5, output
    assert "the generator did not stop and was killed" in checkout.read("outcome.json")["notes"]


def test_capacity_run_stops_after_failed_steps(checkout: Checkout) -> None:
    code, output = checkout.run(
        "run", "--profile", "max-capacity",
        "-o", "execution.0.warm-up=0s", "-o", "execution.0.ramp-up=20s", "-o", "execution.0.throughput=6000",
        "-o", "execution.0.limits={p99: 0.4ms}", FAKE_SERVICE_MS="0.5",
    )  # fmt: skip
    assert code == 0, output
    outcome = checkout.read("outcome.json")
    assert outcome["stopped_by"] == "failed-steps"
    # A controller that comes late to look finds more failed steps.
    (note,) = outcome["notes"]
    assert note.startswith("enough steps failed: step-1: p99 0.5 ms; step-2: p99 0.5 ms")
    load = checkout.read("run.json")["load"]
    assert load["rate_profile"] is False
    assert load["stop_after_failed_steps"] == 2
