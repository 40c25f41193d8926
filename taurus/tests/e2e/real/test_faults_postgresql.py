"""A FerretDB, its PostgreSQL, and nodes of a Citus that are killed and come back in the middle of a run."""

from __future__ import annotations

import re
import time

import pytest

from tests.e2e.conftest import RealCheckout
from tests.e2e.real.runs import Runs
from tests.e2e.real.servers import CITUS, FERRETDB, Server, port_of

pytestmark = pytest.mark.real


def assert_survives(runs: Runs, server: Server) -> None:
    """Kill a server in a run, start it again three seconds later, and expect every acknowledged write."""

    def restart() -> None:
        server.kill()
        time.sleep(3)
        server.start()

    summary = runs.load(restart)
    assert summary["ledger"]["failed"] + summary["ledger"]["unknown"] > 0, "nothing noticed that it was gone"
    runs.assert_nothing_wrong(summary)


def test_a_killed_ferretdb_loses_nothing(real: RealCheckout) -> None:
    assert_survives(Runs(real, FERRETDB), Server(port_of(FERRETDB.url.rpartition("/")[0])))


def test_the_killed_postgresql_below_ferretdb_loses_nothing(real: RealCheckout) -> None:
    runs = Runs(real, FERRETDB)
    server = Server(port_of(FERRETDB.url.rpartition("/")[0]))
    told = " ".join([*server.command, *server.environment.values()])
    found = re.search(r"postgres(?:ql)?://[^/\s]*:(\d+)/", told)
    assert found, "the process does not show the address of its PostgreSQL"
    assert_survives(runs, Server(int(found[1])))


def test_a_killed_worker_loses_nothing(real: RealCheckout) -> None:
    runs = Runs(real, CITUS)
    ports = CITUS.sql.execute("SELECT nodeport FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeport")
    assert_survives(runs, Server(int(ports[0])))


def test_a_killed_coordinator_loses_nothing(real: RealCheckout) -> None:
    assert_survives(Runs(real, CITUS), Server(port_of(CITUS.url.rpartition("/")[0])))
