"""The Hosts dashboard counts each I/O once, whatever the disks are made of, and counts all of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from checks.__main__ import shipped
from checks.check import Setting, execute, resolve, scope_of
from checks.dashboard import Dashboard, read
from checks.store import Store
from checks.time_range import TimeRange
from tests.node_pages import labelled
from tests.pages import between
from tests.programs import holding, node_exporter

LABELS = 'target="citus",host="db1",role="worker"'
SECONDS = 300
# A line: major, minor, device; reads, merged, sectors, ms; writes, merged, sectors, ms; in flight, ms, weighted.
# The same device 300 s later: 300 reads of 4 KiB and 600 writes of 8 KiB reach each physical disk.
IDLE = "0 0 0 0 0 0 0 0 0 0 0"
BUSY = "300 0 2400 600 600 0 9600 3000 0 1500 3600"
LAYOUTS = {
    "partitions": ("8 0 sda | 8 1 sda1 | 8 16 sdaa | 8 17 sdaa1", "sda sdaa"),
    "NVMe": ("259 0 nvme0n1 | 259 1 nvme0n1p1 | 259 2 nvme0n1p2", "nvme0n1"),
    "LVM": ("8 0 sda | 8 2 sda2 | 253 0 dm-0 | 253 1 dm-1", "sda"),
    "RAID 1": ("8 16 sdb | 8 32 sdc | 9 0 md0 | 9 127 md127", "sdb sdc"),
    "virtual": ("252 0 vda | 252 1 vda1 | 11 0 sr0 | 7 0 loop0 | 1 0 ram0 | 251 0 zram0", "vda"),
    "cards": ("179 0 mmcblk0 | 179 1 mmcblk0p1 | 202 0 xvda | 202 1 xvda1", "mmcblk0 xvda"),
}


@dataclass(frozen=True)
class Layout:
    """How many physical disks there are, and a store with the five minutes."""

    disks: int
    span: TimeRange
    store: Store


@pytest.fixture
def hosts() -> Dashboard:
    return next(dashboard for dashboard in map(read, shipped()) if dashboard.uid == "shardload-hosts")


def diskstats(devices: str, numbers: str) -> str:
    return "".join(f"{device.strip()} {numbers} 0 0 0 0 0 0\n" for device in devices.split("|"))


def values(hosts: Dashboard, title: str, setting: Setting) -> dict[str, dict[float, float]]:
    """Execute the panel's own queries and return the values of each by time, added over the series."""
    scope = scope_of(resolve(hosts, setting)[0], setting.span)
    panel = next(panel for panel in hosts.panels if panel.title == title)
    found: dict[str, dict[float, float]] = {}
    for query in panel.queries:
        answer = execute(panel, query, scope, setting)
        assert answer.error == "", answer.error
        sums = found.setdefault(query.reference, {})
        for series in answer.series:
            for moment, value in series["values"]:
                sums[float(moment)] = sums.get(float(moment), 0.0) + float(value)
    return found


@pytest.fixture(scope="module", params=LAYOUTS)
def layout(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, kind: str) -> Iterator[Layout]:
    devices, physical = LAYOUTS[request.param]
    folder = tmp_path_factory.mktemp("disks")
    proc = folder / "proc"
    proc.mkdir()
    (proc / "diskstats").write_text(diskstats(devices, IDLE))
    (folder / "sys").mkdir()
    # That of uname gives the dashboard's variables their values.
    options = ("--collector.disable-defaults", "--collector.diskstats", "--collector.uname")
    with node_exporter(folder, *options, f"--path.procfs={proc}", f"--path.sysfs={folder / 'sys'}") as address:
        before = labelled(address, LABELS)
        (proc / "diskstats").write_text(diskstats(devices, BUSY))
        after = labelled(address, LABELS)
    end = float(int(time.time()))
    span = TimeRange(end - SECONDS, end)
    with holding(folder, between(before, after, span.start, span.end), kind) as store:
        yield Layout(len(physical.split()), span, store)


def test_each_request_is_counted_once(hosts: Dashboard, layout: Layout) -> None:
    disks = layout.disks
    wanted = {
        "IOPS": {"A": 1.0 * disks, "B": 2.0 * disks},
        "Bytes read and written": {"A": 4096.0 * disks, "B": 16384.0 * disks},
        "Disk latency": {"A": 0.002, "B": 0.005},
    }
    for title, expected in wanted.items():
        found = values(hosts, title, Setting(layout.store, layout.span, "5s"))
        inner = {
            key: [value for at, value in each.items() if at > layout.span.start + 60] for key, each in found.items()
        }
        for key, value in expected.items():
            assert len(inner[key]) > 10
            assert inner[key] == pytest.approx([value] * len(inner[key]), rel=1e-6), (title, key)
