"""The Hosts dashboard counts each I/O once, whatever the disks are made of, and counts all of it."""

from __future__ import annotations

import mmap
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from checks.__main__ import shipped
from checks.check import Setting, execute, resolve, scope_of
from checks.dashboard import Dashboard, read
from checks.time_range import TimeRange
from tests.node_pages import labelled
from tests.pages import between, history
from tests.programs import Stores, holding, node_exporter, scraped_until, scraping

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
    """How many physical disks there are, and stores with the five minutes."""

    disks: int
    span: TimeRange
    stores: Stores


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
def layout(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Layout]:
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
    with holding(folder, between(before, after, span.start, span.end)) as stores:
        yield Layout(len(physical.split()), span, stores)


def test_each_request_is_counted_once(hosts: Dashboard, layout: Layout) -> None:
    disks = layout.disks
    wanted = {
        "IOPS": {"A": 1.0 * disks, "B": 2.0 * disks},
        "Bytes read and written": {"A": 4096.0 * disks, "B": 16384.0 * disks},
        "Disk latency": {"A": 0.002, "B": 0.005},
    }
    for store in layout.stores.both.values():
        for title, expected in wanted.items():
            found = values(hosts, title, Setting(store, layout.span, "5s"))
            inner = {
                key: [value for at, value in each.items() if at > layout.span.start + 60] for key, each in found.items()
            }
            for key, value in expected.items():
                assert len(inner[key]) > 10
                assert inner[key] == pytest.approx([value] * len(inner[key]), rel=1e-6), (title, key)


# Cards of machines and virtual machines, and what stands upon them.
CARDS = "eth0 eth1 ens5 enp3s0f1np1 eno1 enP2p1s0 wlp2s0 ib0 wlan0 venet0 en0 em1 p1p1"
UPON_CARDS = (
    "lo eth0.100 enp3s0.4094 vlan100 bond0 bond0.7 team0 br0 br-3f2a docker0 docker_gwbridge virbr0 vnet3 veth12ab "
    "macvlan0 macvtap1 ipvlan0 wg0 ovs-system ovsbr0 tun0 tap1 cni0 flannel.1 cali12 cilium_host kube-ipvs0 "
    "vxlan.calico dummy0 gre0 sit0 ip6tnl0"
)


def test_each_packet_is_counted_once(hosts: Dashboard, kind: str, tmp_path: Path, end: float) -> None:
    recorded = Path(__file__).with_name("node-exporter.prom").read_text()
    pages = [recorded.replace('"eth0"', f'"{name}"') for name in (*CARDS.split(), *UPON_CARDS.split())]
    span = TimeRange(end - SECONDS, end)
    with holding(tmp_path, history(pages, span.start, span.end)) as stores:
        store = stores.both[kind]
        (one,) = store.query('rate(node_network_receive_bytes_total{device="eth0"}[1m])', span.end)
        found = values(hosts, "Network traffic", Setting(store, span, "5s"))["A"]
    assert found[max(found)] / float(one["value"][1]) == pytest.approx(len(CARDS.split()), rel=1e-3)


@contextmanager
def loop_device(folder: Path, size_bytes: int) -> Iterator[str]:
    """Make a block device of our own, which nothing else writes to."""
    image = folder / "disk"
    image.touch()
    os.truncate(image, size_bytes)
    made = subprocess.run(["losetup", "--find", "--show", str(image)], capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, f"no loop device: {made.stderr}"
    try:
        yield made.stdout.strip()
    finally:
        subprocess.run(["losetup", "--detach", made.stdout.strip()], check=True, timeout=60)


def write_direct(device: str, size_bytes: int, length_seconds: float) -> None:
    """Write past the page cache at a steady pace: a rate sees a burst more or less often, by where windows begin."""
    block = memoryview(mmap.mmap(-1, 1024 * 1024))
    blocks = size_bytes // len(block)
    start = time.monotonic()
    handle = os.open(device, os.O_WRONLY | os.O_DIRECT)
    try:
        for number in range(blocks):
            time.sleep(max(0.0, start + number * length_seconds / blocks - time.monotonic()))
            assert os.write(handle, block) == len(block)
    finally:
        os.close(handle)


SCRAPE = """\
global: {{scrape_interval: 1s}}
scrape_configs:
- job_name: node
  static_configs:
  - targets: ["{address}"]
    labels: {{target: citus, host: db1, role: worker}}
"""


@pytest.mark.e2e
def test_direct_writes_of_a_known_size_are_seen(hosts: Dashboard, tmp_path: Path) -> None:
    size = 192 * 1024 * 1024
    with (
        loop_device(tmp_path, size) as device,
        node_exporter(tmp_path, "--collector.diskstats.device-exclude=^$") as address,
        scraping(tmp_path, SCRAPE.format(address=address)) as stores,
    ):
        start = time.time()
        for store in stores.both.values():
            scraped_until(store, start)
        write_direct(device, size, length_seconds=30)
        written = time.time()
        for store in stores.both.values():
            # The window of the rate is 20 s long: behind it the writes have left it.
            scraped_until(store, written + 25)
        # Only this device: the dashboard leaves out loop devices, which lie upon others.
        name = Path(device).name
        others = ["|".join(sorted({path.name for path in Path("/sys/block").iterdir()} - {name}))]
        span = TimeRange(start - 30, time.time())
        for kind, store in stores.both.items():
            setting = Setting(store, span, "1s", {"devices": others})
            found = values(hosts, "Bytes read and written", setting)["B"]
            moments = sorted(found)
            total = sum(found[at] for at in moments) * (moments[1] - moments[0])
            assert total == pytest.approx(size, rel=0.05), kind
