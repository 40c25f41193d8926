"""Members of a MongoDB that are killed, stepped down or frozen, and chunks that move, in the middle of a run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pymongo.errors
import pytest

from tests.e2e.conftest import RealCheckout
from tests.e2e.real.runs import Runs
from tests.e2e.real.servers import DATABASE, REPLICA_SET, SHARDED, Server, System, port_of, wait_for

pytestmark = pytest.mark.real
# A new primary is elected after ten seconds at the earliest that the members agree on.
LONGER = ("-o", "execution.0.hold-for=30s")


def members(system: System, address: str) -> dict[str, list[str]]:
    """Return a replica set's members by their states."""
    with system.direct(address) as client:
        found: dict[str, list[str]] = {}
        for member in client.admin.command("replSetGetStatus")["members"]:
            found.setdefault(member["stateStr"], []).append(member["name"])
        return found


def addresses(system: System) -> list[str]:
    """Return the hosts of the URL."""
    return system.url.split("://")[1].split("/")[0].rpartition("@")[2].split(",")


def largest_shard(system: System) -> list[str]:
    """Return the members of the shard with the most members."""
    with system.mongo() as client:
        hosts = [shard["host"] for shard in client.admin.command("listShards")["shards"]]
    return max(hosts, key=lambda host: host.count(",")).partition("/")[2].split(",")


def members_under_load(system: System) -> list[str]:
    """Return the members of the replica set, or of the largest shard."""
    return addresses(system) if system is REPLICA_SET else largest_shard(system)


def primary(system: System) -> str:
    """Return the address of the primary that gets writes."""
    return members(system, members_under_load(system)[0])["PRIMARY"][0]


def kill_the_primary(system: System) -> Callable[[], None]:
    """Return what brings it back."""
    server = Server(port_of(primary(system)))
    server.kill()
    return server.start


def step_down(system: System) -> Callable[[], None]:
    """Make the primary a secondary for a while."""
    with system.direct(primary(system)) as client, suppress(pymongo.errors.AutoReconnect):
        client.admin.command("replSetStepDown", 20, force=True)
    return lambda: None


def settle(system: System) -> None:
    """Wait until the member of the highest priority is the primary, and all others are secondaries."""

    def is_whole() -> bool:
        with suppress(pymongo.errors.PyMongoError):
            each = members_under_load(system)
            states = members(system, each[0])
            with system.direct(each[0]) as client:
                config = client.admin.command("replSetGetConfig")["config"]["members"]
            highest = max(member["priority"] for member in config)
            preferred = [member["host"] for member in config if member["priority"] == highest]
            others = len(states.get("SECONDARY", []))
            return others == len(each) - 1 and any(one in preferred for one in states.get("PRIMARY", []))
        return False

    wait_for(is_whole, "the members do not agree")


@pytest.mark.parametrize("retries", ["false", "true"])
@pytest.mark.parametrize("act", [kill_the_primary, step_down])
@pytest.mark.parametrize("system", [REPLICA_SET, SHARDED], ids=["replica-set", "sharded"])
def test_no_write_is_lost_in_a_failover(
    real: RealCheckout, system: System, act: Callable[[System], Callable[[], None]], retries: str
) -> None:
    runs = Runs(real, system)
    back: list[Callable[[], None]] = []
    try:
        summary = runs.load(lambda: back.append(act(system)), *LONGER, "-o", f"target.options.retry-writes={retries}")
    finally:
        for start in back:
            start()
        settle(system)
    runs.assert_nothing_wrong(summary)


def rolled_back(log: Path, since: int) -> int:
    """Return how many operations the server rolled back, as its log says."""
    text = log.read_bytes()[since:].decode(errors="replace")
    (found,) = re.findall(r"[Rr]ollback summary[^\n]*(?:\n[^\n]*){0,30}", text)
    return sum(int(number) for number in re.findall(r"(?:insert|update|delete): (\d+)", found))


