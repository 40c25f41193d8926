"""A real FerretDB 1.24 on an embedded PostgreSQL, both ending with the test."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shardload import child
from shardload.places import java

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


@contextmanager
def postgresql(home: Path, data: Path) -> Iterator[str]:
    """Start an embedded PostgreSQL and return its URL, with its password."""
    server = child.Child(child.command(java(), home, "512m"), data.parent / "postgresql.log", data.parent, Silent())
    try:
        request = {"config": {"target": {"embedded": "postgresql"}}, "data_directory": str(data)}
        started = server.call("start-embedded", request)
        password = Path(started["password_file"]).read_text(encoding="utf-8").strip().rpartition(":")[2]
        yield started["url"].replace("://", f"://{started['user']}:{password}@")
    finally:
        server.close()


@contextmanager
def ferretdb(home: Path, folder: Path) -> Iterator[str]:
    """Start a FerretDB and return its URL, which ends with a slash."""
    program = built()
    folder.mkdir()
    with postgresql(home, folder / "postgresql") as url, open(folder / "ferretdb.log", "wb") as log:
        server = subprocess.Popen(
            [program],
            env={"FERRETDB_POSTGRESQL_URL": url},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert server.stdin is not None and server.stdout is not None
        try:
            line = server.stdout.readline()
            assert line, (folder / "ferretdb.log").read_text()
            yield json.loads(line)["url"]
        finally:
            server.stdin.close()
            server.wait(20)
            server.stdout.close()
