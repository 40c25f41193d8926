"""Ten minutes of transfers while servers die at random; afterwards somebody else counts the money."""

from __future__ import annotations

import json
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

import pymongo
import yaml

from tests.e2e.ferretdb import above
from tests.e2e.real.servers import DATABASE, REPLICA_SET, Mongo, port_of
from tests.e2e.real.servers import Server as Running
from tests.e2e.real.test_faults_mongodb import addresses, settle
from tests.e2e.test_mariadb import ask, started
from tests.losses.servers import PASSWORD, USER, Postgresql
from tests.losses.setups import Site, kill_and_stop, pair, programs, write_target

_ACCOUNTS, _EACH = 1000, 1000
_TOTAL = "SELECT sum(balance) FROM accounts"
_TRANSFERS = "SELECT count(*) FROM transfers"
_UNBALANCED = """SELECT count(*) FROM accounts a WHERE balance <> 1000
 + (SELECT coalesce(sum(amount), 0) FROM transfers WHERE target = a.id)
 - (SELECT coalesce(sum(amount), 0) FROM transfers WHERE source = a.id)"""


class Money(NamedTuple):
    """What a count by hand finds. ``transfers`` is None where each transfer is a move within an account."""

    total: int
    unbalanced: int
    transfers: int | None


class Made(NamedTuple):
    """Servers with their target: options, names of the faults, and the count by hand."""

    options: list[str]
    faults: list[str]
    count_by_hand: Callable[[], Money]
    scenario: str = "transfers"


def problem(summary: Mapping[str, Any], money: Money) -> str:
    """Return what is wrong with the money or with the verdict of the run; nothing if all is well."""
    ledgers = (summary["ledger"], summary["warmup_ledger"])
    done, unknown = (sum(ledger[key] for ledger in ledgers) for key in ("done", "unknown"))
    wrong = sum(summary["verification"]["counts"].values())
    verdict = summary["verification"]["verdict"]
    found = []
    if money.total != _ACCOUNTS * _EACH:
        found.append(f"the total is {money.total}")
    if money.unbalanced:
        found.append(f"{money.unbalanced} balances are not those of the transfers")
    if money.transfers is not None and not done <= money.transfers <= done + unknown:
        found.append(f"{money.transfers} transfers, {done} acknowledged and {unknown} unknown")
    if bool(found) != (wrong > 0 or summary["verdict"]["code"] == 4):
        found.append(f"the verdict was {verdict}, code {summary['verdict']['code']}, {wrong} wrong")
    if not any(fault["failed"] + fault["unknown"] for fault in summary["faults"]):
        found.append("no call noticed a fault")
    never = [fault["name"] for fault in summary["faults"] if not fault["injected"]]
    return "; ".join(found + ([f"never injected: {', '.join(never)}"] if never else []))


def profile(made: Made, seconds: int) -> dict[str, object]:
    """Return 200 transfers per second and a fault in each 50 s."""
    load = {
        "concurrency": 32,
        "throughput": 200,
        "warm-up": "5s",
        "hold-for": f"{seconds}s",
        "statement-timeout": "10s",
        "scenario": made.scenario,
    }
    return {"execution": [load], "faults": [{"fault": made.faults, "times": seconds // 50, "duration": ["1s", "6s"]}]}


def run(site: Site, set_up: Callable[[Site], AbstractContextManager[Made]], seconds: int) -> str:
    """Run the bank once and count by hand; return what is wrong, nothing if all is well."""
    with set_up(site) as made:
        path = site.real.root / "taurus" / "profiles" / "losses.yml"
        path.write_text(yaml.safe_dump(profile(made, seconds)))
        code, output = site.real.run("run", *made.options, "--workload", "bank", "--profile", "losses")
        if code == 1:
            return output.strip().splitlines()[-1]
        bundle = site.real.latest
        money = made.count_by_hand()
    summary = json.loads((bundle / "summary.json").read_text(encoding="utf-8"))
    faults = [f"{fault['name']}: {fault['words']}" for fault in summary["faults"]]
    print(*faults, f"{money}, code {summary['verdict']['code']} {summary['verdict']['reasons'][:2]}", sep="\n  ")
    return problem(summary, money)


def _sql(url: str) -> Money:
    total, unbalanced, transfers = ask(url, _TOTAL, _UNBALANCED, _TRANSFERS)
    return Money(int(total), int(unbalanced), int(transfers))


@contextmanager
def postgresql(site: Site) -> Iterator[Made]:
    """Kill and stop a primary and its synchronous standby; each comes back in its role."""
    with pair(site.folder, {"synchronous_standby_names": "*"}) as both:
        faults = kill_and_stop(primary=both.primary, standby=both.standby)
        chosen = site.target("postgresql", f"postgresql://{both.hosts}/shardload", faults)
        yield Made(chosen, [*faults], lambda: _sql(Postgresql.url(both.primary.port)))


@contextmanager
def mariadb(site: Site) -> Iterator[Made]:
    """Kill and stop the embedded server."""
    data = site.real.root / ".shardload" / "data" / "embedded-mariadb"

    def count() -> Money:
        with started(data) as url:
            return _sql(url)

    yield Made(["--target", "embedded-mariadb"], ["kill", "stop"], count)


@contextmanager
def ferretdb(site: Site) -> Iterator[Made]:
    """Kill and stop the PostgreSQL below."""
    server = Postgresql(programs()).make(site.folder / "cluster", {})
    try:
        below = f"postgres://{USER}:{PASSWORD}@127.0.0.1:{server.port}/shardload"
        with above(below, site.folder / "ferretdb.log") as url:
            faults = kill_and_stop(postgresql=server)
            chosen = site.target("ferretdb", f"{url}shardload", faults)
            yield Made(chosen, [*faults], lambda: _documents(pymongo.MongoClient(url), "shardload"), "single")
    finally:
        server.close()


@contextmanager
def mongodb(site: Site) -> Iterator[Made]:
    """Kill the members of a replica set, whichever is the primary."""
    with REPLICA_SET.mongo() as client:
        client.drop_database(DATABASE)
    servers = [Running(port_of(address)) for address in addresses(REPLICA_SET)]
    faults = {}
    for number, server in enumerate(servers, 1):
        found = f"$(ss -Hltnp 'sport = :{server.port}' | sed -n 's/.*pid=\\([0-9]*\\).*/\\1/p')"
        begin = f"pid={found}; kill -KILL $pid; while kill -0 $pid 2>/dev/null; do sleep 0.02; done"
        faults[f"kill-{number}"] = {
            "begin": begin,
            "end": f"setsid {shlex.join(server.command)} >/dev/null 2>&1 </dev/null &",
        }
    try:
        yield Made(write_target(site.real, faults), [*faults], lambda: _documents(REPLICA_SET.mongo(), DATABASE))
    finally:
        for server in servers:
            server.start()
        settle(REPLICA_SET)


def _documents(client: Mongo, database: str) -> Money:
    with client:
        accounts, transfers = (list(client[database][name].find({})) for name in ("accounts", "transfers"))
    moved: dict[int, int] = defaultdict(int)
    for transfer in transfers:
        moved[transfer["source"]] -= transfer["amount"]
        moved[transfer["target"]] += transfer["amount"]
    held = {account["id"]: account["balance"] + account["savings"] for account in accounts}
    unbalanced = sum(held[key] != _EACH + moved[key] for key in held)
    return Money(sum(held.values()), unbalanced, len(transfers) if transfers else None)
