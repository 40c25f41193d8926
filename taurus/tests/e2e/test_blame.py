"""Who is called to blame for a standstill, in real time: server and generator on a core each, and one of them stopped.

Whatever else the machine does may hold up the generator as well, so this is for a quiet machine and not for CI.
"""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.conftest import RealCheckout
from tests.e2e.test_faults import family, postmaster, send, start_and_wait_for_the_hold
from tests.e2e.test_real import assert_closed

pytestmark = pytest.mark.long
STANDSTILLS = 4
STANDSTILL_SECONDS = 0.3
# Of a hold of 15 s these are 8 %, where 1 % decides.
HOLD = "15s"


def pin(members: list[int], core: int) -> None:
    """Let all threads of processes, and what they start from now on, run on one core only."""
    for member in members:
        with suppress(FileNotFoundError):
            for thread in Path(f"/proc/{member}/task").iterdir():
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(int(thread.name), {core})


def run_with_standstills(real: RealCheckout, *, of_server: bool) -> tuple[int, str, list[str]]:
    """Return exit code, output and the verdict's reasons."""
    first, second, *_ = sorted(os.sched_getaffinity(0))
    process = start_and_wait_for_the_hold(real, hold_for=HOLD)
    parent, generator = postmaster(real), real.pid_of("ApacheJMeter.jar")
    pin([generator], first)
    pin(family(parent), second)
    for _ in range(STANDSTILLS):
        time.sleep(1)
        # The parent first, so that no other child is born.
        members = family(parent) if of_server else [generator]
        send(signal.SIGSTOP, members)
        time.sleep(STANDSTILL_SECONDS)
        send(signal.SIGCONT, members[::-1])
    code, output = real.end_of(process)
    summary = json.loads((real.latest / "summary.json").read_text())
    assert_closed(summary["ledger"])
    assert summary["ledger"]["dropped"] == 0, output
    assert summary["transactions"]["find-by-id-and-filter4-list"]["response_ns"]["max"] > STANDSTILL_SECONDS * 1e9 / 2
    return code, output, [reason for reason in summary["verdict"]["reasons"] if "generator-bound" in reason]


def test_a_generator_that_stands_still_is_to_blame(real: RealCheckout) -> None:
    code, output, blame = run_with_standstills(real, of_server=False)
    assert code == 5, output
    assert any("began over" in reason for reason in blame), output
    assert any("woke over" in reason for reason in blame), output


def test_a_generator_whose_server_stands_still_is_not(real: RealCheckout) -> None:
    code, output, blame = run_with_standstills(real, of_server=True)
    assert blame == [], output
    assert code in (0, 3), output