def test_every_write_that_a_rollback_took_back_is_named(real: RealCheckout) -> None:
    """Acknowledged by one member while the others stood still, and lost with it: ``w: 1`` promises no more."""
    runs = Runs(real, REPLICA_SET)
    states = members(REPLICA_SET, addresses(REPLICA_SET)[0])
    first = Server(port_of(states["PRIMARY"][0]))
    others = [Server(port_of(address)) for address in states["SECONDARY"]]
    log = Path(first.command[first.command.index("--logpath") + 1])
    begin = log.stat().st_size

    def strand() -> None:
        for other in others:
            other.freeze()
        time.sleep(3)
        first.kill()
        for other in others:
            other.thaw()
        wait_for(lambda: "PRIMARY" in members(REPLICA_SET, f"127.0.0.1:{others[0].port}"), "nobody is elected")
        first.start()

    try:
        summary = runs.load(strand, *LONGER, "-o", "target.options.write-concern=1")
    finally:
        for server in others:
            server.thaw()
        first.start()
        settle(REPLICA_SET)
    counts = summary["verification"]["counts"]
    taken_back = rolled_back(log, begin)
    assert taken_back > 0
    found = counts["lost"] + counts["resurrected"] + counts["stale"]
    # A call of unknown outcome may have been taken back as well.
    assert found <= taken_back <= found + summary["ledger"]["unknown"], (counts, taken_back)
    assert summary["verdict"]["code"] == 4


def test_a_killed_router_loses_nothing(real: RealCheckout) -> None:
    runs = Runs(real, SHARDED)
    if len(addresses(SHARDED)) < 2:
        pytest.skip("not run: the URL names one router")
    router = Server(port_of(addresses(SHARDED)[1]))
    try:
        summary = runs.load(router.kill)
    finally:
        router.start()
    runs.assert_nothing_wrong(summary)


def test_a_killed_config_server_loses_nothing(real: RealCheckout) -> None:
    runs = Runs(real, SHARDED)
    with SHARDED.mongo() as client:
        config = client.admin.command("getShardMap")["map"]["config"].partition("/")[2].split(",")[0]
    server = Server(port_of(config))

    def restart() -> None:
        server.kill()
        time.sleep(3)
        server.start()

    summary = runs.load(restart)
    runs.assert_nothing_wrong(summary)


def clean_up_at_once() -> None:
    """Let a chunk come back to where it was without waiting a quarter of an hour for the cleaning up behind it."""
    with SHARDED.mongo() as client:
        shards = [shard["host"].partition("/")[2].split(",") for shard in client.admin.command("listShards")["shards"]]
    for address in (address for shard in shards for address in shard):
        with SHARDED.direct(address) as member:
            member.admin.command("setParameter", 1, orphanCleanupDelaySecs=1)


@pytest.mark.parametrize("key", ["hashed", "id-filter1"])
def test_a_chunk_that_moves_takes_all_its_documents_along(real: RealCheckout, key: str) -> None:
    clean_up_at_once()
    runs = Runs(real, SHARDED)
    words = ["-o", f"schema.shard-key={key}"]
    if key != "hashed":
        words += ["-o", "schema.index=ascending", "-o", "schema.initial-chunks=4"]
    runs.call("load", "--recreate", *words, expected=0)
    moved: list[dict[str, Any]] = []

    def move() -> None:
        namespace = f"{DATABASE}.data_table"
        with SHARDED.mongo() as client:
            collection = client["config"]["collections"].find_one({"_id": namespace}) or {}
            one = (
                client["config"]["chunks"].find_one({"$or": [{"ns": namespace}, {"uuid": collection.get("uuid")}]})
                or {}
            )
            shards = [each["_id"] for each in client.admin.command("listShards")["shards"]]
            to = next(name for name in shards if name != one["shard"])
            client.admin.command("moveChunk", namespace, bounds=[one["min"], one["max"]], to=to)
            moved.append({"from": one["shard"], "to": to})

    summary = runs.load(move, *words)
    runs.assert_nothing_wrong(summary)
    assert f"{moved[0]['from']} to {moved[0]['to']}" in summary["output"]
