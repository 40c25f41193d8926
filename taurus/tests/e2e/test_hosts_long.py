"""What goes wrong on load hosts and between them, for real; what is promised counts from each event."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.e2e.hosts import command_of, faked_clock
from tests.e2e.hosts_cluster import Cluster, LoadHost, Run
from tests.e2e.hosts_judges import assert_quiet, assert_sound, assert_stopped, finals, lines
from tests.e2e.hosts_servers import REDIS_PASSWORD_ENV, Redis

pytestmark = [pytest.mark.e2e, pytest.mark.long]
LONG = {"execution.0.hold-for": "90s"}
VICTIM = 1
# A statement that each worker may have sent before its lease ran out.
ON_THEIR_WAY = 3
MEBIBYTE = 1 << 20


def begin(cluster: Cluster, *arguments: str) -> Run:
    run = cluster.begin("postgresql-hosts", *arguments, changes=LONG)
    run.wait_for_load()
    return run


def engine_of(host: LoadHost) -> int:
    found = host.engine()
    assert found is not None
    return found


def assert_true(run: Run) -> dict:
    """Expect a verification that accuses nobody."""
    verification = run.read("verification.json")
    assert verification["verdict"] == "clean", run.output
    return verification


def assert_next_run_works(cluster: Cluster) -> None:
    cluster.settle()
    again = cluster.run("postgresql-hosts")
    assert assert_sound(again)["verification"]["verdict"] == "clean", again.output


def writes_of_victim(cluster: Cluster, since: float) -> list[str]:
    found = cluster.database.statements(since, cluster.addresses[VICTIM])
    return [statement.text for statement in found if statement.is_write]


def test_a_stopped_engine_that_comes_back_writes_nothing_more(cluster: Cluster) -> None:
    run = begin(cluster)
    engine = engine_of(cluster.hosts[VICTIM])
    stopped = time.time()
    os.kill(engine, signal.SIGSTOP)
    time.sleep(7)
    back = time.time()
    os.kill(engine, signal.SIGCONT)
    run.end()
    assert run.code == 5, run.output
    assert_stopped(cluster, run, stopped, lost=VICTIM)
    cluster.hosts[VICTIM].wait_for_engine(other_than=engine)
    assert writes_of_victim(cluster, back) == []
    assert_true(run)
    assert_next_run_works(cluster)


def test_a_link_that_is_down_for_seven_seconds(cluster: Cluster) -> None:
    run = begin(cluster)
    victim = cluster.hosts[VICTIM]
    engine = engine_of(victim)
    cut = time.time()
    victim.host.cut()
    time.sleep(7)
    back = time.time()
    victim.host.mend()
    run.end()
    assert run.code == 5, run.output
    assert_stopped(cluster, run, cut, lost=VICTIM)
    victim.wait_for_engine(other_than=engine)
    assert len(writes_of_victim(cluster, back)) <= ON_THEIR_WAY
    assert_true(run)
    assert_next_run_works(cluster)


def test_a_link_that_stays_down(cluster: Cluster) -> None:
    run = begin(cluster)
    victim = cluster.hosts[VICTIM]
    engine = engine_of(victim)
    cut = time.time()
    victim.host.cut()
    run.end()
    assert run.code == 5, run.output
    assert_stopped(cluster, run, cut, lost=VICTIM)
    assert_true(run)
    victim.wait_for_engine(other_than=engine)  # it ends by itself, without hearing from anybody
    assert_next_run_works(cluster)


def test_a_killed_controller(cluster: Cluster) -> None:
    run = begin(cluster)
    engines = [engine_of(host) for host in cluster.hosts]
    killed = time.time()
    os.kill(run.process.pid, signal.SIGKILL)
    run.end()
    for host, engine in zip(cluster.hosts, engines):
        host.wait_for_engine(other_than=engine)
    assert_quiet(cluster, killed, 10)
    assert cluster.controller.wait_until_gone() == []
    collect(cluster, run)
    assert run.read("summary.json")["verification"] is None, "nobody has verified it yet"
    settle_by_hand(cluster)
    summary = run.read("summary.json")
    assert summary["verification"]["verdict"] == "clean"
    assert not any("not verified" in reason for reason in summary["verdict"]["reasons"]), summary["verdict"]
    assert "writes were not verified" not in (run.bundle / "report.html").read_text()
    assert_next_run_works(cluster)


def collect(cluster: Cluster, run: Run) -> None:
    """Bring the hosts' folders together into the bundle."""
    name = run.bundle.name
    copies = [shutil.copytree(host.run_folder(name), cluster.folder / "copies" / name / host.host.name)
              for host in cluster.hosts]  # fmt: skip
    code, output = cluster.controller.run("collect", name, *map(str, copies))
    assert code == 0, output
    assert len(finals(run.bundle, 3)) == 3


