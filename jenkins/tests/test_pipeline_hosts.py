"""A build whose load is made by two load hosts: services on two addresses of this machine."""

from __future__ import annotations

import json
import socket
import subprocess
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import workspace
from tests.pipeline import Job, wait_until

pytestmark = pytest.mark.long
HOSTS = ("127.0.0.2", "127.0.0.3")
LOAD = {"LOAD_HOSTS": ",".join(HOSTS), "PROFILE": "closed", "TEST_TIME": "6s", "EXTRA": "execution.0.warm-up=1s"}


class Service:
    """``shardload generator``, as systemd keeps it on a load host."""

    def __init__(self, folder: Path, address: str) -> None:
        self.lines: list[str] = []
        self._process = subprocess.Popen(
            ["./shardload", "generator", "--listen", address, "--runs", str(folder.parent / address)],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        wait_until(lambda: any("listening on" in line for line in self.lines) or self._process.poll() is not None)
        assert self._process.poll() is None, "".join(self.lines)

    def _read(self) -> None:
        assert self._process.stdout is not None
        self.lines.extend(self._process.stdout)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(60)


@pytest.fixture
def hosted(job: Job) -> Iterator[Job]:
    job.name = "shardload/noop/noop"
    workspace.make(job.workspace)
    workspace.wrap(job.workspace)
    subprocess.run(["./shardload", "keys"], cwd=job.workspace, check=True, stdout=subprocess.DEVNULL)
    services = [Service(job.workspace, address) for address in HOSTS]
    yield job
    for service in services:
        service.close()
    wait_until(lambda: not workspace.processes(job.workspace))


def done_of(job: Job) -> list[int]:
    """Return how many transactions each generator of the archived run did."""
    (packed,) = job.archive.glob("results/*.tar.gz")
    with tarfile.open(packed) as archive:
        name = next(name for name in archive.getnames() if name.endswith("/summary.json"))
        file = archive.extractfile(name)
        assert file is not None
        summary = json.load(file)
    return [generator["ledger"]["done"] for generator in summary["generators"]]


def test_both_generators_take_part_also_after_an_abort(hosted: Job) -> None:
    build = hosted.build(**LOAD)
    assert build.result == "SUCCESS", build.log
    machine = f"shardload-local-{socket.gethostname().lower()}"
    assert machine in build.record["locks"], "both addresses are this machine's"
    assert len(done_of(hosted)) == 2 and min(done_of(hosted)) > 0

    def is_measuring() -> bool:
        files = hosted.workspace.glob("runs/*/latencies/*.jsonl")
        return any(time.time() - file.stat().st_mtime < 2 and len(file.read_text().splitlines()) > 3 for file in files)

    aborted = hosted.abort(is_measuring, **{**LOAD, "TEST_TIME": "200s"})
    assert aborted.result == "ABORTED", aborted.log
    assert "results/junit.xml" in aborted.record["archived"]
    # The engines are free again: nothing of the aborted run is left on any host.
    following = hosted.build(**LOAD)
    assert following.result == "SUCCESS", following.log
    assert min(done_of(hosted)) > 0
