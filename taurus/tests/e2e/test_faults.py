"""A database that stalls, and one that is killed and comes back, in real time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.conftest import PATIENCE_SECONDS
from tests.e2e.conftest import RealCheckout
from tests.e2e.test_real import assert_closed

pytestmark = pytest.mark.e2e


def postmaster(real: RealCheckout) -> int:
    (file,) = (real.root / ".shardload" / "data").rglob("postmaster.pid")
    return int(file.read_text().splitlines()[0])


def family(parent: int) -> list[int]:
    """Return the server's processes, its parent first."""
    children = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                children.append(int(folder.name))
        except OSError:
            continue
    return [parent, *children]


@contextmanager
def second_life(pid: int) -> Iterator[None]:
    """Kill a server without warning, start it again as it was, and stop it in the end."""
    folder = Path(f"/proc/{pid}")
    command = folder.joinpath("cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    if os.getuid() == 0:
        command = [b"unshare", b"-U", *command]  # PostgreSQL does not run as root; the child starts it the same way
    where, log = folder.joinpath("cwd").readlink(), folder.joinpath("fd", "2").readlink()
    environment = dict(entry.split(b"=", 1) for entry in folder.joinpath("environ").read_bytes().split(b"\0") if entry)
    members = family(pid)
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while any(has_open_files(member) for member in members):
        assert time.monotonic() < deadline, "the killed server's processes hang on"
        time.sleep(0.05)
    # Where nobody collects dead processes, PostgreSQL takes the dead one for alive.
    (where / "postmaster.pid").unlink(missing_ok=True)
    # Its log goes on in the same file; that of the first life is kept open by nobody any more.
    with open(log, "ab") as output:
        again = subprocess.Popen(
            command, cwd=where, env=environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )  # fmt: skip
    try:
        yield
    finally:
        again.send_signal(signal.SIGINT)
        again.wait(PATIENCE_SECONDS)


def send(number: int, members: list[int]) -> None:
    """Send a signal to all; one may have ended by itself meanwhile."""
    for member in members:
        with suppress(ProcessLookupError):
            os.kill(member, number)


def has_open_files(pid: int) -> bool:
    try:
        return any(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def start_and_wait_for_the_hold(real: RealCheckout, **changes: str) -> subprocess.Popen[str]:
    process = real.start("run", *real.short(**changes))
    real.wait_for("checkout/runs/*/latencies/generator-0.jsonl")
    time.sleep(3)
    return process


@pytest.mark.long
def test_a_stopped_server_shows_in_response_times_and_hardly_in_service_times(real: RealCheckout) -> None:
    process = start_and_wait_for_the_hold(real, hold_for="10s")
    parent = postmaster(real)
    os.kill(parent, signal.SIGSTOP)  # first, so that no other child is born
    members = family(parent)
    send(signal.SIGSTOP, members)
    time.sleep(2)
    send(signal.SIGCONT, members[::-1])
    _, output = real.end_of(process)
    summary = json.loads((real.latest / "summary.json").read_text())
    assert_closed(summary["ledger"])
    assert summary["verification"]["verdict"] == "clean", output
    busiest = summary["transactions"]["find-by-id-and-filter4-list"]
    count = busiest["response_ns"]["count"]
    assert count == busiest["service_ns"]["count"] and count > 294 * 0.9
    responses = [
        entry["response_ns"]["p90"] for entry in summary["transactions"].values() if entry["response_ns"]["p90"]
    ]
    services = [entry["service_ns"]["p90"] for entry in summary["transactions"].values() if entry["service_ns"]["p90"]]
    assert max(responses) > 5 * max(services), output


def test_a_killed_server_that_comes_back_loses_nothing(real: RealCheckout) -> None:
    process = start_and_wait_for_the_hold(real, hold_for="15s", concurrency="4", throughput="100")
    with second_life(postmaster(real)):
        code, output = real.end_of(process)
        summary = json.loads((real.latest / "summary.json").read_text())
        assert_closed(summary["ledger"])
        ledger = summary["ledger"]
        assert ledger["failed"] + ledger["unknown"] > 0 and ledger["errors"], output
        assert ledger["done"] > 500, output
        assert summary["verification"]["verdict"] == "clean", output
        assert code in (0, 3) or "generator-bound: " in output, output
