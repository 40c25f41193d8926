"""A real run on a real PostgreSQL, seen through a store while it goes on and after it."""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from shardload.results import histogram

from checks.__main__ import provisioned_scrape_interval, shipped
from checks.check import Setting, check, execute_annotation, resolve, scope_of
from checks.dashboard import Dashboard, read
from checks.store import Store
from checks.time_range import TimeRange, seconds
from tests.checkout import SMALL, Checkout, checked_out, end, options
from tests.conftest import ONLY_ON_PAGES
from tests.expectations import places, unexpected
from tests.machines import CPU_BOUND, RELATIVE_BOUND, expectations, fetched_from
from tests.programs import (
    flush,
    free_port,
    make_blocks,
    node_exporter,
    prometheus,
    scraped_until,
    scraping,
    snapshot,
)
from tests.published import (
    before_results,
    copied,
    counts_on_the_dashboard,
    expected_counts,
    exported,
    ledgers,
    publish,
    results_moved,
    started,
    table,
)

pytestmark = pytest.mark.e2e
TARGET = "embedded-postgresql"
RANGE_SECONDS = 240
# VictoriaMetrics remembers for about ten seconds that a selector found nothing, also when its series exist by then.
CACHED_SECONDS = 30
# The baseline: one rate and a fault, without a warm-up. The run itself: a warm-up and steps, and another rate.
BASELINE = {"warm-up": "0s", "ramp-up": "0s", "hold-for": "10s", "throughput": "150", "concurrency": "8"}
FAULT = {"faults": "[{fault: stop, at: 5s, duration: 1s}]"}
# The run itself has no fault.
WITHOUT_FAULT = 'annotation "Faults"'
STEPS = {"warm-up": "5s", "ramp-up": "32s", "steps": "4", "throughput": "520", "concurrency": "8",
    "stop-after-failed-steps": "4", "limits": "{errors: 5%, p99: 10s}"}  # fmt: skip
# MongoDB cannot be had: its dashboard is executed on the pages of the collectors' tests, as these panels are.
HERE = ("shardload-run", "shardload-hosts", "shardload-compare", "shardload-history", "shardload-postgresql")
DASHBOARDS = [dashboard for dashboard in map(read, shipped()) if dashboard.uid in HERE]
BOARDS = {dashboard.uid: dashboard for dashboard in DASHBOARDS}
# What shows series of runs alone; the machines and servers on the others are never published.
OF_RUNS = ("shardload-run", "shardload-compare", "shardload-history")
DAY_SECONDS = 86400
COPIES = 8
ABSENT = {"host": "db9.invalid", "role": "replica"}


@dataclass(frozen=True)
class Live:
    """The store, the bundles of both runs, and what was wrong with each dashboard during the second."""

    checkout: Checkout
    folder: Path
    store: Store
    bundles: list[Path]
    during: dict[str, list[str]]
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
    """Return what has no value for a good reason: there is no such server."""
    only_on_pages = [panel for panel in dashboard.panels if panel.title in ONLY_ON_PAGES]
    return {WITHOUT_FAULT} | (places(only_on_pages) if dashboard.uid == "shardload-postgresql" else set())


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, kind: str) -> Iterator[Live]:
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
            with scraping(folder, output, kind) as store:
                # The first interval of a run has a scrape before it.
                scraped_until(store, 0)
                hosts = [{"host": node, "role": "primary"}, ABSENT]
                checkout.target(TARGET, hosts=hosts, metrics={"url": store.url})
                yield both_runs(checkout, folder, store)
        finally:
            end(watcher)


def both_runs(checkout: Checkout, folder: Path, store: Store) -> Live:
    begin = ("run", "--target", TARGET)
    first = (*begin, "--profile", "faults", *profiled(BASELINE), *options(FAULT))
    code, output = checkout.call(folder / "first.log", *first)
    assert code in (0, 3, 5), output
    process = checkout.start(folder / "second.log", *begin, "--profile", "max-capacity", *profiled(STEPS))
    try:
        wait_for(store, 'count(shardload_segment_start_timestamp_seconds{kind="step"})', 2, process)
        time.sleep(8)
        looked = time.time()
        during = faults(store, looked)
        assert process.poll() is None, "the run ended before the dashboards were looked at"
        code = process.wait(300)
    finally:
        end(process)
    assert code in (0, 3, 5), (folder / "second.log").read_text()
    for name in ("verdict_timestamp_seconds", "exit_code", "wrong_documents"):
        wait_for(store, f"count(last_over_time(shardload_run_{name}[{RANGE_SECONDS}s]))", 2)
    # An annotation asks for whole steps, so it sees the verdict when the step that has it is over.
    time.sleep(seconds(provisioned_scrape_interval()))
    return Live(checkout, folder, store, checkout.bundles(), during, looked, time.time())


