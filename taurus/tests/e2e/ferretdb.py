"""A real FerretDB 1.24 on an embedded PostgreSQL, both ending with the test."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from shardload.config.places import java
from shardload.processes import child
from tests.conftest import PATIENCE_SECONDS

PROGRAM = "SHARDLOAD_FERRETDB"


class Silent:
    """Hears what a child tells and keeps it to itself."""

    def progress(self, what: str, done: int, total: int, unit: str) -> None:
        """Tell nobody."""

    def note(self, text: str) -> None:
        """Tell nobody."""


def built() -> str:
    """Return the program that the launcher has built."""
    program = os.environ.get(PROGRAM, "")
    if not Path(program).is_file():
        pytest.fail(f"{PROGRAM} names no FerretDB: ./shardload test e2e builds it, with Go 1.21 or newer (go.dev/dl)")
    return program


class Postgresql(NamedTuple):
    """A running PostgreSQL."""

    home: Path
    url: str
    user: str
    password: str

    def execute(self, *statements: str) -> list[str]:
        """Run hand-written SQL with the JDBC driver that the launcher has built; return the answers' first columns."""
        url = f"jdbc:{self.url}?user={self.user}&password={self.password}"
        program = [java(), "-cp", str(self.home / "app" / "lib" / "*"), str(Path(__file__).with_name("Sql.java"))]
        environment = {**os.environ, "SQL_URL": url}
        done = subprocess.run(
            [*program, *statements],
            env=environment,
            check=True,
            timeout=PATIENCE_SECONDS,
            stdout=subprocess.PIPE,
            text=True,
        )
        return done.stdout.splitlines()

    def beside(self, database: str) -> Postgresql:
        """Create another database on the same server."""
        self.execute(f"CREATE DATABASE {database}")
        return self._replace(url=f"{self.url.rpartition('/')[0]}/{database}")


def link_programs(home: Path, folder: Path) -> None:
    """Link PostgreSQL's programs to where a server is to start: they are unpacked once, for all tests."""
    data = home / "data"
    data.mkdir(exist_ok=True)
    if not any(data.glob("postgresql-*")):
        with TemporaryDirectory(prefix="unpacking-", dir=data) as first:
            with _started(home, Path(first)):
                (programs,) = Path(first).glob("postgresql-*")
            with suppress(OSError):  # another process was faster
                programs.rename(data / programs.name)
    for programs in data.glob("postgresql-*"):
        (folder / programs.name).symlink_to(programs)


@contextmanager
def postgresql(home: Path, folder: Path) -> Iterator[Postgresql]:
    """Start an embedded PostgreSQL that runs by itself, as a server of the user's would."""
    link_programs(home, folder)
    with _started(home, folder) as server:
        yield server


@contextmanager
def _started(home: Path, folder: Path) -> Iterator[Postgresql]:
    server = child.Child(child.command(java(), home, "512m"), folder / "postgresql.log", folder, Silent())
    try:
        request = {"config": {"target": {"embedded": "postgresql"}}, "data_directory": str(folder / "postgresql")}
        started = server.call("start-embedded", request)
        password = Path(started["password_file"]).read_text(encoding="utf-8").strip().rpartition(":")[2]
        yield Postgresql(home, started["url"], started["user"], password)
    finally:
        server.close()


@contextmanager
def ferretdb(home: Path, folder: Path) -> Iterator[str]:
    """Start a FerretDB on a PostgreSQL of its own and return its URL, which ends with a slash."""
    folder.mkdir()
    with postgresql(home, folder) as below:
        login = below.url.replace("://", f"://{below.user}:{below.password}@")
        with above(login, folder / "ferretdb.log") as url:
            yield url


@contextmanager
def above(url: str, log: Path) -> Iterator[str]:
    """Start a FerretDB on a PostgreSQL and return its URL, which ends with a slash."""
    with open(log, "wb") as errors:
        server = subprocess.Popen(
            [built()],
            env={"FERRETDB_POSTGRESQL_URL": url},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert server.stdin is not None and server.stdout is not None
        try:
            line = server.stdout.readline()
            assert line, log.read_text()
            yield json.loads(line)["url"]
        finally:
            server.stdin.close()
            server.wait(PATIENCE_SECONDS)
            server.stdout.close()
