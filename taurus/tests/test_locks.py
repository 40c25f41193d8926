"""Names of locks: two targets of one cluster share one, two of different clusters none."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from shardload.verbs.ci import locks
from shardload.verbs.ci.locks import addresses_of, lock_names

NAMES = {
    "db1": ["10.0.0.1"],
    "db1.example": ["10.0.0.1", "fd00::1"],
    "me.example": ["10.0.0.99"],
    "localhost": ["::1", "127.0.0.1"],
    "alias.of.me": ["127.0.1.1"],
}
HERE = {"shardload-10.0.0.99", "shardload-local-agent1"}


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine be Agent1, with one address of its own."""
    monkeypatch.setattr(socket, "gethostname", lambda: "Agent1")
    monkeypatch.setattr(locks, "is_local", lambda address: address == "10.0.0.99")
    monkeypatch.setattr(locks, "route_to", lambda address: "10.0.0.99")


def resolve(name: str) -> list[str]:
    is_address = name.replace(".", "").isdigit() or ":" in name
    return [name] if is_address else NAMES.get(name, [])


def names(**section: Any) -> list[str]:
    return sorted(lock_names({"driver": "x", "load-hosts": [], **section}, resolve))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("x://10.0.0.1:5432/db", ["10.0.0.1"]),
        ("x://DB1:5432/db", ["10.0.0.1"]),
        ("x://db1.Example.:27017,10.0.0.2/other?a=b", ["10.0.0.1", "10.0.0.2", "fd00::1"]),
        ("x://[FD00:0:0::1]:5432/db", ["fd00::1"]),
        ("x://[::ffff:10.0.0.1]/db", ["10.0.0.1"]),
        ("x://user@db1/db", ["10.0.0.1"]),
        ("x://Unknown.Example.:1/db", ["unknown.example"]),
        ("x://127.0.0.1:1/db", ["10.0.0.99", "local-agent1"]),
        ("x://[::1]:1/db", ["10.0.0.99", "local-agent1"]),
        ("x://alias.of.me/db", ["10.0.0.99", "local-agent1"]),
        ("x://0.0.0.0/db", ["10.0.0.99", "local-agent1"]),
        ("x://me.example/db", ["10.0.0.99", "local-agent1"]),
    ],
)
def test_a_machine_has_the_same_names_however_it_is_written(url: str, expected: list[str]) -> None:
    assert names(url=url) == [f"shardload-{name}" for name in expected]


def test_servers_load_hosts_and_redis_are_locked() -> None:
    target = {
        "url": "x://10.0.0.1/db",
        "hosts": [{"host": "10.0.0.7:9100", "role": "shard"}, {"host": "db1", "role": "router"}],
        "load-hosts": ["10.9.0.2", "10.9.0.10:2099"],
        "redis": {"url": "rediss://10.0.0.3:6379"},
        "metrics": {"url": "http://10.0.0.4:8428"},
    }
    expected = ["10.0.0.1", "10.0.0.3", "10.0.0.7", "10.9.0.10", "10.9.0.2"]
    assert names(**target) == [f"shardload-{name}" for name in expected]


def test_without_load_hosts_the_load_is_made_here() -> None:
    assert lock_names({"driver": "x"}, resolve) == HERE
    assert lock_names({"driver": "x", "embedded": "y", "url": "x://10.0.0.1/db"}, resolve) == HERE
    assert lock_names({"driver": "x", "url": "x://10.0.0.1/db"}, resolve) == {"shardload-10.0.0.1", *HERE}


def test_names_are_looked_up() -> None:
    assert addresses_of("127.0.0.1") == ["127.0.0.1"]
    assert set(addresses_of("localhost")) <= {"127.0.0.1", "::1"} and addresses_of("localhost")
    assert addresses_of("no-such-host.invalid") == [] == addresses_of("x" * 300)
