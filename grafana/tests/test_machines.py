"""What a run fetches of its machines from the store: the same figures as the store's own samples give."""

from __future__ import annotations

import json
import math
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
from tests.programs import ROOT, Stores, node_exporter, scraped_until, scraping

pytestmark = pytest.mark.e2e
TARGET = "embedded-postgresql"
LOAD = {"warm-up": "0s", "ramp-up": "0s", "hold-for": "25s", "throughput": "100", "concurrency": "4"}
ABSENT = {"host": "db9.invalid", "role": "replica"}
# The counters behind a figure, and what their growth per second says; a machine's processors are not known before.
CPU = 'node_cpu_seconds_total{mode=~"idle|iowait"}'
DISKS = "[sv]d[a-z]+|xvd[a-z]+|nvme[0-9]+n[0-9]+"
NETWORKS = "(eth|en).*"
ON_DISKS, ON_NETWORKS = f'{{device=~"{DISKS}"}}', f'{{device=~"{NETWORKS}"}}'
READS, WRITES = f"node_disk_reads_completed_total{ON_DISKS}", f"node_disk_writes_completed_total{ON_DISKS}"
COUNTERS = {
    "reads_per_second": READS,
    "writes_per_second": WRITES,
    "read_bytes_per_second": f"node_disk_read_bytes_total{ON_DISKS}",
    "written_bytes_per_second": f"node_disk_written_bytes_total{ON_DISKS}",
    "received_bytes_per_second": f"node_network_receive_bytes_total{ON_NETWORKS}",
    "sent_bytes_per_second": f"node_network_transmit_bytes_total{ON_NETWORKS}",
}
# The time of all operations, and the operations.
LATENCIES = {
    "read_latency_seconds": (f"node_disk_read_time_seconds_total{ON_DISKS}", READS),
    "write_latency_seconds": (f"node_disk_write_time_seconds_total{ON_DISKS}", WRITES),
}
BUSY = f"node_disk_io_time_seconds_total{ON_DISKS}"
# Both sides take a rate to be constant between two scrapes, so they differ by the five digits of the file alone. Idle
# time may seem to grow by more than the time that passed: on a busy machine a scrape is a tenth of a second beside its
# time, or a fiftieth of an interval.
RELATIVE_BOUND, CPU_BOUND = 1e-4, 0.05


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
            # The first interval of the run has a scrape before it.
            for store in stores.both.values():
                scraped_until(store, 0)
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
    (copy / "hosts.json").unlink()
    command = [java(), "-cp", str(ROOT / ".shardload" / "app" / "lib" / "*"), "io.shardload.cli.Main", "child"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        # What the bundle names is not asked; the checked configuration names the store.
        asked = {"id": 1, "verb": "hosts", "directory": str(copy), "store": {"url": store.url}}
        child.stdin.write(json.dumps(asked) + "\n")
        child.stdin.flush()
        assert "ok" in json.loads(child.stdout.readline())
        child.stdin.close()
    return dict(json.loads((copy / "hosts.json").read_text()))


def started(bundle: Path) -> float:
    last = (bundle / "latencies" / "generator-0.jsonl").read_text().splitlines()[-1]
    return float(json.loads(last)["start_epoch_ms"]) / 1000


def growths(store: Store, selector: str, start: float, seconds: float) -> Callable[[float, float], list[float]]:
    """Return how much each counter of a selector grew between two moments of a run, from the raw samples."""
    found = store.query(f"{selector}[{round(seconds) + 120}s]", start + seconds + 60)
    counters = [[(float(moment), float(value)) for moment, value in series["values"]] for series in found]
    assert counters, selector

    def at(counter: list[tuple[float, float]], moment: float) -> float:
        after = bisect([time for time, _ in counter], moment)
        assert 0 < after < len(counter), f"{selector}: no sample before or after {moment}"
        (before, low), (behind, high) = counter[after - 1], counter[after]
        return low + (high - low) * (moment - before) / (behind - before)

    return lambda begin, end: [at(each, start + end) - at(each, start + begin) for each in counters]


def expectations(store: Store, start: float, count: int, step: float, cores: int) -> Iterator[tuple[str, list[float]]]:
    """Yield each figure with its value per interval; not a number where it has none."""
    intervals = [(number * step, (number + 1) * step) for number in range(count - 1)]

    def grown(selector: str) -> list[list[float]]:
        each = growths(store, selector, start, count * step)
        return [each(*interval) for interval in intervals]

    yield "cpu_ratio", [1 - sum(each) / cores / step for each in grown(CPU)]
    yield "iowait_ratio", [sum(each) / cores / step for each in grown('node_cpu_seconds_total{mode="iowait"}')]
    if store.query(f"{WRITES}[300s]", time.time()):  # A container may show no disk.
        yield "disk_busy_ratio", [max(each) / step for each in grown(BUSY)]
        for figure, (times, operations) in LATENCIES.items():
            pairs = zip(map(sum, grown(times)), map(sum, grown(operations)))
            yield figure, [seconds / number if number else math.nan for seconds, number in pairs]
    for figure, selector in COUNTERS.items():
        if store.query(f"{selector}[300s]", time.time()):
            yield figure, [sum(each) / step for each in grown(selector)]


def test_the_figures_equal_those_of_the_store(ran: Ran, kind: str, tmp_path: Path) -> None:
    store, start = ran.stores.both[kind], started(ran.bundle)
    hosts = fetched_from(store, ran.bundle, tmp_path)
    assert (hosts["source"], hosts["origin"], hosts["step_seconds"]) == ("store", store.url, 5)
    (host,) = hosts["hosts"]
    assert (host["host"], host["role"], host["server"]) == ("127.0.0.1", "primary", True)
    assert hosts["missing"] == ["db9.invalid (replica): the store has no samples for the time of the run"]
    figures, step = host["figures"], hosts["step_seconds"]
    count = len(figures["cpu_ratio"])
    assert count >= 5
    expected = dict(expectations(store, start, count, step, host["cores"]))
    assert set(figures) == {name for name, values in expected.items() if not all(map(math.isnan, values))}
    assert "received_bytes_per_second" in figures, "at least the network is there"
    for figure, values in expected.items():
        # The last interval ends after the run; whether it was scraped to its end does not matter here.
        found = [math.nan if value is None else value for value in figures.get(figure, [None] * count)[:-1]]
        absolute = CPU_BOUND if figure in ("cpu_ratio", "iowait_ratio") else 1e-6
        assert found == pytest.approx(values, rel=RELATIVE_BOUND, abs=absolute, nan_ok=True), figure


def test_the_run_wrote_them_itself(ran: Ran, tmp_path: Path) -> None:
    written = json.loads((ran.bundle / "hosts.json").read_text())
    again = fetched_from(ran.stores.victoria, ran.bundle, tmp_path)
    assert written["missing"] == again["missing"]
    assert written["hosts"][0]["figures"]["cpu_ratio"][:-1] == again["hosts"][0]["figures"]["cpu_ratio"][:-1]
    assert written["hosts"][0]["figures"]["cpu_ratio"][-1] is not None, "the last scrape was awaited"
