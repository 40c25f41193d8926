"""A real run on a real PostgreSQL, seen through both stores while it goes on and after it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from shardload.results import histogram

from checks.__main__ import provisioned_scrape_interval, shipped
from checks.check import Setting, check
from checks.dashboard import Dashboard, read
from checks.store import Store
from checks.time_range import TimeRange, seconds
from tests.checkout import SMALL, Checkout, checked_out, end, options
from tests.conftest import ONLY_ON_PAGES
from tests.expectations import places, unexpected
from tests.programs import Stores, flush, free_port, make_blocks, node_exporter, prometheus, scraping, snapshot
from tests.published import (
    before_results,
    copied,
    counts_on_the_dashboard,
    expected_counts,
    exported,
    ledgers,
    publish,
    results_moved,
    table,
)

pytestmark = pytest.mark.e2e
TARGET = "embedded-postgresql"
RANGE_SECONDS = 240
# VictoriaMetrics remembers for about ten seconds that a selector found nothing, also when its series exist by then.
CACHED_SECONDS = 30
# The baseline: one rate, without a warm-up. The run itself: a warm-up and steps, and another rate.
BASELINE = {"warm-up": "0s", "ramp-up": "0s", "hold-for": "20s", "throughput": "150", "concurrency": "8"}
STEPS = {"warm-up": "5s", "ramp-up": "40s", "steps": "4", "throughput": "400", "concurrency": "8",
    "stop-after-failed-steps": "4", "limits": "{errors: 5%, p99: 10s}"}  # fmt: skip
# MongoDB cannot be had: its dashboard is executed on the pages of the collectors' tests, as these panels are.
HERE = ("shardload-run", "shardload-hosts", "shardload-compare", "shardload-history", "shardload-postgresql")
DASHBOARDS = [dashboard for dashboard in map(read, shipped()) if dashboard.uid in HERE]
BOARDS = {dashboard.uid: dashboard for dashboard in DASHBOARDS}
# What shows series of runs alone; the machines and servers on the others are never published.
OF_RUNS = ("shardload-run", "shardload-compare", "shardload-history")
DAY_SECONDS = 86400
COPIES = 8


@dataclass(frozen=True)
class Live:
    """The stores, the bundles of both runs, and what was wrong with each dashboard during the second."""

    checkout: Checkout
    folder: Path
    stores: Stores
    bundles: list[Path]
    during: dict[str, dict[str, list[str]]]
    looked: float
    ended: float

    def run_ids(self) -> list[str]:
        return [bundle.name for bundle in self.bundles]


def profiled(values: dict[str, str]) -> list[str]:
    return options({**SMALL, **{f"execution.0.{key}": value for key, value in values.items()}})


def wait_for(store: Store, expression: str, least: float, process: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until a query gives at least this value, or a process has ended."""
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and (process is None or process.poll() is None):
        found = store.query(expression, time.time())
        if found and float(found[0]["value"][1]) >= least:
            return
        time.sleep(0.5)
    pytest.fail(f"{store.url}: {expression} does not become {least}")


def faults(store: Store, moment: float, source: str = "live", uids: Sequence[str] = HERE) -> dict[str, list[str]]:
    wanted = {"source": [source], "baseline_source": [source]}
    setting = Setting(store, TimeRange(moment - RANGE_SECONDS, moment), provisioned_scrape_interval(), wanted)
    return {uid: list(check(BOARDS[uid], setting)) for uid in uids}


