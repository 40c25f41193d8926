"""The set-ups of the rows: each makes one resource scarce while a block runs, on a PostgreSQL of the row's own."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from types import MappingProxyType
from typing import NamedTuple

from shardload.config.places import java
from tests.bottlenecks.limits import Cgroup, call, cgroup, disk, far, started
from tests.e2e.conftest import ROOT, RealCheckout, options
from tests.e2e.ferretdb import postgresql
from tests.e2e.hosts import SUBNET, Host, Network, wait_for
from tests.e2e.real.servers import DATABASE, REPLICA_SET
from tests.e2e.test_failover import free_port

HOME = ROOT / ".shardload"
PASSWORD_ENV = "SHARDLOAD_BOTTLENECKS_PASSWORD"
TARGET = "mine"
# The data sets, by the name of their database: what load and run are called with.
_ORDERS = ("--workload", str(Path(__file__).with_name("workload")))
DATA = {
    "documents": ("--documents", "20000"),
    "orders": _ORDERS,
    # A debug build of MongoDB reads 20 000 documents per second.
    "few_orders": (
        *_ORDERS,
        *options({"workload.data.documents": "20000", "workload.parameters.order_id.max": "19000"}),
    ),
}
_ORDINARY_USER = ("unshare", "-U")  # PostgreSQL refuses to run as root
SQL = str(Path(__file__).parents[1] / "e2e" / "Sql.java")
# Nobody reads or writes for 190 ms, then everybody does for 5 ms.
_LOCK_AGAIN_AND_AGAIN = """DO $$ BEGIN LOOP
  LOCK TABLE data_table IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(0.19); COMMIT;
  PERFORM pg_sleep(0.005); COMMIT;
END LOOP; END $$"""


class Loaded(NamedTuple):
    """A stopped PostgreSQL with all data sets; each row starts a copy."""

    cluster: Path
    program: Path
    user: str
    password: str

    @staticmethod
    def make(real: RealCheckout, folder: Path) -> Loaded:
        """Start an empty server, load it and stop it."""
        folder.mkdir()
        with postgresql(HOME, folder) as server:
            real.environment[PASSWORD_ENV] = server.password
            for name, words in DATA.items():
                url = server.beside(name).url
                real.target(TARGET, "postgresql", url=url, user=server.user, password_env=PASSWORD_ENV)
                code, output = real.run("load", "--target", TARGET, *words)
                assert code == 0, output
        (cluster,) = folder.glob("postgresql/cluster")
        (program,) = folder.glob("*/bin/postgres")
        with open(cluster / "pg_hba.conf", "a", encoding="utf-8") as access:
            access.write(f"\nhost all all {SUBNET}.0/24 scram-sha-256\n")
        return Loaded(cluster, program, server.user, server.password)


class Site(NamedTuple):
    """Where a row is built: a checkout, the loaded server, an empty folder, and the name of the row's data set."""

    real: RealCheckout
    loaded: Loaded
    folder: Path
    data: str

    def aim(self, port: int, address: str = "127.0.0.1", client: Mapping[str, object] = MappingProxyType({})) -> None:
        """Let the runs go to a port, with options of the client."""
        self.real.target(
            TARGET,
            "postgresql",
            url=f"postgresql://{address}:{port}/{self.data}",
            user=self.loaded.user,
            password_env=PASSWORD_ENV,
            options={"ssl": "disable", **client},
        )

    @contextmanager
    def server(
        self,
        settings: Mapping[str, str] = MappingProxyType({}),
        group: Cgroup | None = None,
        host: Host | None = None,
        where: Path | None = None,
        prefix: Sequence[str] = (),
    ) -> Iterator[int]:
        """Start a copy of the loaded server, with words before its command; runs go to it. Yield its port."""
        cluster, log, port = (where or self.folder) / "cluster", self.folder / "postgresql.log", free_port()
        shutil.copytree(self.loaded.cluster, cluster)
        address = host.address if host else "127.0.0.1"
        changed = {"listen_addresses": address, "port": str(port), "unix_socket_directories": "", **settings}
        words = [part for key, value in changed.items() for part in ("-c", f"{key}={value}")]
        command = [*prefix, *_ORDINARY_USER, str(self.loaded.program), "-D", str(cluster), *words]
        command = group.command(*command) if group else host.command(*command) if host else command
        # It ends without a checkpoint: nobody needs the data again.
        with started(command, log, signal.SIGQUIT):
            wait_for(lambda: "ready to accept connections" in log.read_text(), f"PostgreSQL, see {log}")
            self.aim(port, address)
            yield port


