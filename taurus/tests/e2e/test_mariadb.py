"""Whole runs on a real MariaDB, which shardload fetches and starts."""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, RealCheckout
from tests.e2e.test_entity import lines_of
from tests.e2e.test_failover import free_port
from tests.e2e.test_real import assert_code

pytestmark = pytest.mark.e2e
BANK = ("--target", "embedded-mariadb", "--workload", "bank")
SHORT = ("--duration", "2s", "--concurrency", "2", "--rate", "50", "--allow-missed-criteria")


def link_mariadb(real: RealCheckout) -> RealCheckout:
    """Fetch the server's programs once for all tests, as its first use does, and link them into the checkout."""
    theirs = ROOT / ".shardload" / "data"
    with (ROOT / ".shardload" / "mariadb.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not any(theirs.glob("mariadb-*")):
            run = [str(ROOT / "shardload"), "workload", "check", "bank", "--target", "embedded-mariadb"]
            subprocess.run(run, check=True)
    for programs in theirs.glob("mariadb-*"):
        (real.root / ".shardload" / "data" / programs.name).symlink_to(programs)
    return real


@pytest.fixture
def shared(real: RealCheckout) -> RealCheckout:
    return link_mariadb(real)


@contextmanager
def started(data: Path) -> Iterator[str]:
    """Start the server on the data of the target, as a hand that goes past shardload; yield its JDBC URL."""
    port = free_port()
    (programs,) = (path.resolve() for path in data.parent.glob("mariadb-*"))
    command: list[str | Path] = [
        programs / "bin/mariadbd",
        "--no-defaults",
        f"--basedir={programs}",
        f"--datadir={data / 'data'}",
    ]
    command += [f"--lc-messages-dir={programs}/share", f"--character-sets-dir={programs}/share/charsets"]
    command += [f"--port={port}", "--bind-address=127.0.0.1", "--socket=", "--skip-ssl", "--skip-name-resolve"]
    command += ["--user=root"] if os.geteuid() == 0 else []
    with (data / "by-hand.log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
        secret = (data / "password").read_text().rsplit(":", 1)[1]
        try:
            yield f"jdbc:mariadb://127.0.0.1:{port}/shardload?sslMode=disable&user=shardload&password={secret}"
        finally:
            server.terminate()


def ask(url: str, *statements: str) -> list[str]:
    """Return the first column of what statements answer, once the server accepts connections."""
    program = ["java", "-cp", str(ROOT / ".shardload/app/lib/*"), str(Path(__file__).with_name("Sql.java"))]
    for _ in range(10):
        done = subprocess.run(
            [*program, *statements], env={**os.environ, "SQL_URL": url}, capture_output=True, text=True, check=False
        )
        if "Connection refused" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_transfer_that_somebody_deleted_is_lost(shared: RealCheckout) -> None:
    code, output = shared.run("workload", "check", "bank", "--target", "embedded-mariadb")
    assert_code(code, 0, output)
    code, output = shared.run("run", *BANK, *SHORT)
    assert " 0 wrong" in output, output
    with started(shared.root / ".shardload" / "data" / "embedded-mariadb") as url:
        (lost,) = ask(url, "SELECT min(id) FROM transfers", "DELETE FROM transfers ORDER BY id LIMIT 1")
    code, output = shared.run("verify", *BANK)
    assert_code(code, 4, output)
    assert f"lost: id {lost}, last known at edition 0" in lines_of(output)


def test_its_answers_are_those_of_postgresql(shared: RealCheckout) -> None:
    targets = "embedded-postgresql,embedded-mariadb"
    code, output = shared.run("parity", "--targets", targets, "--workload", "bank", "--calls", "20")
    assert_code(code, 0, output)
    assert "4 of 4 equal: embedded-postgresql, embedded-mariadb" in output