def may_be_empty(dashboard: Dashboard) -> set[str]:
    """Return what has no value for good reasons: no such server; too few calls for the highest percentile."""
    only_on_pages = [panel for panel in dashboard.panels if panel.title in ONLY_ON_PAGES]
    if dashboard.uid == "shardload-postgresql":
        return places(only_on_pages)
    return {'panel "Percentiles of the run" E'} if dashboard.uid == "shardload-run" else set()


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Run the baseline and the steps, with everything around them as a user starts it."""
    folder = tmp_path_factory.mktemp("live")
    server_metrics = f"127.0.0.1:{free_port()}"
    with checked_out(folder) as checkout, node_exporter(folder) as node:
        checkout.target(TARGET, hosts=[{"host": node, "role": "primary"}])
        code, output = checkout.call(
            folder / "scrape.log", "scrape-config", "--target", TARGET, "--server-metrics", server_metrics
        )
        assert code == 0, output
        watcher = checkout.start(folder / "watch.log", "server-metrics", "--target", TARGET, "--listen", server_metrics)
        try:
            with scraping(folder, output) as stores:
                yield both_runs(checkout, folder, stores)
        finally:
            end(watcher)


def both_runs(checkout: Checkout, folder: Path, stores: Stores) -> Live:
    begin = ("run", "--target", TARGET)
    code, output = checkout.call(folder / "first.log", *begin, "--profile", "steady", *profiled(BASELINE))
    assert code in (0, 3, 5), output
    process = checkout.start(folder / "second.log", *begin, "--profile", "max-capacity", *profiled(STEPS))
    try:
        started = 'count(shardload_segment_start_timestamp_seconds{kind="step"})'
        for store in stores.both.values():
            wait_for(store, started, 2, process)
        time.sleep(8)
        looked = time.time()
        during = {name: faults(store, time.time()) for name, store in stores.both.items()}
        assert process.poll() is None, "the run ended before the dashboards were looked at"
        code = process.wait(300)
    finally:
        end(process)
    assert code in (0, 3, 5), (folder / "second.log").read_text()
    for store in stores.both.values():
        for name in ("verdict_timestamp_seconds", "exit_code", "wrong_documents"):
            wait_for(store, f"count(last_over_time(shardload_run_{name}[{RANGE_SECONDS}s]))", 2)
    # An annotation asks for whole steps, so it sees the verdict when the step that has it is over.
    time.sleep(seconds(provisioned_scrape_interval()))
    return Live(checkout, folder, stores, checkout.bundles(), during, looked, time.time())


@dataclass(frozen=True)
class Published:
    """Stores with both runs as they were scraped and as they were published, and copies that were only published."""

    stores: Stores
    runs: list[Path]
    copies: list[Path]


@pytest.fixture(scope="module")
def published(live: Live, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Published]:
    """Publish both runs twice: into the VictoriaMetrics that scraped, and beside what the Prometheus has scraped.

    The copies are the first run under other names, a day apart, for as many runs of their own would take minutes. In
    Prometheus they are made from the export of the first run, and have no more than the history shows.
    """
    folder = tmp_path_factory.mktemp("published")
    runs = list(live.bundles)
    copies = [copied(runs[0], number, number * DAY_SECONDS) for number in range(1, COPIES + 1)]
    data = snapshot(live.stores.prometheus, live.folder)
    files = [exported(live.checkout, bundle, folder / f"{bundle.name}.om") for bundle in runs]
    for copy in copies:
        files.append(folder / f"{copy.name}.om")
        files[-1].write_text(results_moved(files[0].read_text(), runs[0], copy))
    for file in (*files[: len(runs)], *files):
        make_blocks(file, data)
    publish(live.checkout, folder / "first.log", live.stores.victoria, runs)
    publish(live.checkout, folder / "second.log", live.stores.victoria, [*runs, *copies])
    flush(live.stores.victoria)
    with prometheus(folder, data=data) as other:
        made = Published(Stores(live.stores.victoria, other), runs, copies)
        for store in made.stores.both.values():
            verdicts = f'count(last_over_time(shardload_run_exit_code{{source="bundle"}}[{COPIES + 1}d]))'
            wait_for(store, verdicts, len(runs) + len(copies))
        yield made


def test_no_query_of_the_dashboards_is_refused_or_empty(live: Live, kind: str) -> None:
    during, deadline = live.during[kind], time.monotonic() + CACHED_SECONDS
    while (found := wrong(during, faults(live.stores.both[kind], live.ended))) and time.monotonic() < deadline:
        time.sleep(1)
    assert found == {}


def wrong(during: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, list[str]]:
    found = {
        BOARDS[uid].name: unexpected(BOARDS[uid], [during[uid]], [after[uid]], may_be_empty(BOARDS[uid]))
        for uid in during
    }
    return {name: lines for name, lines in found.items() if lines}


def test_no_query_of_the_dashboards_is_refused_or_empty_for_published_runs(
    live: Live, published: Published, kind: str
) -> None:
    store = published.stores.both[kind]
    during, after = (faults(store, moment, "bundle", OF_RUNS) for moment in (live.looked, live.ended))
    assert wrong(during, after) == {}


def scraped(store: Store, run: str, moment: float) -> dict[tuple[str, str], int]:
    names = {"arrivals_started": "started", "arrivals_dropped": "dropped", "transactions": ""}
    found: dict[tuple[str, str], int] = {}
    for name, part in names.items():
        query = f'last_over_time(shardload_{name}_total{{run_id="{run}",source="live"}}[{RANGE_SECONDS}s])'
        for series in store.query(query, moment):
            labels = series["metric"]
            if count := round(float(series["value"][1])):
                found[labels["transaction"], part or labels["outcome"]] = count
    return found


def test_scraped_totals_equal_the_ledger(live: Live, kind: str) -> None:
    for bundle in live.bundles:
        expected = ledgers(bundle)
        summary = json.loads((bundle / "summary.json").read_text())
        parts = (summary["ledger"], summary["warmup_ledger"])
        assert sum(count for (_, part), count in expected.items() if part == "started") == sum(
            ledger["started"] for ledger in parts
        )
        assert scraped(live.stores.both[kind], bundle.name, live.ended) == expected


@pytest.mark.parametrize("sources", [[], ["bundle"], ["live"]], ids=["default", "bundle", "live"])
def test_the_sums_on_the_dashboard_equal_the_ledger(published: Published, kind: str, sources: list[str]) -> None:
    run = BOARDS["shardload-run"]
    for bundle in published.runs:
        before = before_results(bundle)
        most, least = (expected_counts(bundle, after) for after in (before, before + 3 if before else 0))
        assert sum(least.values()) > 1000
        found = counts_on_the_dashboard(run, published.stores.both[kind], bundle, sources)
        assert all(least.get(key, 0) <= found.get(key, 0) <= count for key, count in most.items()), (found, most, least)
        assert set(found) <= set(most)
    assert [before_results(bundle) for bundle in published.runs] == [0, 5]


def test_a_run_that_nobody_scraped_is_on_the_dashboard(published: Published) -> None:
    oldest = published.copies[-1]
    found = counts_on_the_dashboard(BOARDS["shardload-run"], published.stores.victoria, oldest, [])
    assert found == expected_counts(oldest) == expected_counts(published.runs[0])


def figures(bundle: Path) -> dict[str, float]:
    """Return columns of the history; where no step kept up there is the verdict alone."""
    summary = json.loads((bundle / "summary.json").read_text())
    found = {"Verdict": float(summary["verdict"]["code"])}
    if headline := summary["headline"]:
        found |= {"Achieved": headline["achieved_per_second"], "p99": headline["latency_ns"]["p99"] / 1e9}
    return found


def test_the_history_has_each_published_run_once(published: Published, kind: str) -> None:
    store, now = published.stores.both[kind], time.time()
    setting = Setting(store, TimeRange(now - 30 * DAY_SECONDS, now), provisioned_scrape_interval())
    shown = table(BOARDS["shardload-history"], "Finished runs", setting)
    bundles = (*published.runs, *published.copies)
    for column in ("Verdict", "Achieved", "p99"):
        found = [(each["metric"]["run_id"], float(each["value"][1])) for each in shown[column]]
        expected = {bundle.name: figures(bundle)[column] for bundle in bundles if column in figures(bundle)}
        assert sorted(run for run, _ in found) == sorted(expected), column
        assert dict(found) == pytest.approx(expected), column
    begun = [float(each["value"][1]) for each in shown["Start"]]
    assert len(set(begun)) == len(bundles)


def merged(bundles: list[Path]) -> Any:
    """Return the response times of all bundles as one histogram."""
    counts = histogram.empty()
    for bundle in bundles:
        for line in (bundle / "latencies" / "generator-0.hlog").read_text().splitlines():
            tag, _, rest = line.partition(",")
            if tag.startswith("Tag=") and tag.endswith("/response"):
                counts = counts + histogram.decode(rest.rpartition(",")[2].encode())
    return counts


@pytest.mark.parametrize("source", ["live", "bundle"])
def test_percentiles_over_two_unequal_generators_lie_within_the_stated_bound(
    live: Live, published: Published, kind: str, source: str
) -> None:
    store, counts = published.stores.both[kind], merged(live.bundles)
    assert counts.sum() > 5000
    of_both = f'run_id=~"{"|".join(live.run_ids())}",source="{source}"'
    window = f"[{RANGE_SECONDS}s]"
    stated = store.query(f"max(last_over_time(shardload_bucket_error_ratio{{{of_both}}}{window}))", live.ended)
    bound = float(stated[0]["value"][1])
    assert 0 < bound < 0.5
    buckets = f'last_over_time(shardload_duration_seconds_bucket{{{of_both},phase="response"}}{window})'
    for level in (0.5, 0.95, 0.99):
        (answer,) = store.query(f"histogram_quantile({level}, sum by (le) ({buckets}))", live.ended)
        exact = histogram.percentile(counts, level * 100) / 1e9
        assert float(answer["value"][1]) == pytest.approx(exact, rel=bound), level


def test_known_segments_and_the_verdict_are_there_for_annotations(live: Live, kind: str) -> None:
    store, of_run = live.stores.both[kind], f'run_id="{live.run_ids()[-1]}",source="live"'
    segments = store.query(
        f"last_over_time(shardload_segment_start_timestamp_seconds{{{of_run}}}[{RANGE_SECONDS}s])", live.ended
    )
    begun = sorted((float(each["value"][1]), each["metric"]["kind"]) for each in segments)
    assert [kind for _, kind in begun] == ["warm-up", "step", "step", "step", "step"]
    codes = store.query(f"last_over_time(shardload_run_exit_code{{{of_run}}}[{RANGE_SECONDS}s])", live.ended)
    verdict = json.loads((live.bundles[-1] / "summary.json").read_text())["verdict"]
    assert [(each["metric"]["verdict"], float(each["value"][1])) for each in codes] == [
        (verdict["name"], float(verdict["code"]))
    ]
