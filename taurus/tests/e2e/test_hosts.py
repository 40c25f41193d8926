"""Three load hosts offer one load: what one host would do, divided, with one merged truth."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

from tests.e2e.hosts import wait_for
from tests.e2e.hosts_cluster import GENTLE, PORT, Cluster
from tests.e2e.hosts_judges import (
    assert_ledgers_close,
    assert_rate,
    assert_sound,
    assert_stopped,
    assert_sum_is_merged,
    begun,
    finals,
    lines,
)
from tests.e2e.hosts_servers import without_tls
from tests.e2e.machine import Machine, assert_sampled

# Rates within one percent, and what has to be noticed within six seconds.
pytestmark = [pytest.mark.e2e, pytest.mark.alone]
HOSTS = 3


def test_three_hosts_do_what_one_host_does(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy compiler would prolong the warm-up, which makes a longer plan: this JVM has none.
    with monkeypatch.context() as patch:
        patch.setitem(cluster.controller.environment, "JDK_JAVA_OPTIONS", "-Xint")
        alone = cluster.run("noop-here")
    assert_sound(alone)
    plan = begun(alone.bundle, 1)
    before = Machine.now()
    run = cluster.begin("postgresql-hosts")
    run.wait_for_load(2)
    run.end()
    summary = assert_sound(run)
    after = Machine.now()
    for number in range(HOSTS):
        assert_sampled(lines(run.bundle, f"generator-{number}"), before, after, seconds=5)
    assert begun(run.bundle, HOSTS) == plan, "one plan, whatever the target"
    assert_rate(run.bundle, summary, float(GENTLE["execution.0.throughput"]), 5)
    assert_ledgers_close(run.bundle, HOSTS)
    assert_sum_is_merged(run.bundle, HOSTS)
    facts = json.loads((run.bundle / "environment.json").read_text())["generators"]
    assert [fact["host"].partition(":")[0] for fact in facts] == cluster.addresses
    assert summary["verification"]["verdict"] == "clean", run.output
    assert_loaded_by(cluster, cluster.addresses)


def test_all_hosts_prolong_the_warm_up_together(cluster: Cluster) -> None:
    """The first host has both compilers, which are busy for seconds; the others may be done at once."""
    shape = {"execution.0.warm-up": "3s", "execution.0.hold-for": "2s", "execution.0.concurrency": "3"}
    without = {"execution.0.throughput": None, "execution.0.ramp-up": None}
    with cluster.hosts[0].restarted({"JDK_JAVA_OPTIONS": ""}):
        run = cluster.run("noop-hosts", "--profile", "closed", changes={**shape, **without})
    summary = assert_sound(run)
    (prolonged,) = {line["prolonged_ns"] for line in (*finals(run.bundle, HOSTS), lines(run.bundle, "merged")[-1])}
    assert prolonged in (1e9, 2e9, 3e9)
    begin = 3 * 10**9 + prolonged
    assert [line["segments_ns"]["hold"] for line in finals(run.bundle, HOSTS)] == [[begin, begin + 2 * 10**9]] * HOSTS
    assert summary["warm_up"]["seconds"] == begin / 1e9 and summary["warm_up"]["prolonged_seconds"] == prolonged / 1e9
    assert summary["steps"][0]["seconds"] == 2 and not summary["steps"][0]["cut"]
    assert "warm-up prolonged to 0:04: the JIT compiler takes " in run.output
    assert_ledgers_close(run.bundle, HOSTS)
    assert_sum_is_merged(run.bundle, HOSTS)


def assert_sockets(cluster: Cluster) -> None:
    """Expect that everything listens on one address with TLS, and that the controller has no port for JMeter."""
    controller = cluster.controller.host
    open_ports = {host: host.listeners() for host in (controller, *(each.host for each in cluster.hosts))}
    for host, found in open_ports.items():
        assert [socket for socket in found if socket.is_open_to_all] == [], host.name
        assert {socket.address for socket in found} <= {host.address, "127.0.0.1"}, host.name
    reachable = {host: {s.port for s in found if s.address == host.address} for host, found in open_ports.items()}
    meeting_points = reachable.pop(controller)
    assert all(ports == {PORT, PORT + 1} for ports in reachable.values()), reachable
    assert len(meeting_points) == 1, "others reach the Redis on the controller, and nothing else"
    peers = {connection.peer for connection in controller.established(*meeting_points)}
    assert set(cluster.addresses) <= peers, "the generators meet there"
    everything = {**reachable, controller: meeting_points}
    assert without_tls(controller, [f"{h.address}:{port}" for h, ports in everything.items() for port in ports]) == ""
    plain = f"{cluster.database.host.address}:5432"
    assert plain in without_tls(controller, [plain]), "a port without TLS is found"


def assert_loaded_by(cluster: Cluster, addresses: list[str]) -> None:
    """Expect that each load host wrote, and that none is connected any more."""
    written = {statement.client for statement in cluster.database.statements() if statement.is_write}
    assert set(addresses) <= written
    wait_for(lambda: not set(addresses) & set(cluster.database.clients()), "the end of the connections")


def test_a_killed_engine_ends_the_run_and_the_next_one_works(cluster: Cluster) -> None:
    run = cluster.begin("postgresql-hosts", changes={"execution.0.hold-for": "120s"})
    run.wait_for_load()
    # Here, because this run does not end before all sockets have been tried.
    assert_sockets(cluster)
    victim = cluster.hosts[1]
    engine = victim.engine()
    assert engine is not None
    killed = time.time()
    os.kill(engine, signal.SIGKILL)
    run.end()
    assert run.code == 5, run.output
    assert_stopped(cluster, run, killed, lost=1)
    assert run.read("verification.json")["verdict"] == "clean", run.output
    assert f"{victim.address}:{PORT}" in run.output
    victim.wait_for_engine(other_than=engine)
    again = cluster.run("postgresql-hosts")
    assert assert_sound(again)["verification"]["verdict"] == "clean"
