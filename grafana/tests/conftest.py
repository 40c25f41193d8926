"""The kinds of stores, and one that holds a small run, for tests of the checker."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from checks.__main__ import shipped
from checks.dashboard import read
from checks.store import Store
from tests.pages import history
from tests.programs import holding

# Panels of the dashboard of PostgreSQL and Citus for which the tests have no server: no Citus, no replica, no
# timing, no extension.
ONLY_ON_PAGES = (
    *("Shards per worker", "Bytes per worker", "Connections to workers", "Bytes per distributed table", "Workers"),
    *("Rebalancing", "Replication lag", "Time of an I/O operation", "Time of a sync of the write-ahead log"),
    "Top statements",
)
PAGE = """\
# TYPE shardload_transactions_total counter
shardload_transactions_total{run_id="r1",target="noop",transaction="find-by-id",outcome="done"} 1000
shardload_transactions_total{run_id="r1",target="noop",transaction="insert",outcome="done"} 500
shardload_transactions_total{run_id="r1",target="noop",transaction="insert",outcome="failed"} 5
shardload_transactions_total{run_id="r.2",target="noop",transaction="insert",outcome="done"} 400
shardload_transactions_total{run_id="r3",target="citus",transaction="insert",outcome="done"} 300
# TYPE shardload_duration_seconds histogram
shardload_duration_seconds_bucket{run_id="r1",transaction="insert",le="0.001"} 400
shardload_duration_seconds_bucket{run_id="r1",transaction="insert",le="0.01"} 500
shardload_duration_seconds_bucket{run_id="r1",transaction="insert",le="+Inf"} 500
shardload_duration_seconds_sum{run_id="r1",transaction="insert"} 0.7
shardload_duration_seconds_count{run_id="r1",transaction="insert"} 500
# TYPE shardload_run_start_timestamp_seconds gauge
shardload_run_start_timestamp_seconds{run_id="r1",target="noop"} 1700000000
shardload_run_start_timestamp_seconds{run_id="r.2",target="noop"} 1700000100
"""
RANGE_SECONDS = 900


@pytest.fixture(scope="session", params=["VictoriaMetrics", pytest.param("Prometheus", marks=pytest.mark.long)])
def kind(request: pytest.FixtureRequest) -> str:
    """Return the kind of store: that of the compose file, and nightly the other one."""
    return str(request.param)


@pytest.fixture(scope="session")
def end() -> float:
    """Return when the series end: now, in whole seconds."""
    return float(int(time.time()))


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory, kind: str, end: float) -> Iterator[Store]:
    """Return a store with the series of a quarter of an hour."""
    with holding(tmp_path_factory.mktemp("small-run"), history([PAGE], end - RANGE_SECONDS, end), kind) as store:
        yield store


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the panels that no real database has filled."""
    terminalreporter.section("panels on series from the collectors' own tests, not from a real database")
    for dashboard in map(read, shipped()):
        titles = [panel.title for panel in dashboard.panels if panel.queries]
        if dashboard.uid == "shardload-postgresql":
            titles = [title for title in titles if title in ONLY_ON_PAGES]
        elif dashboard.uid != "shardload-mongodb":
            continue
        terminalreporter.write_line(f"{dashboard.title}: {', '.join(titles)}")
