"""What each row makes for one run: servers with nothing on them, and the file of their target with its fault."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import yaml

from tests.e2e.conftest import ROOT, RealCheckout, options
from tests.e2e.ferretdb import above
from tests.e2e.hosts import Network
from tests.e2e.real.servers import DATABASE, REPLICA_SET, port_of
from tests.e2e.real.servers import Server as Running
from tests.e2e.real.test_faults_mongodb import addresses, members, settle
from tests.e2e.test_failover import free_port
from tests.e2e.test_mariadb import ask
from tests.losses.servers import PASSWORD, USER, Disk, Postgresql, Server, disk, mariadb, run

_PASSWORD_ENV = "LOSSES_PASSWORD"
_UNSYNCED = "lose-unsynced"
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
# As docs/faults.md has them.
COMMANDS = {
    "split": {"begin": "ip -n {} link set eth0 down", "end": "ip -n {} link set eth0 up"},
    "slow-link": {
        "begin": "tc -n {} qdisc add dev eth0 root tbf rate 1mbit burst 32kbit latency 400ms",
        "end": "tc -n {} qdisc del dev eth0 root",
    },
}


class Site(NamedTuple):
    """Where a run takes place."""

    real: RealCheckout
    folder: Path

    def target(self, like: str, url: str, faults: Mapping[str, Mapping[str, str]]) -> list[str]:
        """Write the file of a target and return the options that choose it."""
        self.real.environment[_PASSWORD_ENV] = PASSWORD
        has_login = like != "ferretdb"
        login = {"user": USER if has_login else None, "password_env": _PASSWORD_ENV if has_login else None}
        self.real.target("mine", like, url=url, faults=faults, **login)
        return ["--target", "mine", "--allow-commands"]


def _embedded(site: Site, kind: str, settings: Mapping[str, str]) -> list[str]:
    for old in (site.real.root / ".shardload" / "data").glob(f"embedded-{kind}*"):
        shutil.rmtree(old)
    given = {f"target.embedded-settings.{key}": value for key, value in settings.items()}
    return ["--target", f"embedded-{kind}", *options({"target.embedded-disk": "1GiB", **given})]


@contextmanager
def embedded_postgresql(site: Site, settings: Mapping[str, str]) -> Iterator[list[str]]:
    """Let shardload start it and inject the fault."""
    yield _embedded(site, "postgresql", settings)


@contextmanager
def embedded_mariadb(site: Site, settings: Mapping[str, str]) -> Iterator[list[str]]:
    """Let shardload start it and inject the fault."""
    yield _embedded(site, "mariadb", settings)


def programs() -> Path:
    """Return the folder of the programs of the embedded PostgreSQL."""
    (folder,) = (ROOT / ".shardload" / "data").glob("postgresql-*/bin")
    return folder


def debian_programs() -> Path:
    """Return the folder of the programs of Debian's newest PostgreSQL."""
    return max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))


def kill_and_stop(**servers: Server) -> dict[str, dict[str, str]]:
    """Return what kills and what stops each of some servers, by names such as ``kill-primary``."""
    kills = {f"kill-{name}": {"begin": server.kill, "end": server.start} for name, server in servers.items()}
    stops = {f"stop-{name}": {"begin": server.stop, "end": server.go_on} for name, server in servers.items()}
    return {**kills, **stops}


def _unsynced(own: Disk, server: Server) -> dict[str, dict[str, str]]:
    return {_UNSYNCED: {"begin": own.lose(server), "end": server.start}}


@contextmanager
def _on_a_disk(folder: Path, where: Path, settings: Mapping[str, str]) -> Iterator[tuple[Server, Disk]]:
    with disk(folder) as own:
        server = Postgresql(where).make(own.mounted / "cluster", settings)
        try:
            own.flush()
            yield server, own
        finally:
            server.close()


