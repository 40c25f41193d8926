"""Faults on schedule in runs with load hosts: the controller injects them, and the effect is that on all hosts."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from tests.e2e.hosts import faked_clock, wait_for
from tests.e2e.hosts_cluster import Cluster, Run
from tests.e2e.hosts_judges import assert_ledgers_close, assert_quiet, assert_sum_is_merged, ledger_of, lines
from tests.e2e.hosts_servers import REDIS_PASSWORD_ENV, Redis

pytestmark = [pytest.mark.e2e, pytest.mark.alone]
HOSTS = 3
VICTIM = 1
AT, WARM_UP = 5, 1
CHECKS = {"no-answer", "answers"}


def begin(cluster: Cluster, fault: str, seconds: float, *arguments: str, url: str = "", **execution: str) -> Run:
    """Start a run with one fault of the database, 5 s after the warm-up."""
    faults = [{"fault": fault, "at": f"{AT}s", "duration": f"{seconds}s"}]
    profile = {"execution": [{"concurrency": 9}], "faults": faults}
    (cluster.controller.root / "taurus" / "profiles" / "injured.yml").write_text(yaml.safe_dump(profile))
    target = {**cluster.database.as_target(), "faults": cluster.database.faults()}
    cluster.target("injured", "postgresql", **{**target, "url": url or cluster.database.url})
    changes: dict[str, str | None] = {f"execution.0.{key.replace('_', '-')}": value for key, value in execution.items()}
    changes |= {"execution.0.ramp-up": None, "reporting.1.criteria": None}
    return cluster.begin("injured-hosts", "--profile", "injured", "--allow-commands", *arguments, changes=changes)


def events(run: Run) -> dict[str, dict]:
    """Return the events of the fault; of checks the first that failed and the last that was answered."""
    told = [json.loads(line) for line in (run.bundle / "faults.jsonl").read_text().splitlines()]
    return {event["event"]: event for event in told}


def longest_gap(cluster: Cluster, since: float) -> tuple[float, float]:
    """Return the longest time without a statement of the load hosts, as the server's own log shows it."""
    found = cluster.database.statements(since)
    epochs = sorted(one.epoch for one in found if one.client in cluster.addresses)
    return max(pairwise(epochs), key=lambda pair: pair[1] - pair[0])


def start_of(run: Run) -> float:
    """Return when the load started."""
    return lines(run.bundle, "merged")[-1]["start_epoch_ms"] / 1000


def assert_effect(cluster: Cluster, run: Run, since: float, behind: float = 0) -> dict:
    """Expect that moment and length of the fault are those of the server's log, and that all hosts count.

    ``behind`` is how far the clock of the meeting point is behind.
    """
    (fault,) = run.read("summary.json")["faults"]
    assert fault["injected"], run.output
    last, first = longest_gap(cluster, since)
    assert abs(start_of(run) + behind + fault["begin_seconds"] - last) < 1, (fault, last - start_of(run))
    length = first - last
    assert 0.8 * length - 0.3 < fault["without_success_seconds"] < 1.25 * length + 1, (fault, length)
    hurt = [ledger_of(run.bundle, f"generator-{number}") for number in range(HOSTS)]
    errors = [one["failed"] + one["unknown"] for one in hurt]
    assert min(errors) > 0 and fault["failed"] + fault["unknown"] == sum(errors), (fault, errors)
    assert sum(fault["outcomes"].values()) == sum(errors)
    return fault