@dataclass(frozen=True)
class Published:
    """A store with both runs as they were scraped and as they were published, and copies that were only published."""

    store: Store
    runs: list[Path]
    copies: list[Path]


@pytest.fixture(scope="module")
def published(live: Live, kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Published]:
    """Publish both runs twice, next to what was scraped.

    The copies are the first run under other names, a day apart, because as many runs of their own would take minutes.
    """
    folder, runs = tmp_path_factory.mktemp("published"), list(live.bundles)
    copies = [copied(runs[0], number, number * DAY_SECONDS) for number in range(1, COPIES + 1)]
    with ExitStack() as stack:
        store = live.store
        if kind == "Prometheus":
            store = stack.enter_context(prometheus(folder, data=imported(live, copies, folder)))
        else:
            publish(live.checkout, folder / "first.log", store, runs)
            publish(live.checkout, folder / "second.log", store, [*runs, *copies])
            flush(store)
        verdicts = f'count(last_over_time(shardload_run_exit_code{{source="bundle"}}[{COPIES + 1}d]))'
        wait_for(store, verdicts, len(runs) + len(copies))
        yield Published(store, runs, copies)


def imported(live: Live, copies: list[Path], folder: Path) -> Path:
    """Return the data of the Prometheus that scraped, with the exports of both runs, twice.

    The copies are made from the export of the first run, and have no more than the history shows.
    """
    data = snapshot(live.store, live.folder)
    files = [exported(live.checkout, bundle, folder / f"{bundle.name}.om") for bundle in live.bundles]
    for copy in copies:
        files.append(folder / f"{copy.name}.om")
        files[-1].write_text(results_moved(files[0].read_text(), live.bundles[0], copy))
    for file in (*files[: len(live.bundles)], *files):
        make_blocks(file, data)
    return data


def test_no_query_of_the_dashboards_is_refused_or_empty(live: Live) -> None:
    deadline = time.monotonic() + CACHED_SECONDS
    while (found := wrong(live.during, faults(live.store, live.ended))) and time.monotonic() < deadline:
        time.sleep(1)
    assert found == {}


def wrong(during: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, list[str]]:
    found = {
        BOARDS[uid].name: unexpected(BOARDS[uid], [during[uid]], [after[uid]], may_be_empty(BOARDS[uid]))
        for uid in during
    }
    return {name: lines for name, lines in found.items() if lines}


def test_no_query_of_the_dashboards_is_refused_or_empty_for_published_runs(live: Live, published: Published) -> None:
    during, after = (faults(published.store, moment, "bundle", OF_RUNS) for moment in (live.looked, live.ended))
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


def test_scraped_totals_equal_the_ledger(live: Live) -> None:
    for bundle in live.bundles:
        expected = ledgers(bundle)
        summary = json.loads((bundle / "summary.json").read_text())
        parts = (summary["ledger"], summary["warmup_ledger"])
        assert sum(count for (_, part), count in expected.items() if part == "started") == sum(
            ledger["started"] for ledger in parts
        )
        assert scraped(live.store, bundle.name, live.ended) == expected


@pytest.mark.parametrize("sources", [[], ["bundle"], ["live"]], ids=["default", "bundle", "live"])
def test_the_sums_on_the_dashboard_equal_the_ledger(published: Published, sources: list[str]) -> None:
    run = BOARDS["shardload-run"]
    for bundle in published.runs:
        before = before_results(bundle)
        most, least = (expected_counts(bundle, after) for after in (before, before + 3 if before else 0))
        assert sum(least.values()) > 1000
        found = counts_on_the_dashboard(run, published.store, bundle, sources)
        assert all(least.get(key, 0) <= found.get(key, 0) <= count for key, count in most.items()), (found, most, least)
        assert set(found) <= set(most)
    without, warmed_up = (before_results(bundle) for bundle in published.runs)
    assert without == 0 and 5 <= warmed_up <= 10, "the compiler may prolong the warm-up"


