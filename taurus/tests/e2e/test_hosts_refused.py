"""What is wrong with load hosts is said in one clear line each, before anything is loaded."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from tests.e2e.hosts_cluster import PORT, Cluster, Run
from tests.e2e.hosts_judges import finals
from tests.e2e.hosts_servers import PASSWORD_ENV, REDIS_PASSWORD_ENV, Redis
from tests.e2e.test_real import assert_code

pytestmark = pytest.mark.e2e


def refused(cluster: Cluster, code: int, *arguments: str, hosts: list[str] | None = None) -> Run:
    """Start a run that must be refused with a code, having left nothing and touched no document."""
    began = time.time()
    run = cluster.run("postgresql-hosts", *(on(hosts) if hosts else []), *arguments)
    assert run.code == code, run.output
    assert run.left == []
    assert cluster.database.statements(began) == [], "nothing may be loaded"
    return run


def on(hosts: list[str]) -> list[str]:
    """Return the options that choose load hosts."""
    return ["-o", f"target.load-hosts={json.dumps(hosts)}"]


def told(run: Run, *parts: str) -> None:
    """Expect one line that has all parts."""
    lines = run.output.splitlines()
    assert lines[0].startswith("shardload: ")
    assert [line for line in lines if all(part in line for part in parts)], run.output
    assert "Traceback" not in run.output and "Exception" not in run.output, run.output


def test_bad_lists_and_numbers(cluster: Cluster) -> None:
    first, second, _ = cluster.addresses
    for again in (first, f"{first}:{PORT}"):
        told(refused(cluster, 1, hosts=[first, second, again]), "target.load-hosts", first, "twice")
    told(refused(cluster, 1, hosts=[first, "nowhere.invalid"]), "target.load-hosts", "nowhere.invalid")
    few = refused(cluster, 1, "-o", "execution.0.concurrency=2")
    told(few, "execution.0.concurrency", "3 load hosts need at least 3 workers")
    both = ("-o", f"execution.0.distributed={json.dumps([second])}")
    told(refused(cluster, 1, *both), "execution.0.distributed", "load-hosts")


def test_another_redis_than_expected(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    redis = Redis(cluster.database.host, cluster.folder / "redis-wrong", cluster.keys)
    evicting = Redis(cluster.database.host, cluster.folder / "redis-evicting", cluster.keys, 6391, "allkeys-lru")
    try:
        for server, password, words in ((redis, "wrong", "password"), (evicting, evicting.password, "allkeys-lru")):
            monkeypatch.setitem(cluster.controller.environment, REDIS_PASSWORD_ENV, password)
            run = refused(cluster, 1, *server.as_options())
            told(run, "target.redis", words)
            assert password not in run.output
    finally:
        redis.stop()
        evicting.stop()


def test_a_missing_secret_is_named_with_its_host(cluster: Cluster) -> None:
    host = cluster.hosts[2]
    with host.restarted(without=PASSWORD_ENV):
        run = refused(cluster, 1)
    told(run, PASSWORD_ENV, host.address)
    for other in cluster.addresses[:2]:
        assert other not in run.output, "the others have it"


def test_an_engine_with_another_key_store_is_refused_in_one_line(cluster: Cluster, tmp_path: Path) -> None:
    host = cluster.hosts[1]
    with host.restarted(keys=cluster.make_keys(tmp_path / "other")):
        run = refused(cluster, 1)
    told(run, host.address, "key store")


@pytest.mark.long
def test_a_busy_and_a_dead_host_are_both_named_and_the_other_run_goes_on(cluster: Cluster) -> None:
    busy, idle, dead = cluster.hosts
    hold = {"execution.0.hold-for": "300s"}
    other = cluster.begin("postgresql-hosts", *on([busy.address, idle.address]), changes=hold)
    other.wait_for_load(2)
    dead.stop()
    try:
        run = cluster.run("noop-hosts", *on([busy.address, dead.address]))
        assert run.code == 2, run.output
        told(run, busy.address, "another test runs there")
        told(run, dead.address, "nothing listens there")
        assert other.left == [other.bundle], "the refused one left nothing"
        other.wait_for_load(other.merged_seconds() + 2)
    finally:
        dead.start()
    other.process.send_signal(signal.SIGTERM)
    assert_code(other.end().code, 2, other.output)
    assert other.read("outcome.json")["losses"] == []
    assert [line["stop_reason"] for line in finals(other.bundle, 2)] == ["stop"] * 2
