"""Servers with a disk or a standby of their own, and the shell commands that injure them, as users have them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tests.bottlenecks.limits import call
from tests.conftest import PATIENCE_SECONDS
from tests.e2e.hosts import Host
from tests.e2e.test_failover import free_port
from tests.e2e.test_mariadb import ask

USER, PASSWORD = "shardload", "known-answers"
# PostgreSQL refuses to run as root.
_NOBODY = ("unshare", "--user")


class Server:
    """A server that a shell starts, kills and starts again."""

    def __init__(self, folder: Path, name: str, command: Sequence[str | Path], port: int) -> None:
        self.port = port
        self.pid, self._log = folder / f"{name}.pid", folder / f"{name}.log"
        words = shlex.join(str(word) for word in command)
        # A shell that does not wait for it keeps no pipe of the caller open.
        self.start = f"setsid {words} >>'{self._log}' 2>&1 </dev/null & echo $! >'{self.pid}'"
        # The parent stops first, so that no further child is born.
        self.stop = f"pid=$(cat '{self.pid}'); kill -STOP $pid; all=\"$pid $(pgrep -P $pid || true)\"; kill -STOP $all"
        self.go_on = f"pid=$(cat '{self.pid}'); kill -CONT $(pgrep -P $pid) $pid"
        self.finish = f"pid=$(cat '{self.pid}'); kill -INT $pid; while kill -0 $pid 2>/dev/null; do sleep 0.02; done"
        self.end = "kill -KILL $all; while kill -0 $pid 2>/dev/null; do sleep 0.02; done"

    @property
    def kill(self) -> str:
        """Return what ends all its processes without warning."""
        return f"{self.stop}; {self.end}"

    def begin(self) -> None:
        """Start it the first time and wait until it accepts connections."""
        self._log.touch()
        run(self.start)
        try:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while b" ready " not in self._log.read_bytes():
                assert time.monotonic() < deadline, self._log.read_text()
                time.sleep(0.05)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End it, whatever state it is in."""
        with suppress(AssertionError, OSError):
            run(f"if kill -0 $(cat '{self.pid}'); then {self.kill}; fi")


def run(script: str) -> None:
    """Run a script as shardload runs the commands of a target."""
    done = subprocess.run(
        ["sh", "-c", script], stdout=-1, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_SECONDS
    )
    assert done.returncode == 0, f"{script}: {done.stdout}"


class Disk(NamedTuple):
    """A file system in a file, to which its loop device writes directly."""

    image: Path
    mounted: Path

    def attach(self) -> str:
        """Return the script that mounts it."""
        device = f"$(losetup --find --show --direct-io=on '{self.image}')"
        return f"mount {device} '{self.mounted}'"

    def detach(self) -> str:
        """Return the script that unmounts it, although its users may still have it open."""
        loops = f"$(losetup --noheadings --output NAME --associated '{self.image}')"
        return f"devices={loops}; umount --lazy '{self.mounted}'; losetup --detach $devices"

    def flush(self) -> None:
        """Flush what the set-up of a server has left to the kernel."""
        call("sync", "coreutils", "--file-system", str(self.mounted))

    def lose(self, server: Server) -> str:
        """Return the script that kills the server and takes away what it has not flushed.

        While the kernel writes by itself, a copy is of no moment: it is made again.
        """
        device = f"$(basename $(losetup --noheadings --output NAME --associated '{self.image}'))"
        written = "$(awk '{print $5, $9}' /sys/block/" + device + "/stat)"
        copy = f"cp --sparse=always '{self.image}' '{self.image}.copy'"
        again = f'until before="{written}"; {copy}; [ "$before" = "{written}" ]; do :; done'
        swap = f"{self.detach()}; mv '{self.image}.copy' '{self.image}'; {self.attach()}"
        return f"set -e; {server.stop}; {again}; {server.end}; {swap}"


@contextmanager
def disk(folder: Path) -> Iterator[Disk]:
    """Make and mount a disk of 1 GiB."""
    made = Disk(folder / "disk.img", folder / "disk")
    made.mounted.mkdir()
    made.image.touch()
    os.truncate(made.image, 1 << 30)
    call("mkfs.ext4", "e2fsprogs", "-q", "-F", str(made.image))
    run(made.attach())
    try:
        yield made
    finally:
        run(made.detach())