@pytest.mark.parametrize("kind", ["VictoriaMetrics"], indirect=True)
def test_a_run_that_nobody_scraped_is_on_the_dashboard(published: Published) -> None:
    oldest = published.copies[-1]
    found = counts_on_the_dashboard(BOARDS["shardload-run"], published.store, oldest, [])
    assert found == expected_counts(oldest) == expected_counts(published.runs[0])


def figures(bundle: Path) -> dict[str, float]:
    """Return columns of the history; where no step kept up there is the verdict alone."""
    summary = json.loads((bundle / "summary.json").read_text())
    found = {"Verdict": float(summary["verdict"]["code"])}
    if headline := summary["headline"]:
        found |= {"Achieved": headline["achieved_per_second"], "p99": headline["latency_ns"]["p99"] / 1e9}
    return found


def test_the_history_has_each_published_run_once(published: Published) -> None:
    now = time.time()
    setting = Setting(published.store, TimeRange(now - 30 * DAY_SECONDS, now), provisioned_scrape_interval())
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
    live: Live, published: Published, source: str
) -> None:
    store, counts = published.store, merged(live.bundles)
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


def test_known_segments_and_the_verdict_are_there_for_annotations(live: Live) -> None:
    store, of_run = live.store, f'run_id="{live.run_ids()[-1]}",source="live"'
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


def test_the_figures_of_the_machines_equal_those_of_the_store(live: Live, tmp_path: Path) -> None:
    store, bundle = live.store, live.bundles[-1]
    hosts = fetched_from(store, bundle, tmp_path)
    assert (hosts["source"], hosts["origin"], hosts["step_seconds"]) == ("store", store.url, 5)
    (host,) = hosts["hosts"]
    assert (host["host"], host["role"], host["server"]) == ("127.0.0.1", "primary", True)
    assert hosts["missing"] == ["db9.invalid (replica): the store has no samples for the time of the run"]
    figures, step = host["figures"], hosts["step_seconds"]
    count = len(figures["cpu_ratio"])
    assert count >= 5
    expected = dict(expectations(store, started(bundle), count, step, host["cores"]))
    assert set(figures) == {name for name, values in expected.items() if not all(map(math.isnan, values))}
    assert "received_bytes_per_second" in figures, "at least the network is there"
    for figure, values in expected.items():
        # The last interval ends after the run; whether it was scraped to its end does not matter here.
        found = [math.nan if value is None else value for value in figures.get(figure, [None] * count)[:-1]]
        absolute = CPU_BOUND if figure in ("cpu_ratio", "iowait_ratio") else 1e-6
        assert found == pytest.approx(values, rel=RELATIVE_BOUND, abs=absolute, nan_ok=True), figure


def test_the_run_wrote_the_figures_of_the_machines_itself(live: Live, tmp_path: Path) -> None:
    bundle = live.bundles[-1]
    written, again = json.loads((bundle / "hosts.json").read_text()), fetched_from(live.store, bundle, tmp_path)
    assert written["missing"] == again["missing"]
    assert written["hosts"][0]["figures"]["cpu_ratio"][:-1] == again["hosts"][0]["figures"]["cpu_ratio"][:-1]
    assert written["hosts"][0]["figures"]["cpu_ratio"][-1] is not None, "the last scrape was awaited"


@pytest.mark.parametrize("source", ["live", "bundle"])
def test_begin_and_end_of_a_fault_are_marks(published: Published, live: Live, source: str) -> None:
    bundle, board = published.runs[0], BOARDS["shardload-run"]
    chosen = {"run": [bundle.name], "source": [source]}
    setting = Setting(
        published.store, TimeRange(live.ended - RANGE_SECONDS, live.ended), provisioned_scrape_interval(), chosen
    )
    (mark,) = [each for each in board.annotations if each["name"] == "Faults"]
    answer = execute_annotation(mark, scope_of(resolve(board, setting)[0], setting.span), setting)
    found = {(each["metric"]["fault"], each["metric"]["event"]): float(each["values"][-1][1]) for each in answer.series}
    events = [json.loads(line) for line in (bundle / "faults.jsonl").read_text().splitlines()]
    happened = {(each["fault"], each["event"]): each["epoch_ms"] for each in events}
    assert found == pytest.approx({("stop", event): happened["stop", event] for event in ("begun", "ended")}, abs=1)
