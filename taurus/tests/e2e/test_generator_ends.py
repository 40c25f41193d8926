"""A generator that ends early, or cannot start, is never green and says why."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import time
from collections.abc import Callable

import pytest

from tests.conftest import PATIENCE_SECONDS
from tests.e2e.conftest import RealCheckout, options

pytestmark = pytest.mark.e2e


def terminate(real: RealCheckout) -> None:
    os.kill(real.pid_of("shardload.properties"), signal.SIGTERM)


def use_stop_port(real: RealCheckout) -> None:
    """Tell this run's JMeter; another one of this machine may have the usual port."""
    output = (real.latest / "taurus" / "jmeter.out").read_text()
    port = re.search(r"message on port (\d+)", output)
    assert port, output
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.sendto(b"StopTestNow", ("127.0.0.1", int(port.group(1))))


@pytest.mark.parametrize(
    ("profile", "end", "reason"),
    [
        ("closed", terminate, "generator 0 was ended by a signal after "),
        ("smoke", use_stop_port, "generator 0 was stopped within JMeter after "),
    ],
)
def test_an_end_that_the_controller_did_not_order(
    real: RealCheckout, profile: str, end: Callable[[RealCheckout], None], reason: str
) -> None:
    length = options({"execution.0.warm-up": "1s", "execution.0.ramp-up": "0s", "execution.0.hold-for": "40s"})
    process = real.start("run", "--target", "noop", "--profile", profile, *length)
    ledger = real.wait_for("checkout/runs/*/latencies/generator-0.jsonl")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while '"hold"' not in ledger.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    end(real)
    code, output = real.end_of(process)
    summary = json.loads((real.latest / "summary.json").read_text())
    assert code == 2 == summary["verdict"]["code"], output
    (told,) = [text for text in summary["verdict"]["reasons"] if text.startswith(reason)]
    assert told.endswith(f" of {40 + summary['warm_up']['seconds']:.1f} s") and told in output
    assert json.loads((real.latest / "outcome.json").read_text())["stopped_by"] is None


def test_a_generator_that_cannot_start_says_why(real: RealCheckout) -> None:
    """The ordinals of the data set do not fit into its heap."""
    heap = options({"modules.shardload.heap": "32m", "workload.data.documents": "200000000"})
    code, output = real.run("run", "--target", "noop", *heap, *options({"execution.0.hold-for": "5s"}))
    assert code == 5, output
    text = " ".join(output.split())
    assert "generator 0 did not start: java.lang.OutOfMemoryError: Java heap space; see runs/" in text, output
