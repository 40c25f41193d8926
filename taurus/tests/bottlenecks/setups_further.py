"""The set-ups of the further rows. Each fails unless its cause has acted: the evidence is not what the run measures."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tests.bottlenecks.limits import Cgroup, call, cgroup, started
from tests.bottlenecks.setups import HOME, Site, narrow_link, watched
from tests.e2e.ferretdb import Postgresql
from tests.e2e.hosts import ip, require

# 8 Mbit/s that do not give way when packets are lost, as a replica or a stream of telemetry.
_STREAM = """import socket, sys, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
due = time.monotonic()
while True:
    sender.sendto(bytes(1372), (sys.argv[1], 9))
    due += 0.0014
    time.sleep(max(0, due - time.monotonic()))
"""


class Waits:
    """For how long threads were ready to run and had no processor while load was made."""

    def __init__(self, cluster: Path) -> None:
        self._cluster = str(cluster)
        self._engines: dict[int, tuple[int, int]] = {}
        self._server: dict[int, tuple[int, int]] = {}

    def look(self, engines: Sequence[int]) -> None:
        """Add up until now; threads that end later stay in the sum."""
        server = [int(pid.name) for pid in Path("/proc").glob("[0-9]*") if engines and self._is_server(pid)]
        for pids, found in ((engines, self._engines), (server, self._server)):
            for pid in pids:
                with suppress(OSError):
                    tasks = Path(f"/proc/{pid}/task").iterdir()
                    nanos = sum(int((task / "schedstat").read_text().split()[1]) for task in tasks)
                    first, most = found.get(pid, (nanos, nanos))
                    found[pid] = first, max(most, nanos)

    def _is_server(self, process: Path) -> bool:
        with suppress(OSError):
            return str((process / "cwd").readlink()) == self._cluster
        return False

    @property
    def engine_seconds(self) -> list[float]:
        """Of each engine; one run has one."""
        return [(most - first) / 1e9 for first, most in self._engines.values()]

    @property
    def server_seconds(self) -> float:
        """Of all sessions in all runs."""
        return sum(most - first for first, most in self._server.values()) / 1e9


@contextmanager
def _neighbours(site: Site) -> Iterator[Cgroup]:
    """Start programs that want all processors; at first they take only what nobody else wants."""
    with cgroup("neighbours") as group, ExitStack() as programs:
        group.give_way(always=True)
        for number in range(os.cpu_count() or 1):
            command = group.command("sh", "-c", "while :; do :; done")
            programs.enter_context(started(command, site.folder / f"neighbour-{number}.log", signal.SIGKILL))
        yield group


@contextmanager
def busy_load_host(site: Site) -> Iterator[None]:
    """Let the neighbours have five shares of the processors and the engine one, while it makes load."""
    waits = Waits(site.folder / "cluster")
    # The server could as well be elsewhere: nobody can keep a processor from it.
    server = site.server(prefix=(require("chrt", "util-linux"), "--rr", "1"))
    with server, _neighbours(site) as neighbours, cgroup("load") as load:
        load.weigh(20)

        def compete(engines: list[int]) -> None:
            load.add_all(engines)
            neighbours.give_way(always=not engines)
            waits.look(engines)

        with watched(site, compete):
            yield
    engines, others = waits.engine_seconds, waits.server_seconds
    assert engines and min(engines) > 100, f"the generator had its processor: it waited {engines} s"
    assert others < 0.1 * sum(engines), f"the server waited {others} s for a processor, the generator {engines} s"


def processor_seconds() -> tuple[float, float]:
    """Return how long the processors were idle, and all their time."""
    user, nice, system, idle, iowait, *others = map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9])
    return idle + iowait, user + nice + system + idle + iowait + sum(others)


@contextmanager
def spare_time(site: Site) -> Iterator[None]:
    """Let the neighbours take all that the load and the server leave, and nothing else."""
    waits = Waits(site.folder / "cluster")
    with site.server(), _neighbours(site), watched(site, waits.look):
        idle_before, all_before = processor_seconds()
        yield
        idle_after, all_after = processor_seconds()
    idle = (idle_after - idle_before) / (all_after - all_before)
    assert idle < 0.05, f"the processors were idle for {idle:.0%} of the time"
    engines, others = waits.engine_seconds, waits.server_seconds
    # All threads together, in 17 s of load; the neighbours of a busy load host make it wait for minutes.
    assert engines and max(engines) < 30, f"the neighbours kept the processor from the generator: {engines} s"
    assert others < 30 * len(engines), f"the neighbours kept the processor from the server: {others} s"


@contextmanager
def shared_link(site: Site) -> Iterator[None]:
    """Let another stream have 8 of the 10 Mbit/s that leave the server."""
    backlogs: list[int] = []
    with narrow_link(site) as (network, load, server):
        other = network.add("other", 3)
        stream = server.command(sys.executable, "-c", _STREAM, other.address)

        def link() -> tuple[int, int]:
            shown = call("tc", "iproute2", "-n", server.namespace, "-s", "-j", "qdisc", "show", "dev", "eth0")
            (queue,) = json.loads(shown)
            return queue["backlog"], queue["bytes"]

        def received() -> int:
            (device,) = json.loads(ip("-n", load.namespace, "-s", "-j", "link", "show", "eth0"))
            return device["stats64"]["rx"]["bytes"]

        def look(engines: list[int]) -> None:
            if engines:
                backlogs.append(link()[0])

        with started(stream, site.folder / "stream.log", signal.SIGKILL), watched(site, look):
            before, received_before = link()[1], received()
            yield
            own, total = received() - received_before, link()[1] - before
    queued = sum(backlog > 0 for backlog in backlogs)
    assert queued > 0.9 * len(backlogs) > 0, f"the link was full in {queued} of {len(backlogs)} moments"
    assert own < 0.4 * total, f"the load itself had {own} of the {total} bytes of the link"


@contextmanager
def wrong_index(site: Site) -> Iterator[None]:
    """Give the index that the calls need its columns in the wrong order: all of it is read, and no table is scanned."""
    with cgroup("server") as group, site.server(group=group) as port:
        url = f"postgresql://127.0.0.1:{port}/{site.data}"
        database = Postgresql(HOME, url, site.loaded.user, site.loaded.password)
        database.execute("CREATE INDEX orders_id_customer ON orders (id, customer_id)", "ANALYZE orders")
        database.execute("SELECT pg_stat_reset()")  # of what the first session counted until its end
        group.limit_processors(1)
        yield
        index = "WHERE indexrelname = 'orders_id_customer'"
        figures = database.execute(
            "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'orders'",
            f"SELECT idx_scan FROM pg_stat_user_indexes {index}",
            f"SELECT idx_blks_hit + idx_blks_read FROM pg_statio_user_indexes {index}",
        )
        sequential, scans, pages = map(int, figures)
        assert not sequential, f"{sequential} scans of the table"
        assert pages > 300 * scans > 0, f"{scans} scans of the index read {pages} pages"
        assert group.throttled_periods > 1000, f"the processor was short in {group.throttled_periods} periods"
