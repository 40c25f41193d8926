"""The servers that load hosts share: a PostgreSQL whose log shows every statement, and a Redis with TLS."""

from __future__ import annotations

import os
import platform
import re
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.e2e.conftest import ROOT
from tests.e2e.ferretdb import postgresql
from tests.e2e.hosts import SUBNET, Host, end, wait_for

PASSWORD_ENV = "SHARDLOAD_HOSTS_PASSWORD"
REDIS_PASSWORD_ENV = "SHARDLOAD_HOSTS_REDIS_PASSWORD"
_PORT = 5432
_REDIS_PORT = 6390
# Every statement with time, client and process, but without parameters: they hold whole documents.
_SETTINGS = {
    "listen_addresses": "*",
    "port": str(_PORT),
    "max_connections": "100",
    "fsync": "off",
    "log_statement": "all",
    "log_parameter_max_length": "0",
    "log_line_prefix": "%n|%h|%p|",
    "log_min_messages": "log",
    "unix_socket_directories": "",
}
_WRITE = re.compile(r"\b(INSERT|UPDATE|DELETE|COPY|TRUNCATE)\b", re.IGNORECASE)
_ORDINARY_USER = ("unshare", "-U")  # PostgreSQL refuses to run as root
# $1 is the cluster's folder; what follows it starts the server again. Where nobody collects dead processes, PostgreSQL
# takes the dead one for alive.
_FAMILY = 'server=$(head -1 "$1/postmaster.pid"); all="$server $(cat /proc/$server/task/$server/children)"; '
_KILL = _FAMILY + 'kill -9 $all; for one in $all; do while [ -n "$(ls /proc/$one/fd 2>&-)" ]; do sleep 0.02; done; done'
_RESTART = 'rm -f "$1/postmaster.pid"; shift; log=$1; shift; setsid "$@" >>"$log" 2>&1 </dev/null &'


class Statement(NamedTuple):
    """A statement that reached the server."""

    epoch: float
    client: str
    process: int
    text: str

    @property
    def is_write(self) -> bool:
        return bool(_WRITE.search(self.text))

    @property
    def is_load(self) -> bool:
        """Tell whether it reads or writes documents."""
        return "data_table" in self.text


class Database:
    """A PostgreSQL on a host of its own."""

    def __init__(self, host: Host, folder: Path) -> None:
        self.host = host
        self._folder = folder
        self.url = f"postgresql://{host.address}:{_PORT}/shardload"
        folder.mkdir()
        with postgresql(ROOT / ".shardload", folder) as made:
            self.user, self.password = made.user, made.password
        (self._cluster,) = folder.glob("postgresql/cluster")
        (self._program,) = folder.glob("*/bin/postgres")
        with open(self._cluster / "pg_hba.conf", "a", encoding="utf-8") as access:
            access.write(f"\nhost all all {SUBNET}.0/24 scram-sha-256\n")
        self.log = folder / "statements.log"
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.host.start(self._command, self._folder, os.environ, self.log)
        wait_for(lambda: "ready to accept connections" in self._text(), "PostgreSQL")

    @property
    def pid(self) -> int:
        """The server's first process."""
        return int((self._cluster / "postmaster.pid").read_text().splitlines()[0])

    @property
    def _command(self) -> list[str]:
        settings = [part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}")]
        return [*_ORDINARY_USER, str(self._program), "-D", str(self._cluster), *settings]

    def faults(self) -> dict[str, dict[str, str]]:
        """Return what the file of a target says of faults: commands that hurt this server, and mend it."""

        def shell(script: str, *arguments: str) -> str:
            return shlex.join(["sh", "-c", script, "hurt", str(self._cluster), *arguments])

        again = shell(_RESTART, str(self.log), *self.host.command(*self._command))
        return {
            "crash": {"begin": shell(_KILL), "end": again},
            "freeze": {"begin": shell(_FAMILY + "kill -STOP $all"), "end": shell(_FAMILY + "kill -CONT $all")},
        }

    def _text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def statements(self, since_epoch: float = 0, client: str | None = None) -> list[Statement]:
        """Return what reached the documents since a time, of one client or of all."""
        found = []
        for line in self._text().splitlines():
            fields = line.split("|", 3)
            if len(fields) < 4 or not fields[0].replace(".", "").isdigit() or "LOG:" not in fields[3]:
                continue
            statement = Statement(float(fields[0]), fields[1], int(fields[2]), fields[3])
            if statement.epoch >= since_epoch and statement.is_load and client in (None, statement.client):
                found.append(statement)
        return found

    def as_target(self) -> dict[str, object]:
        """Return the keys of a target file."""
        # Everything happens within this machine; the server has no certificate.
        plain = {"ssl": "disable"}
        return {"url": self.url, "user": self.user, "password_env": PASSWORD_ENV, "options": plain}

    def clients(self) -> list[str]:
        """Return who is connected, once per connection."""
        return [connection.peer for connection in self.host.established(_PORT)]

    def execute(self, *statements: str) -> list[str]:
        """Run SQL on the server's own host; return the answers' first columns."""
        url = f"jdbc:{self.url}?user={self.user}&password={self.password}"
        java = shutil.which("java", path=f"{os.environ.get('JAVA_HOME', '')}/bin:{os.environ['PATH']}")
        program = [str(java), "-cp", str(ROOT / ".shardload/app/lib/*"), str(Path(__file__).with_name("Sql.java"))]
        command = self.host.command(*program, *statements)
        environment = {**os.environ, "SQL_URL": url}
        done = subprocess.run(command, env=environment, check=True, timeout=240, stdout=subprocess.PIPE, text=True)
        return done.stdout.splitlines()


