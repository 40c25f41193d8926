"""A run under Jenkins, which ends the processes of a step children first and without patience."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from tests.conftest import PATIENCE_SECONDS, Checkout


def cookie(checkout: Checkout) -> str:
    """Return a cookie of its own: other tests run at the same time."""
    return f"durable-{checkout.root}"


def start(checkout: Checkout, *arguments: str) -> subprocess.Popen[str]:
    checkout.is_forked = False  # /proc shows of a forked process the environment of its parent
    return checkout.start(*arguments, JENKINS_SERVER_COOKIE=cookie(checkout), JENKINS_NODE_COOKIE="node")


def seen_by_jenkins(checkout: Checkout) -> list[int]:
    """Return the processes that Jenkins takes for those of the step, and their descendants."""
    parents, marked = {}, set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if cookie(checkout).encode() in (folder / "environ").read_bytes():
                marked.add(int(folder.name))
        except OSError:
            continue
    while True:
        children = {pid for pid, parent in parents.items() if parent in marked} - marked
        if not children:
            return sorted(marked)
        marked |= children


def begin(checkout: Checkout) -> subprocess.Popen[str]:
    process = start(checkout, "run", *checkout.options(hold_for="60s"))
    checkout.wait_for("checkout/runs/*/latencies/generator-0.jsonl")
    return process


def outcome_of(checkout: Checkout) -> dict:
    """Wait until the run has ended in order."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (checkout.bundle / "summary.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return json.loads((checkout.bundle / "outcome.json").read_text())


def test_a_command_apart_prints_and_ends_as_it_does_alone(checkout: Checkout) -> None:
    code, output = checkout.end_of(start(checkout, "run", "--target", "noop", "-o", "workload.sed=1"))
    assert code == 1
    assert output.startswith("shardload: -o workload.sed: ") and len(output.splitlines()) == 1
    code, output = checkout.end_of(start(checkout, "run", *checkout.options(throughput="1000")))
    assert code == 0, output
    assert "1,000.0 of 1,000.0/s" in output


def test_a_script_of_jmeter_ends_as_it_does_alone(checkout: Checkout) -> None:
    script = checkout.root / ".shardload" / "jmeter" / "bin" / "keys"
    script.write_text("#!/bin/sh\nsleep 1\necho made\nexit 7\n")
    assert checkout.end_of(start(checkout, "keys")) == (7, "made\n")


def test_jenkins_sees_one_process_that_hands_on_its_signal(checkout: Checkout) -> None:
    process = begin(checkout)
    assert seen_by_jenkins(checkout) == [process.pid]
    process.terminate()
    code, output = checkout.end_of(process)
    assert code == 2, output
    assert output.count("stopped by SIGTERM") == 1 and "already stopping" not in output
    assert outcome_of(checkout)["interrupted"] is True
    assert checkout.living() == [], "the front ends last"


def test_a_run_that_lost_its_front_ends_in_order(checkout: Checkout) -> None:
    process = begin(checkout)
    process.send_signal(signal.SIGKILL)
    process.wait()
    outcome = outcome_of(checkout)
    assert (outcome["interrupted"], outcome["lost_generators"]) == (True, [])


def test_the_next_command_waits_for_the_end_of_the_one_before(checkout: Checkout) -> None:
    process = begin(checkout)
    (command,) = {int(pid) for pid in (checkout.root / ".shardload" / "apart.pid").read_text().split()}
    os.kill(command, signal.SIGSTOP)
    process.send_signal(signal.SIGKILL)
    process.wait()
    following = start(checkout, "run", *checkout.options(throughput="1000"))
    assert following.stdout is not None
    assert following.stdout.readline() == f"waiting for the end of process {command}, the command before\n"
    os.kill(command, signal.SIGCONT)
    code, output = checkout.end_of(following)
    assert code == 0, output
    assert len(list((checkout.root / "runs").iterdir())) == 2