@contextmanager
def alone(site: Site) -> Iterator[None]:
    """Nothing is scarce."""
    with site.server():
        yield


@contextmanager
def slow_processor(site: Site) -> Iterator[None]:
    with cgroup("server") as group:
        group.limit_processors(0.2)
        with site.server(group=group):
            yield


@contextmanager
def one_processor(site: Site) -> Iterator[None]:
    """Leave the other one to the generator."""
    with cgroup("server") as group:
        group.limit_processors(1)
        with site.server(group=group):
            yield


@contextmanager
def _on_disk(site: Site, limits: Mapping[str, int], settings: Mapping[str, str]) -> Iterator[None]:
    with disk(site.folder) as (mounted, device), cgroup("server") as group, site.server(settings, group, where=mounted):
        group.limit_disk(device, limits)
        yield


def slow_reads(site: Site) -> AbstractContextManager[None]:
    # Without the operating system's cache each read that misses the buffers reaches the disk.
    return _on_disk(site, {"riops": 500}, {"shared_buffers": "4MB", "debug_io_direct": "data"})


def slow_flushes(site: Site) -> AbstractContextManager[None]:
    return _on_disk(site, {"wiops": 30}, {})


def checkpoints(site: Site) -> AbstractContextManager[None]:
    settings = {"max_wal_size": "32MB", "min_wal_size": "32MB", "wal_compression": "off", "log_checkpoints": "on"}
    return _on_disk(site, {"wbps": 3_000_000}, settings)


@contextmanager
def locked_table(site: Site) -> Iterator[None]:
    with site.server() as port:
        login = f"user={site.loaded.user}&password={site.loaded.password}"
        command = [java(), "-cp", str(HOME / "app" / "lib" / "*"), SQL, _LOCK_AGAIN_AND_AGAIN]
        url = f"jdbc:postgresql://127.0.0.1:{port}/{site.data}?{login}"
        with started(command, site.folder / "locks.log", signal.SIGKILL, SQL_URL=url):
            yield


@contextmanager
def _far_away(
    site: Site, round_trip_seconds: float, client: Mapping[str, object] = MappingProxyType({})
) -> Iterator[None]:
    with site.server() as port, far(port, round_trip_seconds) as away:
        site.aim(away, client=client)
        yield


def few_workers(site: Site) -> AbstractContextManager[None]:
    return _far_away(site, 0.010)


def small_pool(site: Site) -> AbstractContextManager[None]:
    return _far_away(site, 0.005, {"pool-size": 2})


def hot_row(site: Site) -> AbstractContextManager[None]:
    return _far_away(site, 0.005)


@contextmanager
def watched(site: Site, look: Callable[[list[int]], None]) -> Iterator[None]:
    """Call a function again and again with the engines that make load at that time."""
    ended = Event()

    def watch() -> None:
        while not ended.wait(0.2):
            engines = [pid for pid, command in site.real.processes().items() if "ApacheJMeter.jar" in command]
            look([pid for pid in engines if _makes_load(pid)])

    thread = Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def slow_generator(site: Site) -> Iterator[None]:
    """Slow down the engine alone, and only once it makes load: its start would take minutes."""
    with site.server(), cgroup("load") as group:
        group.limit_processors(0.5)
        with watched(site, group.add_all):
            yield


def _makes_load(pid: int) -> bool:
    with suppress(OSError):
        return any("generator-0" in str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir())
    return False


@contextmanager
def narrow_link(site: Site) -> Iterator[tuple[Network, Host, Host]]:
    """Yield the network, and its hosts of the load and of the server."""
    network = Network()
    try:
        load, server = network.add("load", 1), network.add("server", 2)
        with site.server(host=server):
            tbf = ["tbf", "rate", "10mbit", "burst", "32kb", "latency", "200ms"]
            call("tc", "iproute2", "-n", server.namespace, "qdisc", "add", "dev", "eth0", "root", *tbf)
            site.real.prefix = tuple(load.command())
            yield network, load, server
    finally:
        site.real.prefix = ()
        network.close()


@contextmanager
def mongodb(site: Site) -> Iterator[None]:
    """Somebody else started it; the row loads its own data set, also after a run that was interrupted."""
    REPLICA_SET.write_target(site.real)
    with REPLICA_SET.mongo() as client:
        client.drop_database(DATABASE)
    code, output = site.real.run("load", "--target", TARGET, *DATA[site.data])
    assert code == 0, output
    yield