class Redis:
    """A Redis of the user's, with TLS and a password, that keeps nothing on disk."""

    def __init__(self, host: Host, folder: Path, keys: Path, environment: Mapping[str, str] | None = None) -> None:
        self.host, self._folder, self._keys, self._port = host, folder, keys, _REDIS_PORT
        self._environment = {**os.environ, **(environment or {})}
        self.password = secrets.token_hex(16)
        self.url = f"rediss://{host.address}:{_REDIS_PORT}"
        folder.mkdir(exist_ok=True)
        self._program = _redis_program(folder)
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        """Start it, empty."""
        configuration = self._folder / "redis.conf"
        configuration.write_text(
            "\n".join(
                [
                    "port 0",
                    f"tls-port {self._port}",
                    f"bind {self.host.address}",
                    f"tls-cert-file {self._keys / 'redis.crt'}",
                    f"tls-key-file {self._keys / 'redis.key'}",
                    f"tls-ca-cert-file {self._keys / 'redis.crt'}",
                    "tls-auth-clients no",
                    f"requirepass {self.password}",
                    "maxmemory-policy noeviction",
                    'save ""',
                    "appendonly no",
                ]
            )
        )
        log = self._folder / "redis.log"
        self._process = self.host.start([str(self._program), str(configuration)], self._folder, self._environment, log)
        wait_for(lambda: any(s.port == self._port for s in self.host.listeners()), f"Redis, see {log}", 30)

    def as_options(self) -> tuple[str, ...]:
        """Return the options that make it the meeting point of a run."""
        return "-o", f"target.redis.url={self.url}", "-o", f"target.redis.password-env={REDIS_PASSWORD_ENV}"

    def kill(self) -> None:
        """Kill it without warning."""
        assert self._process is not None
        end([self._process.pid])
        self._process.wait()

    def stop(self) -> None:
        """End it at the end of a test."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(30)


def _redis_program(folder: Path) -> Path:
    target = folder / "redis-server"
    if not target.exists():
        (jar,) = (ROOT / ".shardload" / "app" / "lib").glob("embedded-redis-*.jar")
        with zipfile.ZipFile(jar) as packed:
            machine = "arm64" if platform.machine() == "aarch64" else "amd64"
            (name,) = [n for n in packed.namelist() if n.startswith("redis-server") and n.endswith(f"linux-{machine}")]
            target.write_bytes(packed.read(name))
        target.chmod(0o755)
    return target


_HANDSHAKES = """
import socket, ssl, sys
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
for endpoint in sys.argv[1:]:
    address, port = endpoint.split(":")
    try:
        with socket.create_connection((address, int(port)), 5) as plain, context.wrap_socket(plain):
            pass
    except OSError as error:
        print(endpoint, error)
"""


def without_tls(host: Host, endpoints: Sequence[str]) -> str:
    """Return which endpoints refuse a TLS handshake that a host begins, and why."""
    checks = host.start([sys.executable, "-c", _HANDSHAKES, *endpoints], Path("/"), os.environ)
    return checks.communicate(timeout=120)[0]