class Postgresql:
    """How a PostgreSQL is made from the programs of a folder."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs

    def make(self, data: Path, settings: Mapping[str, str], prefix: Sequence[str] = ()) -> Server:
        """Make a cluster and its server, and start it; the prefix starts its command."""
        password = data.with_name("password")
        password.write_text(PASSWORD)
        words = [f"--pgdata={data}", f"--username={USER}", f"--pwfile={password}", "--auth=scram-sha-256"]
        self._call("initdb", *words, "--encoding=UTF8", "--no-locale")
        server = self.server(data, settings, prefix=prefix)
        server.begin()
        ask(self.url(server.port, "postgres"), "CREATE DATABASE shardload")
        return server

    def server(self, data: Path, settings: Mapping[str, str], name: str = "", prefix: Sequence[str] = ()) -> Server:
        """Return the server of a cluster; the prefix starts its command."""
        port = free_port()
        given = {"port": port, "unix_socket_directories": "", "max_connections": 200, **settings}
        words = [word for key, value in given.items() for word in ("-c", f"{key}={value}")]
        command: list[str | Path] = [*prefix, *_nobody(), self._programs / "postgres", "-D", data, *words]
        return Server(data.parent, name or data.name, command, port)

    def on_host(self, data: Path, host: Host) -> Server:
        """Make a cluster and start its server on a host in a network namespace."""
        run(self.make(data, {}).finish)
        with (data / "pg_hba.conf").open("a") as access:
            access.write("host all all samenet scram-sha-256\n")
        server = self.server(data, {"listen_addresses": host.address}, host.name, host.command())
        server.begin()
        return server

    def standby(self, data: Path, cluster: Path, primary: Server) -> Server:
        """Make a standby that follows a primary, and start it."""
        run(primary.finish)
        shutil.copytree(cluster, data, symlinks=True)
        run(primary.start)
        (data / "standby.signal").touch()
        where = f"host=127.0.0.1 port={primary.port} user={USER} password={PASSWORD} application_name={data.name}"
        (data / "postgresql.auto.conf").write_text(f"primary_conninfo = '{where}'\n")
        server = self.server(data, {})
        server.begin()
        return server

    def follow(self, primary: Server, settings: Mapping[str, str]) -> None:
        """Change settings of a primary and wait until its standby has what they ask of it."""
        changes = [f"ALTER SYSTEM SET {key} = '{value}'" for key, value in settings.items()]
        ask(self.url(primary.port), *changes, "SELECT pg_reload_conf()")
        state = "sync" if settings["synchronous_standby_names"] else "async"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while ask(self.url(primary.port), "SELECT sync_state FROM pg_stat_replication") != [state]:
            assert time.monotonic() < deadline, f"no standby is {state}"

    def cut_off(self, data: Path, standby: Server) -> str:
        """Return the script after which a standby receives nothing."""
        return f"echo > '{data}/postgresql.auto.conf'; kill -HUP $(cat '{standby.pid}'); sleep 0.5"

    def promote(self, data: Path) -> str:
        """Return the script that makes a standby the primary."""
        return shlex.join([*_nobody(), str(self._programs / "pg_ctl"), "promote", "-D", str(data)])

    @staticmethod
    def url(port: int, database: str = "shardload") -> str:
        """Return the URL for a hand that goes past shardload."""
        return f"jdbc:postgresql://127.0.0.1:{port}/{database}?user={USER}&password={PASSWORD}"

    def _call(self, program: str, *words: str) -> None:
        done = subprocess.run([*_nobody(), self._programs / program, *words], stdout=-1, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout.decode()


def mariadb(data: Path, settings: Mapping[str, str]) -> Server:
    """Make the data of Debian's MariaDB and its server, and start it."""
    where = [f"--datadir={data}", *(["--user=root"] if os.geteuid() == 0 else [])]
    call("mariadb-install-db", "mariadb-server", "--no-defaults", "--skip-test-db", *where)
    login = f"'{USER}'@'%' IDENTIFIED BY '{PASSWORD}'"
    first = data.with_name("first.sql")
    first.write_text(
        f"CREATE DATABASE IF NOT EXISTS shardload;\nCREATE USER IF NOT EXISTS {login};\n"
        f"GRANT ALL ON *.* TO '{USER}'@'%';\n"
    )
    port = free_port()
    command = ["mariadbd", "--no-defaults", *where, f"--port={port}", "--bind-address=127.0.0.1", "--socket="]
    command += ["--skip-name-resolve", "--max-connections=200", f"--init-file={first}", f"--tmpdir={data.parent}"]
    command += [f"--{key}={value}" for key, value in settings.items()]
    server = Server(data.parent, data.name, command, port)
    server.begin()
    return server


def _nobody() -> tuple[str, ...]:
    return _NOBODY if os.geteuid() == 0 else ()
