"""One, two and four load hosts: the rate that is reached, and what the controller costs. It prints a table.

On two cores, which hosts, controller and database share, more hosts cannot reach more.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest

from tests.e2e.conftest import expect_built, options
from tests.e2e.hosts import Host, command_of
from tests.e2e.hosts_cluster import Changes, Cluster, Run
from tests.e2e.test_real import assert_closed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
HOSTS = 4
SECONDS = 10
PARTS = {"python": "-m shardload", "java": "io.shardload.cli.Main", "redis": "redis-server"}
_TICKS = os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    expect_built()
    made = Cluster(tmp_path_factory.mktemp("four"))
    try:
        made.set_up(HOSTS)
        yield made
    finally:
        made.close()


class Meter(threading.Thread):
    """Adds up the CPU time of the controller's parts while a run is in its hold."""

    def __init__(self, host: Host, run: Run) -> None:
        super().__init__(daemon=True)
        self._host, self._run = host, run
        self.percent: dict[str, float] = {}

    def run(self) -> None:
        self._run.wait_for_load(3)  # behind warm-up and ramp
        before, began = self._used(), time.monotonic()
        time.sleep(SECONDS - 4)
        after, seconds = self._used(), time.monotonic() - began
        self.percent = {name: 100 * (after[name] - before[name]) / seconds for name in PARTS}

    def _used(self) -> dict[str, float]:
        found = dict.fromkeys(PARTS, 0.0)
        for pid in self._host.pids():
            command = command_of(pid)
            for name, part in PARTS.items():
                if part in command:
                    found[name] += cpu_seconds(pid)
                    break
        return found


def cpu_seconds(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def measure(cluster: Cluster, target: str, hosts: int, model: str) -> list[str]:
    """Run once and return a row of the table."""
    cluster.settle()
    where = options({"target.load-hosts": str(cluster.addresses[:hosts]).replace("'", '"')})
    length = {"execution.0.hold-for": f"{SECONDS}s", "execution.0.concurrency": "16"}
    if model == "maximum":
        closed: Changes = {"execution.0.throughput": None, "execution.0.ramp-up": None}
        run = cluster.begin(target, "--profile", "closed", *where, changes={**length, **closed})
    else:
        run = cluster.begin(target, *where, changes={**length, "execution.0.throughput": "1000"})
    meter = Meter(cluster.controller.host, run)
    meter.start()
    run.end()
    meter.join()
    summary = run.read("summary.json")
    assert_closed(summary["ledger"])
    assert summary["ledger"]["done"] > 0, run.output
    cpu = [f"{meter.percent.get(name, float('nan')):.1f}" for name in PARTS]
    return [target, str(hosts), model, f"{summary['throughput']['achieved']:.0f}", str(run.code), *cpu]


def test_one_two_and_four_hosts(four: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["target", "hosts", "load", "per second", "code", *(f"{name} CPU %" for name in PARTS)]]
    for target in ("noop-hosts", "postgresql-hosts"):
        for model in ("1000/s", "maximum"):
            rows += [measure(four, target, hosts, model) for hosts in (1, 2, 4)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    with capsys.disabled():
        print()
        for row in rows:
            print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))
    assert len({tuple(row[:3]) for row in rows[1:]}) == 12
