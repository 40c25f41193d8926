"""What a run fetches of its machines from the store: the same figures as the store's own samples give."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from bisect import bisect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from shardload.config.places import java

from checks.store import Store
from tests.checkout import SMALL, checked_out, options
from tests.programs import ROOT, Stores, node_exporter, scraping

pytestmark = pytest.mark.e2e
TARGET = "embedded-postgresql"
LOAD = {"warm-up": "0s", "ramp-up": "0s", "hold-for": "25s", "throughput": "100", "concurrency": "4"}
ABSENT = {"host": "db9.invalid", "role": "replica"}
# The counters behind a figure, and what their growth per second says; a machine's processors are not known before.
CPU = 'node_cpu_seconds_total{mode=~"idle|iowait"}'
DISKS = "[sv]d[a-z]+|xvd[a-z]+|nvme[0-9]+n[0-9]+"
NETWORKS = "(eth|en).*"
COUNTERS = {
    "writes_per_second": f'node_disk_writes_completed_total{{device=~"{DISKS}"}}',
    "written_bytes_per_second": f'node_disk_written_bytes_total{{device=~"{DISKS}"}}',
    "received_bytes_per_second": f'node_network_receive_bytes_total{{device=~"{NETWORKS}"}}',
}
# Both sides take a rate to be constant between two scrapes, so they differ by rounding alone. Idle time may seem to
# grow by more than the time that passed: a scrape is some milliseconds beside its time.
RELATIVE_BOUND, CPU_BOUND = 1e-5, 0.01


@dataclass(frozen=True)
class Ran:
    """A run with a store, and what it wrote."""

    stores: Stores
    bundle: Path
    node: str


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    folder = tmp_path_factory.mktemp("machines")
    with checked_out(folder) as checkout, node_exporter(folder) as node:
        checkout.target(TARGET, hosts=[{"host": node, "role": "primary"}])
        code, scrape = checkout.call(folder / "scrape.log", "scrape-config", "--target", TARGET)
        assert code == 0, scrape
        with scraping(folder, scrape) as stores:
            hosts = [{"host": node, "role": "primary"}, ABSENT]
            checkout.target(TARGET, hosts=hosts, metrics={"url": stores.victoria.url})
            values = {**SMALL, **{f"execution.0.{key}": value for key, value in LOAD.items()}}
            code, output = checkout.call(
                folder / "run.log", "run", "--target", TARGET, "--profile", "steady", *options(values)
            )
            assert code in (0, 3, 5), output
            yield Ran(stores, checkout.bundles()[0], node)


def fetched_from(store: Store, bundle: Path, folder: Path) -> dict[str, Any]:
    """Return hosts.json as the child writes it when the run has this store."""
    copy = folder / "bundle"
    shutil.copytree(bundle, copy)
    run = json.loads((copy / "run.json").read_text())
    run["store"] = {"url": store.url}
    (copy / "run.json").write_text(json.dumps(run))
    (copy / "hosts.json").unlink()
    command = [java(), "-cp", str(ROOT / ".shardload" / "app" / "lib" / "*"), "io.shardload.cli.Main", "child"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(json.dumps({"id": 1, "verb": "hosts", "directory": str(copy)}) + "\n")
        child.stdin.flush()
        assert "ok" in json.loads(child.stdout.readline())
        child.stdin.close()
    return dict(json.loads((copy / "hosts.json").read_text()))


def started(bundle: Path) -> float:
    last = (bundle / "latencies" / "generator-0.jsonl").read_text().splitlines()[-1]
    return float(json.loads(last)["start_epoch_ms"]) / 1000


def growth(store: Store, selector: str, start: float, seconds: float) -> Callable[[float, float], float]:
    """Return how much all counters of a selector grew between two moments of a run, from the raw samples."""
    found = store.query(f"{selector}[{round(seconds) + 120}s]", start + seconds + 60)
    counters = [[(float(moment), float(value)) for moment, value in series["values"]] for series in found]
    assert counters, selector

    def at(counter: list[tuple[float, float]], moment: float) -> float:
        after = bisect([time for time, _ in counter], moment)
        (before, low), (behind, high) = counter[after - 1], counter[after]
        return low + (high - low) * (moment - before) / (behind - before)

    return lambda begin, end: sum(at(each, start + end) - at(each, start + begin) for each in counters)


def test_the_figures_equal_those_of_the_store(ran: Ran, kind: str, tmp_path: Path) -> None:
    store, start = ran.stores.both[kind], started(ran.bundle)
    hosts = fetched_from(store, ran.bundle, tmp_path)
    assert (hosts["source"], hosts["origin"], hosts["step_seconds"]) == ("store", store.url, 5)
    (host,) = hosts["hosts"]
    assert (host["host"], host["role"], host["server"]) == ("127.0.0.1", "primary", True)
    assert hosts["missing"] == ["db9.invalid (replica): the store has no samples of it in the time of the run"]
    figures, step = host["figures"], hosts["step_seconds"]
    count = len(figures["cpu_ratio"])
    assert count >= 5
    compared = 0
    idle = growth(store, CPU, start, count * step)
    # The last interval ends after the run; whether it was scraped to its end does not matter here.
    for number, value in enumerate(figures["cpu_ratio"][:-1]):
        begin, end = number * step, (number + 1) * step
        assert value is not None
        assert value == pytest.approx(1 - idle(begin, end) / host["cores"] / step, abs=CPU_BOUND)
    for figure, selector in COUNTERS.items():
        if figure not in figures:  # A container may show no disk.
            assert not store.query(f"{selector}[300s]", time.time())
            continue
        grown = growth(store, selector, start, count * step)
        for number, value in enumerate(figures[figure][:-1]):
            expected = grown(number * step, (number + 1) * step) / step
            assert value == pytest.approx(expected, rel=RELATIVE_BOUND, abs=1e-6), (figure, number)
            compared += 1
    assert compared >= count - 1, "at least the network is there"


def test_the_run_wrote_them_itself(ran: Ran, tmp_path: Path) -> None:
    written = json.loads((ran.bundle / "hosts.json").read_text())
    again = fetched_from(ran.stores.victoria, ran.bundle, tmp_path)
    assert written["missing"] == again["missing"]
    assert written["hosts"][0]["figures"]["cpu_ratio"][:-1] == again["hosts"][0]["figures"]["cpu_ratio"][:-1]
    assert written["hosts"][0]["figures"]["cpu_ratio"][-1] is not None, "the last scrape was awaited"
