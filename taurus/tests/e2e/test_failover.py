"""A PostgreSQL whose standby is promoted in the middle of a run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PATIENCE_SECONDS
from tests.e2e.conftest import ROOT, RealCheckout
from tests.e2e.ferretdb import Postgresql, postgresql
from tests.e2e.test_faults import family, send
from tests.e2e.test_real import assert_closed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
PASSWORD_ENV = "FAILOVER_PASSWORD"
HEADER = "SELECT concat_ws(' ', dirty_run, generation) FROM shardload_header"
ROWS = "SELECT count(*) FROM data_table"


def free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])


class Pair:
    """A primary and its streaming standby."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        with postgresql(ROOT / ".shardload", folder) as made:
            self.user, self.password = made.user, made.password
        (self._program,) = folder.glob("*/bin/postgres")
        self._home = folder / "postgresql"
        standby = folder / "standby"
        shutil.copytree(self._home / "cluster", standby, symlinks=True)
        (standby / "standby.signal").touch()
        self._ports = free_port(), free_port()
        self._processes: list[subprocess.Popen[bytes]] = []
        self.primary = self._start(0, self._home / "cluster")
        conninfo = f"host=127.0.0.1 port={self._ports[0]} user={self.user} passfile={self._home / 'pgpass'}"
        (standby / "postgresql.auto.conf").write_text(f"primary_conninfo = '{conninfo}'\n")
        self.standby = self._start(1, standby)
        self.await_answer(self.primary, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", "1")

    @property
    def url(self) -> str:
        """Return both hosts, the first first."""
        return "postgresql://" + ",".join(f"127.0.0.1:{port}" for port in self._ports) + "/shardload"

    def _start(self, index: int, cluster: Path) -> Postgresql:
        prefix = ["unshare", "-U"] if os.getuid() == 0 else []  # PostgreSQL refuses to run as root
        log = cluster.with_name(f"server{index}.log")
        with open(log, "wb") as output:
            command = [*prefix, str(self._program), "-D", str(cluster), "-c", f"port={self._ports[index]}"]
            self._processes.append(subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while b"ready to accept" not in log.read_bytes():
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        url = f"postgresql://127.0.0.1:{self._ports[index]}/shardload"
        return Postgresql(ROOT / ".shardload", url, self.user, self.password)

    @staticmethod
    def await_answer(server: Postgresql, question: str, answer: str) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while server.execute(question) != [answer]:
            assert time.monotonic() < deadline, question

    def confirm(self) -> None:
        """From now on no commit is acknowledged before the standby has it."""
        self.primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        self.await_answer(self.primary, "SELECT sync_state FROM pg_stat_replication", "sync")

    def cut_standby_off(self) -> None:
        """From now on the standby receives nothing: what the primary acknowledges is lost with it."""
        (written,) = self.primary.execute("SELECT pg_current_wal_lsn()")
        self.await_answer(self.standby, f"SELECT pg_last_wal_replay_lsn() >= '{written}'", "t")
        self.standby.execute("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
        self.await_answer(self.standby, "SELECT count(*) FROM pg_stat_wal_receiver", "0")

    def fail_over(self) -> None:
        """Kill the primary without warning, and promote the standby."""
        parent = self._processes[0]
        parent.send_signal(signal.SIGSTOP)  # first, so that no other child is born
        send(signal.SIGKILL, family(parent.pid))
        parent.wait(PATIENCE_SECONDS)
        self.standby.execute("SELECT pg_promote(true, 60)")

    def close(self) -> None:
        for process in self._processes[::-1]:
            process.terminate()
        for process in self._processes:
            process.wait(PATIENCE_SECONDS)


@pytest.fixture
def pair(tmp_path: Path, real: RealCheckout) -> Iterator[Pair]:
    made = Pair(tmp_path / "servers")
    real.target("pair", "postgresql", url=made.url, user=made.user, password_env=PASSWORD_ENV)
    real.environment[PASSWORD_ENV] = made.password
    yield made
    made.close()


def wait_for_the_hold(real: RealCheckout) -> None:
    """Wait until a second of the hold was written: calls that fail in the warm-up are in no result."""
    ledger = real.wait_for("checkout/runs/*/latencies/generator-0.jsonl")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while '"due":{"hold":' not in ledger.read_text():
        assert time.monotonic() < deadline, "no second of the hold"
        time.sleep(0.05)


def fail_over_in(real: RealCheckout, pair: Pair) -> tuple[int, str, dict, str]:
    """Let the standby take over in the middle of a run; return how the run ended, and when the standby took over."""
    process = real.start("run", "--target", "pair", *real.short(hold_for="60s", concurrency="4"))
    wait_for_the_hold(real)
    pair.fail_over()
    (promoted,) = pair.standby.execute("SELECT now()")
    code, output = real.end_of(process)
    summary = json.loads((real.latest / "summary.json").read_text())
    assert_closed(summary["ledger"])
    return code, output, summary, promoted


def test_a_run_goes_on_on_the_new_primary(real: RealCheckout, pair: Pair) -> None:
    real.run("load", "--target", "pair", *real.small)
    pair.confirm()
    code, output, summary, promoted = fail_over_in(real, pair)
    assert summary["verification"]["verdict"] == "clean", output
    assert code in (0, 3) or "generator-bound: " in output, output
    ledger = summary["ledger"]
    assert ledger["failed"] + ledger["unknown"] > 0 and ledger["done"] > 500, output
    rows, later, header = pair.standby.execute(ROWS, f"{ROWS} WHERE updated > '{promoted}'", HEADER)
    assert int(rows) == summary["verification"]["walked"]
    assert int(later) > 50, output
    assert header == " 1"


def test_a_run_that_the_new_primary_has_not_heard_of_ends_and_is_judged(real: RealCheckout, pair: Pair) -> None:
    real.run("load", "--target", "pair", *real.small)
    pair.cut_standby_off()
    code, output, summary, _ = fail_over_in(real, pair)
    assert code == 4, output
    assert "the database has lost the run's mark" in output
    assert f"the database had lost the mark of run {real.latest.name} on the data set" in output
    assert summary["verification"]["counts"]["lost"] > 0, output
    # Nothing was written to the new primary but the header.
    rows, updated, header = pair.standby.execute(ROWS, f"{ROWS} WHERE edition > 0", HEADER)
    assert (rows, updated, header) == ("5000", "0", f"{real.latest.name} 0")
    code, output = real.run("run", "--target", "pair", *real.short())
    assert code == 1 and "the data set is dirty" in output, output