@contextmanager
def debian_postgresql(site: Site, settings: Mapping[str, str]) -> Iterator[list[str]]:
    """Start Debian's on a disk of its own."""
    with _on_a_disk(site.folder, debian_programs(), settings) as (server, own):
        url = f"postgresql://127.0.0.1:{server.port}/shardload"
        yield site.target("postgresql", url, _unsynced(own, server))


@contextmanager
def debian_mariadb(site: Site, settings: Mapping[str, str]) -> Iterator[list[str]]:
    """Start Debian's on a disk of its own."""
    with disk(site.folder) as own:
        server = mariadb(own.mounted / "data", settings)
        try:
            own.flush()
            url = f"mariadb://127.0.0.1:{server.port}/shardload"
            yield site.target("mariadb", url, _unsynced(own, server))
        finally:
            server.close()


@contextmanager
def ferretdb(site: Site, settings: Mapping[str, str]) -> Iterator[list[str]]:
    """Start FerretDB on a PostgreSQL that has a disk of its own.

    It writes less in a second than a PostgreSQL: with the default delay of 0.2 s a run may lose nothing by chance.
    """
    with _on_a_disk(site.folder, programs(), {"wal_writer_delay": "1s", **settings}) as (server, own):
        below = f"postgres://{USER}:{PASSWORD}@127.0.0.1:{server.port}/shardload"
        with above(below, site.folder / "ferretdb.log") as url:
            yield site.target("ferretdb", f"{url}shardload", _unsynced(own, server))


class Pair(NamedTuple):
    """A primary and a standby."""

    primary: Server
    standby: Server
    cut: str
    promote: str

    @property
    def hosts(self) -> str:
        """Return both hosts, the primary first."""
        return f"127.0.0.1:{self.primary.port},127.0.0.1:{self.standby.port}"

    @property
    def fail_over(self) -> str:
        """Return the script that lets the standby take over: it was cut off for half a second."""
        return f"set -e; {self.cut}; {self.primary.kill}; {self.promote}"


@contextmanager
def pair(folder: Path, settings: Mapping[str, str]) -> Iterator[Pair]:
    """Start a primary with a standby; ``synchronous_standby_names`` says whether commits wait for it."""
    made = Postgresql(programs())
    with ExitStack() as ending:
        primary = made.make(folder / "primary", {})
        ending.callback(primary.close)
        standby = made.standby(folder / "standby", folder / "primary", primary)
        ending.callback(standby.close)
        # Only now: without a standby nothing would be committed.
        made.follow(primary, settings)
        yield Pair(primary, standby, made.cut_off(folder / "standby", standby), made.promote(folder / "standby"))


@contextmanager
def standby(site: Site, settings: Mapping[str, str]) -> Iterator[list[str]]:
    """Start a primary with a standby that takes over."""
    with pair(site.folder, settings) as both:
        faults = {"fail-over": {"begin": both.fail_over, "end": "true"}}
        yield site.target("postgresql", f"postgresql://{both.hosts}/shardload", faults)


@contextmanager
def ferretdb_standby(site: Site, settings: Mapping[str, str]) -> Iterator[list[str]]:
    """Start FerretDB on a primary with a standby that takes over."""
    with pair(site.folder, settings) as both:
        below = f"postgres://{USER}:{PASSWORD}@{both.hosts}/shardload?target_session_attrs=read-write"
        with above(below, site.folder / "ferretdb.log") as url:
            faults = {"fail-over": {"begin": both.fail_over, "end": "true"}}
            yield site.target("ferretdb", f"{url}shardload", faults)


@contextmanager
def network(site: Site, settings: Mapping[str, str]) -> Iterator[list[str]]:
    """Start a PostgreSQL and shardload on two hosts in network namespaces, and injure the link between them."""
    hosts = Network()
    server = None
    try:
        load, other = hosts.add("load", 1), hosts.add("server", 2)
        server = Postgresql(programs()).on_host(site.folder / "cluster", other)
        site.real.prefix = tuple(load.command())
        (kind,) = settings
        faults = {kind: {key: command.format(other.namespace) for key, command in COMMANDS[kind].items()}}
        chosen = site.target("postgresql", f"postgresql://{other.address}:{server.port}/shardload", faults)
        yield [*chosen, *options({"target.options.ssl": "disable"})]
    finally:
        site.real.prefix = ()
        if server:
            server.close()
        hosts.close()


