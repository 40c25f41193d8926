"""Faults on schedule: on the embedded server, and by commands that must never be left in effect."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml

from tests.conftest import PATIENCE_SECONDS
from tests.e2e.conftest import RealCheckout, options
from tests.e2e.test_real import assert_closed

pytestmark = pytest.mark.e2e


def profile(real: RealCheckout, faults: list[dict[str, object]], **changes: object) -> list[str]:
    """Write a profile with faults, and return the options that choose it."""
    execution = {"concurrency": 8, "throughput": 200, "warm-up": "1s", "hold-for": "20s", **changes}
    path = real.root / "taurus" / "profiles" / "injured.yml"
    path.write_text(yaml.safe_dump({"execution": [execution], "faults": faults}))
    return ["--profile", "injured"]


def events(real: RealCheckout) -> list[str]:
    """Return what happened, without the checks: on a busy machine also a command that does nothing is late."""
    lines = (real.latest / "faults.jsonl").read_text().splitlines()
    return [event for event in (json.loads(line)["event"] for line in lines) if event not in ("no-answer", "answers")]


def test_a_server_that_is_killed_comes_back_and_loses_nothing(real: RealCheckout) -> None:
    """Turned red by a restart that is left out, and by a kill that kills nobody."""
    chosen = profile(real, [{"fault": "kill", "at": "5s", "duration": "1s"}])
    small = options({"workload.data.documents": "2000"})
    code, output = real.run("run", "--target", "embedded-postgresql", *chosen, *small)
    assert code in (0, 3), output  # a busy machine may not be back in time
    summary = json.loads((real.latest / "summary.json").read_text())
    assert_closed(summary["ledger"])
    (fault,) = summary["faults"]
    assert fault["injected"] and fault["without_success_seconds"] > 0.9 and fault["lost_writes"] == 0
    assert fault["answers_after_seconds"] > 0.9
    assert sum(fault["outcomes"].values()) >= 1
    assert summary["verification"]["verdict"] == "clean"
    assert summary["durability"]["level"] == "one disk"
    assert events(real) == ["begin", "begun", "end", "ended"]


@pytest.fixture
def marked(real: RealCheckout, tmp_path: Path) -> Path:
    """Return a file that is there while a fault of the target ``marked`` is in effect."""
    mark = tmp_path / "in effect"
    faults = {
        "mark": {"begin": f"touch '{mark}'", "end": f"rm -f '{mark}'", "check": "true"},
        "slow": {"begin": f"touch '{mark}'; sleep 3; touch '{mark}'", "end": f"rm -f '{mark}'", "check": "true"},
        "broken": {"begin": f"touch '{mark}'; echo no such host; exit 3", "end": f"rm -f '{mark}'", "check": "true"},
    }
    real.target("marked", "noop", faults=faults)
    return mark


def start_and_wait(real: RealCheckout, mark: Path, fault: str = "mark") -> subprocess.Popen[str]:
    chosen = profile(real, [{"fault": fault, "at": "5s", "duration": "14s"}])
    process = real.start("run", "--target", "marked", "--allow-commands", *chosen)
    wait_until(mark.exists)
    return process


def wait_until(holds: object) -> None:
    assert callable(holds)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_commands_of_a_target_need_consent(real: RealCheckout, marked: Path) -> None:
    chosen = profile(real, [{"fault": "mark", "at": "5s"}])
    code, output = real.run("run", "--target", "marked", *chosen)
    assert code == 1
    assert "faults.0.fault: mark runs commands of the target, which can read the passwords" in output
    assert not marked.exists()


def test_ctrl_c_ends_the_fault_first(real: RealCheckout, marked: Path) -> None:
    process = start_and_wait(real, marked)
    os.kill(process.pid, signal.SIGINT)
    code, output = real.end_of(process)
    assert code == 2, output
    assert not marked.exists()
    assert events(real) == ["begin", "begun", "end", "ended"]


@pytest.mark.parametrize(("fault", "written"), [("mark", ["begin", "begun"]), ("slow", ["begin"])])
def test_kill_9_of_everything_ends_the_fault(real: RealCheckout, marked: Path, fault: str, written: list[str]) -> None:
    """The child is killed as well, so only the guard is left. A begin that still runs must not go on after the end.

    Turned red by a guard that is not started, and by one that does not know the begin.
    """
    process = start_and_wait(real, marked, fault)
    child = real.pid_of("io.shardload.cli.Main")
    os.kill(process.pid, signal.SIGKILL)
    os.kill(child, signal.SIGKILL)
    wait_until(lambda: not marked.exists())
    real.end_of(process)
    time.sleep(3)
    assert not marked.exists()
    assert events(real) == written


def test_a_fault_that_cannot_begin_makes_the_run_invalid(real: RealCheckout, marked: Path) -> None:
    chosen = profile(real, [{"fault": "broken", "at": "5s", "duration": "1s"}], **{"hold-for": "8s"})
    code, output = real.run("run", "--target", "marked", "--allow-commands", *chosen)
    assert code == 5, output
    assert "fault broken was never injected: its begin failed: ended with code 3: no such host" in output
    assert not marked.exists(), "its end runs as well"
