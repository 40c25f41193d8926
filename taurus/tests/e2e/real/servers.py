"""Servers that somebody else started, named by environment variables, and their processes on this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymongo
import pytest
import yaml

from tests.conftest import PATIENCE_SECONDS
from tests.e2e.conftest import ROOT, RealCheckout
from tests.e2e.ferretdb import Postgresql

DATABASE = "shardload_test_real"
PASSWORD_ENV = "REAL_PASSWORD"
Mongo = pymongo.MongoClient[dict[str, Any]]


@dataclass(frozen=True)
class System:
    """A system by the target that is shipped for it.

    ``<variable>_URL``, ``_USER`` and ``_PASSWORD`` name one; ``_CA`` is a file with its authority, where it wants TLS.
    """

    target: str
    variable: str

    def _value(self, part: str) -> str:
        return os.environ.get(f"{self.variable}_{part}", "")

    @property
    def is_sql(self) -> bool:
        """Whether its database must exist, and a hand that goes past the code under test writes SQL."""
        return self.target in ("citus", "mariadb")

    @property
    def url(self) -> str:
        """Return the servers' URL; a test on a system that nobody named is listed as not run."""
        url = self._value("URL")
        if not url:
            pytest.skip(f"not run: {self.variable}_URL names no server")
        # MongoDB makes databases by itself.
        return url if self.is_sql else f"{url.rstrip('/')}/{DATABASE}"

    def write_target(self, real: RealCheckout) -> None:
        """Write the target file ``mine``: the shipped one with this address and login."""
        user = self._value("USER")
        shipped = yaml.safe_load((real.root / "taurus" / "targets" / f"{self.target}.yml").read_text())
        options = shipped["target"]["options"]
        if ca := self._value("CA"):
            options |= {"ssl": "verify-full", "ssl-root-certificate": ca}
        login = {"user": user or None, "password_env": PASSWORD_ENV if user else None}
        real.target("mine", self.target, url=self.url, options=options, **login)
        real.environment[PASSWORD_ENV] = self._value("PASSWORD")

    def mongo(self) -> Mongo:
        """Connect as the user; the name of a replica set is not needed."""
        return pymongo.MongoClient(self.url, **self._login(), serverSelectionTimeoutMS=60_000)

    def direct(self, address: str) -> Mongo:
        """Connect to one member."""
        host, _, port = address.partition(":")
        return pymongo.MongoClient(host, int(port), directConnection=True, **self._login())

    def _login(self) -> dict[str, Any]:
        user, ca = self._value("USER"), self._value("CA")
        login = {"username": user, "password": self._value("PASSWORD")} if user else {}
        return {**login, "tls": True, "tlsCAFile": ca} if ca else login

    @property
    def sql(self) -> Postgresql:
        """A hand that goes past the code under test."""
        return Postgresql(ROOT / ".shardload", self.url, self._value("USER") or "shardload", self._value("PASSWORD"))


REPLICA_SET = System("mongodb-replica-set", "SHARDLOAD_TEST_MONGODB_REPLICA_SET")
SHARDED = System("mongodb-sharded", "SHARDLOAD_TEST_MONGODB_SHARDED")
FERRETDB = System("ferretdb", "SHARDLOAD_TEST_FERRETDB")
CITUS = System("citus", "SHARDLOAD_TEST_CITUS")
MARIADB = System("mariadb", "SHARDLOAD_TEST_MARIADB")
SYSTEMS = (REPLICA_SET, SHARDED, FERRETDB, CITUS, MARIADB)


class Server:
    """A server's process on this machine, found by the port on which it listens."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.pid = listener(port)
        if not self.pid:
            pytest.skip(f"not run: nothing on this machine listens on port {port}, so nothing can be killed")
        folder = Path(f"/proc/{self.pid}")
        self.command = [part.decode() for part in (folder / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")]
        entries = (folder / "environ").read_bytes().split(b"\0")
        self.environment = {
            key.decode(): value.decode() for key, _, value in (entry.partition(b"=") for entry in entries)
        }
        self._where = (folder / "cwd").readlink()
        self._program = (folder / "exe").readlink()
        self._owner = folder.stat()

    def kill(self) -> None:
        """End it without warning, and wait until its port is free."""
        os.kill(self.pid, signal.SIGKILL)
        wait_for(lambda: not listener(self.port), f"port {self.port} is still taken")

    def freeze(self) -> None:
        """Stop it without an end."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)

    def start(self) -> None:
        """Start it again as it was; PostgreSQL refuses until all its old processes are gone."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (pid := listener(self.port)):
            assert time.monotonic() < deadline, self.command
            process = subprocess.Popen(
                self.command,
                executable=self._program,
                cwd=self._where,
                env={key: value for key, value in self.environment.items() if key},
                user=self._owner.st_uid,
                group=self._owner.st_gid,
                extra_groups=[],
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            while process.poll() is None and not listener(self.port):
                time.sleep(0.2)
            time.sleep(0.5)
        self.pid = pid


def listener(port: int) -> int:
    """Return the process that listens on a port of this machine, 0 if there is none."""
    lines = subprocess.run(["ss", "-Hltnp", f"sport = :{port}"], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = re.search(r"pid=(\d+)", lines)
    return int(found[1]) if found else 0


def wait_for(condition: Any, what: str) -> None:
    """Wait until something is true."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def port_of(address: str) -> int:
    """Return the port of ``host:port``."""
    return int(address.rpartition(":")[2])
