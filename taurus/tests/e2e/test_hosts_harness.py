"""The small network that the tests of load hosts run in does what they rely on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.hosts import PREFIX, SUBNET, Host, Network, faketime, ip, remove_leftovers, wait_for
from tests.e2e.hosts_servers import Database, without_tls

pytestmark = pytest.mark.e2e
LISTEN = """
import socket, sys, time
kept = socket.create_server((sys.argv[1], 7000)), socket.socket(type=socket.SOCK_DGRAM)
kept[1].bind((sys.argv[1], 7001))
print("up", flush=True)
time.sleep(600)
"""
CONNECT = "import socket,sys; socket.create_connection((sys.argv[1], 7000), 1)"
SPIN = "import time; end=time.monotonic()+2\nwhile time.monotonic()<end: pass\nprint(time.process_time())"
CLOCK = "import time; print(time.time(), time.monotonic())"


@pytest.fixture
def network() -> Iterator[Network]:
    made = Network()
    yield made
    made.close()


def python(host: Host, program: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return host.start([sys.executable, "-c", program, *arguments], Path("/"), {**os.environ, **environment})


def reaches(host: Host, address: str) -> bool:
    return python(host, CONNECT, address).wait(30) == 0


def test_links_sockets_and_the_end_of_everything(network: Network) -> None:
    one, other = network.add("one", 1), network.add("other", 2)
    for address in (one.address, "0.0.0.0"):
        server = python(one, LISTEN, address)
        assert server.stdout.readline() == "up\n"
        assert [(found.address, found.port) for found in one.listeners()] == [(address, 7000), (address, 7001)]
        assert [found.is_open_to_all for found in one.listeners()] == [address == "0.0.0.0"] * 2
        assert reaches(other, one.address)
        one.cut()
        assert not reaches(other, one.address)
        one.mend()
        wait_for(lambda: reaches(other, one.address), "the link")
        one.kill()
        assert one.pids() == [] and server.poll() is not None
    assert SUBNET not in ip("address") + ip("route"), "the machine's own network stays as it was"


def test_a_quota_and_a_faked_clock(network: Network) -> None:
    slow = network.add("slow", 1)
    shell = slow.start(["sh", "-c", f"sleep 1; exec '{sys.executable}' -c '{SPIN}'"], Path("/"), os.environ)
    with slow.cpu_quota(0.2):
        used = float(shell.communicate(timeout=60)[0])
    assert used < 1, "two seconds of work at a fifth of a core"
    fake = {"LD_PRELOAD": faketime(), "FAKETIME": "+3s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    before, monotonic = time.time(), time.monotonic()
    told, steady = python(slow, CLOCK, **fake).communicate(timeout=60)[0].split()
    assert 3 <= float(told) - before < 60
    assert 0 <= float(steady) - monotonic < 60


def test_leftovers_of_a_killed_run_are_removed() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    name = f"{PREFIX}{gone.pid}-left"
    ip("netns", "add", name)
    remove_leftovers()
    assert name not in ip("netns", "list")


def test_every_statement_is_seen_with_its_client(network: Network, tmp_path: Path) -> None:
    database = Database(network.add("database", 20), tmp_path / "database")
    assert database.execute("CREATE TABLE data_table (a int)", "INSERT INTO data_table VALUES (1)") == []
    between = time.time()
    assert database.execute("SELECT a FROM data_table") == ["1"]
    assert [(s.client, s.is_write) for s in database.statements()][-2:] == [
        ("10.197.0.20", True),
        ("10.197.0.20", False),
    ]
    assert [s.is_write for s in database.statements(between)] == [False]
    assert database.statements(client="10.197.0.9") == []
    wait_for(lambda: database.clients() == [], "the end of the connections")
    assert "10.197.0.20:5432" in without_tls(database.host, ["10.197.0.20:5432"])