@contextmanager
def delay(site: Site) -> Iterator[list[str]]:
    """Put a proxy between the load and a PostgreSQL, and let it delay what the server says."""
    server = Postgresql(programs()).make(site.folder / "cluster", {})
    folder, api, port = Path(os.environ["SHARDLOAD_TOXIPROXY"]), free_port(), free_port()
    proxy = subprocess.Popen(
        [folder / "toxiproxy-server", "-port", str(api)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        client = f"'{folder}/toxiproxy-cli' --host http://127.0.0.1:{api}"
        made = f"{client} create --listen 127.0.0.1:{port} --upstream 127.0.0.1:{server.port} database"
        run(f"until {client} list; do sleep 0.1; done; {made}")
        late = "--toxicName late --type latency --attribute latency=50"
        faults = {
            "delay": {
                "begin": f"{client} toxic add {late} database",
                "end": f"{client} toxic remove --toxicName late database",
            }
        }
        yield site.target("postgresql", f"postgresql://127.0.0.1:{port}/shardload", faults)
    finally:
        proxy.kill()
        proxy.wait()
        server.close()


@contextmanager
def clock(site: Site) -> Iterator[list[str]]:
    """Start a PostgreSQL whose clock goes as a file says."""
    file = site.folder / "clock"
    file.write_text("+0\n")
    environment = {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_NO_CACHE": 1}
    environment["FAKETIME_DONT_FAKE_MONOTONIC"] = 1
    prefix = ["env", *(f"{key}={value}" for key, value in environment.items())]
    server = Postgresql(programs()).make(site.folder / "cluster", {}, prefix)
    try:
        for seconds in (3600, 0):
            file.write_text(f"+{seconds}\n")
            (now,) = ask(Postgresql.url(server.port), "SELECT extract(epoch FROM clock_timestamp())::bigint")
            assert abs(int(now) - time.time() - seconds) < 60, "the server's clock does not follow the file"
        loaded = f"grep --quiet libfaketime /proc/$(cat '{server.pid}')/maps"
        begin = f"{loaded} || {{ echo the server has not loaded libfaketime; exit 1; }}; echo +3600 > '{file}'"
        faults = {"clock": {"begin": begin, "end": f"echo +0 > '{file}'"}}
        yield site.target("postgresql", f"postgresql://127.0.0.1:{server.port}/shardload", faults)
    finally:
        server.close()


def write_target(real: RealCheckout, faults: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Write the file of the target for the replica set and return the options that choose it."""
    REPLICA_SET.write_target(real)
    path = real.root / "taurus" / "targets" / "mine.yml"
    content = yaml.safe_load(path.read_text())
    content["target"]["faults"] = dict(faults)
    path.write_text(yaml.safe_dump(content))
    return ["--target", "mine", "--allow-commands"]


@contextmanager
def mongodb(site: Site, settings: Mapping[str, str]) -> Iterator[list[str]]:
    """Let the primary stand alone for two seconds before it is killed: the others do not have its last writes."""
    with REPLICA_SET.mongo() as client:
        client.drop_database(DATABASE)
    states = members(REPLICA_SET, addresses(REPLICA_SET)[0])
    first = Running(port_of(states["PRIMARY"][0]))
    others = " ".join(str(Running(port_of(address)).pid) for address in states["SECONDARY"])
    begin = f"kill -STOP {others}; sleep 2; kill -KILL {first.pid}; kill -CONT {others}"
    chosen = write_target(site.real, {"fail-over": {"begin": begin, "end": "true"}})
    try:
        given = {f"target.options.{key}": value for key, value in settings.items()}
        yield [*chosen, *options(given)]
    finally:
        first.start()
        settle(REPLICA_SET)
