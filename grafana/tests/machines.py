"""What a run fetches of its machines from a store, and the same figures from the store's own samples."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import time
from bisect import bisect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from shardload.config.places import java

from checks.store import Store
from tests.programs import ROOT

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