def kept(folder: Path, texts: list[str]) -> list[str]:
    """Return which of some texts are in the files of a folder."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return [text for text in texts if any(text.encode() in path.read_bytes() for path in files)]


def test_a_server_that_is_killed_comes_back_and_loses_nothing(cluster: Cluster) -> None:
    since = time.time()
    run = begin(cluster, "crash", 2, hold_for="9s", throughput="120")
    run.end()
    assert run.code in (0, 3), run.output  # a busy machine may not be back in time
    fault = assert_effect(cluster, run, since)
    assert fault["lost_writes"] == 0 and run.read("verification.json")["verdict"] == "clean", run.output
    told = events(run)
    assert [name for name in told if name not in CHECKS] == ["begin", "begun", "end", "ended"], told
    assert set(told) > CHECKS, "the server did not answer, and then it did"
    for event in told.values():
        assert abs(event["epoch_ms"] / 1000 - start_of(run) - event["load_ns"] / 1e9) < 0.1, "both clocks"
    assert 0 <= told["begin"]["load_ns"] / 1e9 - WARM_UP - AT < 1, "on schedule"
    assert_ledgers_close(run.bundle, HOSTS)
    assert_sum_is_merged(run.bundle, HOSTS)
    for host in cluster.hosts:
        assert kept(host.folder, [run.bundle.name, "postmaster.pid", cluster.database.password]) == [run.bundle.name]


@pytest.fixture
def url(cluster: Cluster) -> Iterator[str]:
    """Return the address of a database that may be left in any state."""
    cluster.database.execute("CREATE DATABASE hurt")
    yield cluster.database.url.rpartition("/")[0] + "/hurt"
    cluster.end_runs()
    cluster.database.execute("DROP DATABASE hurt WITH (FORCE)")


@pytest.fixture
def late_flush(cluster: Cluster) -> Iterator[None]:
    """Have the server acknowledge writes up to one and a half seconds before they are safe."""
    apply = "SELECT pg_reload_conf()"
    names = {"synchronous_commit": "off", "wal_writer_delay": "500ms"}
    cluster.database.execute(*(f"ALTER SYSTEM SET {name} = '{value}'" for name, value in names.items()), apply)
    yield
    cluster.database.execute(*(f"ALTER SYSTEM RESET {name}" for name in names), apply)


@pytest.mark.long
def test_lost_writes_have_their_moment_whatever_the_clocks_say(
    cluster: Cluster, url: str, late_flush: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One host's clock is 3 s ahead, and that of the user's Redis 5 s behind."""
    slow = {**faked_clock(), "FAKETIME": "-5s"}
    redis = Redis(cluster.database.host, cluster.folder / "redis-of-faults", cluster.keys, slow)
    monkeypatch.setitem(cluster.controller.environment, REDIS_PASSWORD_ENV, redis.password)
    fast = {**faked_clock(), "FAKETIME": "+3s"}
    try:
        with ExitStack() as stack:
            for number, host in enumerate(cluster.hosts):
                clock = fast if number == VICTIM else {}
                stack.enter_context(host.restarted({REDIS_PASSWORD_ENV: redis.password, **clock}))
            since = time.time()
            limits = ("-o", "execution.0.limits.lost=100000")
            run = begin(cluster, "crash", 2, *redis.as_options(), *limits, url=url, hold_for="12s", throughput="150")
            run.end()
    finally:
        redis.stop()
    assert run.code in (0, 3), run.output
    offsets = [facts["clock_offset_ms"] for facts in run.read("environment.json")["generators"]]
    assert [round(offset / 1000) for offset in offsets] == [5, 8, 5], offsets
    began = events(run)["begin"]
    assert abs(time.time() - began["epoch_ms"] / 1000) < time.time() - since, "the controller's clock"
    fault = assert_effect(cluster, run, since, behind=5)
    assert fault["lost_writes"] > 0, run.output
    assert -2.5 < fault["lost_from_seconds"] <= fault["lost_to_seconds"] < 0.5, fault
    assert run.read("verification.json")["counts"]["lost"] + run.read("verification.json")["counts"]["stale"] > 0


@pytest.mark.long
def test_a_host_that_dies_in_a_fault_is_silent_to_the_end(cluster: Cluster, url: str) -> None:
    since = time.time()
    run = begin(cluster, "freeze", 4, url=url, hold_for="14s", throughput="120", on_generator_loss="continue")
    begun = wait_for(lambda: run.left and (run.bundle / "faults.jsonl").exists() and events(run).get("begun"), "it")
    time.sleep(2)
    engine = cluster.hosts[VICTIM].engine()
    assert engine is not None and begun
    os.kill(engine, signal.SIGKILL)
    run.end()
    assert run.code == 5, run.output
    (fault,) = run.read("summary.json")["faults"]
    last, first = longest_gap(cluster, since)
    assert abs(fault["without_success_seconds"] - (first - last)) < 1, (fault, first - last)
    assert run.read("verification.json")["verdict"] == "clean", run.output


def frozen(cluster: Cluster) -> bool:
    """Tell whether the server stands still."""
    return "T" in Path(f"/proc/{cluster.database.pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.long
def test_ctrl_c_ends_the_fault_before_the_load_is_waited_for(cluster: Cluster, url: str) -> None:
    run = begin(cluster, "freeze", 60, url=url, hold_for="90s", throughput="120")
    wait_for(lambda: frozen(cluster), "the fault")
    time.sleep(1)
    stopped = time.time()
    os.kill(run.process.pid, signal.SIGINT)
    wait_for(lambda: not frozen(cluster), "its end", 5)
    run.end()
    assert run.code == 2, run.output
    assert [name for name in events(run) if name not in CHECKS] == ["begin", "begun", "end", "ended"]
    assert events(run)["end"]["epoch_ms"] / 1000 - stopped < 3, events(run)
    assert_quiet(cluster, stopped, 10)


@pytest.mark.long
def test_kill_9_of_the_controller_ends_the_fault(cluster: Cluster, url: str) -> None:
    """Its child is killed as well, so only the guard is left; the hosts stop by themselves."""
    run = begin(cluster, "freeze", 60, url=url, hold_for="90s", throughput="120")
    wait_for(lambda: frozen(cluster), "the fault")
    child = cluster.controller.pid_of("io.shardload.cli.Main")
    killed = time.time()
    os.kill(run.process.pid, signal.SIGKILL)
    os.kill(child, signal.SIGKILL)
    wait_for(lambda: not frozen(cluster), "its end", 5)
    run.end()
    assert [name for name in events(run) if name not in CHECKS] == ["begin", "begun"]
    assert_quiet(cluster, killed, 10)
