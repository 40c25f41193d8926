"""The set-ups of rows that somebody chose who had not read the rules. Each shows how its cause has acted, or fails."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import mean

from tests.bottlenecks.limits import Cgroup, call, cgroup, far, started
from tests.bottlenecks.setups import HOME, Site, watched
from tests.bottlenecks.setups_further import Waits, processor_seconds
from tests.e2e.ferretdb import Postgresql
from tests.e2e.hosts import Network, ip, wait_for
from tests.e2e.test_failover import free_port


class Growth:
    """By how much two figures that only grow have grown while load was made."""

    def __init__(self, read: Callable[[], tuple[float, float]]) -> None:
        self._read = read
        self._last: tuple[float, float] | None = None
        self._sums = [0.0, 0.0]

    def look(self, engines: Sequence[int]) -> None:
        """Add what came since the last look, if load was made at both."""
        now = self._read() if engines else None
        if now and self._last:
            self._sums = [total + new - old for total, new, old in zip(self._sums, now, self._last)]
        self._last = now

    @property
    def ratio(self) -> float:
        """Of the first figure to the second."""
        return self._sums[0] / self._sums[1] if self._sums[1] else 0.0


def show(holds: bool, evidence: str) -> None:
    """Print how the cause has acted; it fails if that is not enough."""
    print(f"evidence: {evidence}", flush=True)
    assert holds, f"not enough: {evidence}"


def figures(site: Site, port: int, *statements: str) -> list[int]:
    database = Postgresql(HOME, f"postgresql://127.0.0.1:{port}/{site.data}", site.loaded.user, site.loaded.password)
    return [int(answer or 0) for answer in database.execute(*statements)]


@contextmanager
def _standby(site: Site, primary: int, group: Cgroup) -> Iterator[None]:
    """Start a copy of the loaded server that follows the primary, in a control group."""
    cluster, log = site.folder / "standby", site.folder / "standby.log"
    shutil.copytree(site.loaded.cluster, cluster)
    (cluster / "standby.signal").touch()
    source = f"host=127.0.0.1 port={primary} user={site.loaded.user} password={site.loaded.password} sslmode=disable"
    settings = {"port": str(free_port()), "unix_socket_directories": "", "fsync": "off", "primary_conninfo": source}
    words = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
    command = group.command("unshare", "-U", str(site.loaded.program), "-D", str(cluster), *words)
    with started(command, log, signal.SIGQUIT):
        wait_for(lambda: "started streaming WAL" in log.read_text(), f"the standby, see {log}")
        yield


def busy_sessions(cluster: Path) -> list[str]:
    """Return the titles of the sessions of a server that do not wait for their client."""
    titles = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str((process / "cwd").readlink()) == str(cluster):
                titles.append((process / "cmdline").read_bytes().strip(b"\0 ").decode(errors="replace"))
    return [each for each in titles if "127.0.0.1(" in each and "walsender" not in each and not each.endswith("idle")]


@contextmanager
def slow_standby(site: Site) -> Iterator[None]:
    """Let each commit wait until a standby with a tenth of a processor has replayed it."""
    idle = Growth(processor_seconds)
    sessions: list[tuple[int, int]] = []

    def look(engines: list[int]) -> None:
        if engines and (titles := busy_sessions(site.folder / "cluster")):
            sessions.append((sum(" waiting for 0/" in title for title in titles), len(titles)))

    settings = {"synchronous_standby_names": "*", "synchronous_commit": "remote_apply"}
    with site.server(settings) as port, cgroup("standby") as group, _standby(site, port, group):
        group.limit_processors(0.1)
        with watched(site, idle.look), watched(site, look):
            yield
        throttled = group.throttled_periods
    show(throttled > 1000, f"the standby's processor was short in {throttled} periods")
    waiting, busy = (mean(column) for column in zip(*sessions))
    show(waiting > 0.8 * busy > 8, f"{waiting:.1f} of {busy:.1f} busy sessions waited for the standby")
    show(idle.ratio > 0.25, f"the processors of the machine were idle for {idle.ratio:.0%} of the time")


@contextmanager
def deep_pages(site: Site) -> Iterator[None]:
    """Let half of the calls skip thousands of rows, by the right index and without a scan of the table."""
    with cgroup("server") as group, site.server(group=group) as port:
        figures(site, port, "ANALYZE orders")
        figures(site, port, "SELECT pg_stat_reset()")
        group.limit_processors(1)
        yield
        scanned, scans, pages = figures(
            site,
            port,
            "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'orders'",
            "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'orders_pkey'",
            "SELECT heap_blks_hit + heap_blks_read FROM pg_statio_user_tables WHERE relname = 'orders'",
        )
        short = group.throttled_periods
        show(not scanned and pages > 300 * scans > 0, f"{scanned} scans; {scans} of the index read {pages} pages")
        show(short > 1000, f"the server's processor was short in {short} periods")


@contextmanager
def policed_uplink(site: Site) -> Iterator[None]:
    """Let a router drop what is more than 4 Mbit/s towards the server: it has a queue of two packets."""
    network = Network()
    try:
        load, server = network.add("load", 1), network.add("server", 2)
        router = load.namespace.removesuffix("load") + "wire"
        police = ("root", "tbf", "rate", "4mbit", "burst", "32kb", "limit", "3kb")
        call("tc", "iproute2", "-n", router, "qdisc", "add", "dev", "to-server", *police)

        def queue() -> dict[str, int]:
            shown = call("tc", "iproute2", "-n", router, "-s", "-j", "qdisc", "show", "dev", "to-server")
            return dict(json.loads(shown)[0])

        passed = Growth(lambda: (queue()["bytes"], time.monotonic()))
        with site.server(host=server):
            site.real.prefix = tuple(load.command())
            with watched(site, passed.look):
                yield
            dropped = queue()["drops"]
            resent = int(ip("netns", "exec", load.namespace, "nstat", "-asz", "TcpRetransSegs").split()[-2])
    finally:
        site.real.prefix = ()
        network.close()
    show(dropped > 1000 < resent, f"the router dropped {dropped} packets, the load host sent {resent} again")
    # Senders that lose packets do not fill a link.
    show(passed.ratio > 0.5 * 500_000, f"{passed.ratio * 8 / 1e6:.2f} of 4 Mbit/s passed")


@contextmanager
def long_way(site: Site) -> Iterator[None]:
    """Let each call take 40 ms on the way, and have workers enough."""
    idle, waits = Growth(processor_seconds), Waits(site.folder / "cluster")
    with site.server() as port, far(port, 0.040) as away:
        site.aim(away)
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", away)) as connection:
            connection.sendall(bytes.fromhex("0000000804d2162f"))  # may it be encrypted?
            connection.recv(1)
        took = time.monotonic() - began
        figures(site, port, "SELECT pg_stat_reset()")
        with watched(site, idle.look), watched(site, waits.look):
            yield
        (done,) = figures(site, port, "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
    runs, server = waits.engine_seconds, waits.server_seconds
    show(took > 0.040, f"the way took {took * 1000:.0f} ms")
    show(done > 400 * 16 * len(runs) > 0, f"{done} commits in {len(runs)} runs")
    show(idle.ratio > 0.35, f"the processors were idle for {idle.ratio:.0%} of the time")
    show(max(runs) < 30 > server / len(runs), f"for a processor the generators waited {runs} s, the server {server} s")