def settle_by_hand(cluster: Cluster) -> None:
    """Settle the data set as the refusal of a next run suggests."""
    refusal = cluster.run("postgresql-hosts")
    assert refusal.code == 1 and "is dirty" in refusal.output, refusal.output
    first = next(line for line in refusal.output.splitlines() if line.startswith("    "))
    code, output = cluster.controller.run(*shlex.split(first)[1:])
    assert code == 0, output


def test_a_killed_redis(cluster: Cluster) -> None:
    run = begin(cluster)
    redis = next(pid for pid in cluster.controller.host.pids() if "/redis-server" in command_of(pid).split()[0])
    killed = time.time()
    os.kill(redis, signal.SIGKILL)
    run.end()
    assert run.code in (2, 5), run.output
    assert_quiet(cluster, killed, 10)
    assert "Redis" in run.output or "meeting point" in run.output
    assert "Traceback" not in run.output
    collect(cluster, run)
    assert_true(run)
    assert_next_run_works(cluster)


@contextmanager
def redis_of_the_user(cluster: Cluster) -> Iterator[Redis]:
    redis = Redis(cluster.database.host, cluster.folder / "redis", cluster.keys)
    try:
        yield redis
    finally:
        redis.stop()


def test_a_redis_that_comes_back_empty(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    with redis_of_the_user(cluster) as redis, ExitStack() as stack:
        monkeypatch.setitem(cluster.controller.environment, REDIS_PASSWORD_ENV, redis.password)
        for host in cluster.hosts:
            stack.enter_context(host.restarted(environment={REDIS_PASSWORD_ENV: redis.password}))
        run = begin(cluster, *redis.as_options())
        killed = time.time()
        redis.kill()
        redis.start()
        run.end()
    assert run.code in (2, 5), run.output
    assert_quiet(cluster, killed, 10)
    collect(cluster, run)
    assert_true(run)
    assert_next_run_works(cluster)


def test_a_clock_that_is_three_seconds_off(cluster: Cluster) -> None:
    fake = {**faked_clock(), "FAKETIME": "+3s"}
    with cluster.hosts[VICTIM].restarted(environment=fake):
        run = cluster.run("postgresql-hosts")
    assert assert_sound(run)["verification"]["verdict"] == "clean"
    offsets = [facts["clock_offset_ms"] for facts in run.read("environment.json")["generators"]]
    own = offsets.pop(VICTIM)
    assert all(abs(own - other - 3000) < 500 for other in offsets), (own, offsets)
    starts = [line["start_epoch_ms"] for line in finals(run.bundle, 3)]
    assert max(starts) - min(starts) < 100, "one clock counts"


def test_a_clock_that_steps_in_mid_run(cluster: Cluster, tmp_path: Path) -> None:
    clock = tmp_path / "clock"
    clock.write_text("+0s\n")
    fake = {**faked_clock(), "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1"}
    changes = {"execution.0.hold-for": "15s"}
    with cluster.hosts[VICTIM].restarted(environment=fake):
        run = cluster.begin("postgresql-hosts", changes=changes)
        run.wait_for_load(4)
        clock.write_text("-20s\n")
        run.wait_for_load(8)
        clock.write_text("+20s\n")
        run.end()
    assert assert_sound(run)["verification"]["verdict"] == "clean"
    epochs = [line["epoch_ms"] for line in lines(run.bundle, f"generator-{VICTIM}") if "epoch_ms" in line]
    assert epochs == sorted(epochs) and epochs[-1] - epochs[0] < 30_000, "times are the meeting point's"


def test_a_disk_that_fills_up(cluster: Cluster) -> None:
    victim = cluster.hosts[VICTIM]
    runs = victim.folder / "runs"
    runs.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "shardload-test", str(runs)], check=True)
    try:
        with victim.restarted():
            run = begin(cluster)
            # Little enough for the run to stop, and enough for what it still has to write.
            free = shutil.disk_usage(runs).free
            (runs / "filler").write_bytes(b"\0" * (free - 40 * MEBIBYTE))
            run.end()
            assert run.code in (2, 5), run.output
            assert victim.address in run.output and "disk" in run.output
            final = lines(run.bundle, f"generator-{VICTIM}")[-1]
            assert final["stop_reason"] == "disk-full"
            assert_true(run)
            (runs / "filler").unlink()
            cluster.settle()
    finally:
        subprocess.run(["umount", "--lazy", str(runs)], check=True)
    assert_next_run_works(cluster)
