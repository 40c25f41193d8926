"""What the dashboards show of a run that is over: right after it, hours later, and by the link from History."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from checks.__main__ import shipped
from checks.check import Setting, execute, execute_annotation, resolve, scope_of
from checks.dashboard import Dashboard, Panel, read
from checks.store import Store
from checks.time_range import TimeRange
from tests.expectations import LATE_TILES
from tests.pages import GROWTH_PER_SECOND, history, of_source
from tests.programs import ROOT, History, holding
from tests.published import TRANSACTIONS, table

PAGES = ROOT / "java-samplers" / "src" / "test" / "resources" / "monitoring"
# From the start of the series; the load of the run on the pages lasts 65 s, and begins after a tenth of them.
SERIES_SECONDS = 120
LOAD_SECONDS = 65.25
# The verdict comes 70 s after the start, and the results a little later.
VERDICT_SECONDS = 70.0
HOUR_SECONDS = 3600.0
END = "shardload_run_end_timestamp_seconds"
BOARDS = {dashboard.uid: dashboard for dashboard in map(read, shipped())}


@dataclass(frozen=True)
class Past:
    """A store with two runs at one time, some hours ago."""

    store: Store
    start: float

    @property
    def end_of_load(self) -> float:
        return self.start + SERIES_SECONDS / 10 + LOAD_SECONDS

    @property
    def judged(self) -> float:
        return self.start + SERIES_SECONDS / 10 + VERDICT_SECONDS


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory, kind: str, end: float) -> Iterator[Past]:
    start = end - 3 * HOUR_SECONDS + 300
    pages = [(PAGES / f"{name}.prom").read_text() for name in ("controller", "generator")]
    runs = [re.sub('run_id="[^"]*"', f'run_id="{run}"', page) for page in pages for run in ("first", "second")]
    # The first was published and not scraped.
    runs = [of_source("bundle" if 'run_id="first"' in page else "live", page) for page in runs]
    made = history(runs, start, start + SERIES_SECONDS, 1)
    # The end is scraped a little late, and is gone before the rates of a wide window are.
    scraped = [
        (series, at, value) for series, at, value in made.samples if not series.startswith(END) or 2 <= at - value <= 9
    ]
    with holding(tmp_path_factory.mktemp("past"), History(scraped), kind) as store:
        yield Past(store, start)


def answers(dashboard: Dashboard, panel: Panel, setting: Setting) -> list[list[dict[str, Any]]]:
    scope = scope_of(resolve(dashboard, setting)[0], setting.span)
    found = [execute(panel, query, scope, setting) for query in panel.queries]
    assert [answer.error for answer in found if answer.error] == []
    return [answer.series for answer in found]


def panels(dashboard: Dashboard, row: str) -> list[Panel]:
    found = [panel for panel in dashboard.panels if panel.row.startswith(row) and panel.queries]
    assert found, row
    return found


def tiles(dashboard: Dashboard) -> list[Panel]:
    """Return the tiles of the moment; the charts next to them show the end of the load as a mark."""
    return [panel for panel in panels(dashboard, "Now") if panel.kind == "stat"]


def test_the_link_from_history_leads_to_a_window_with_verdict_and_results(past: Past, end: float) -> None:
    store = past.store
    table = next(panel for panel in BOARDS["shardload-history"].panels if panel.title == "Finished runs")
    names = next(each for each in table.settings["transformations"] if each["id"] == "organize")["options"]
    fields = {name: field.removeprefix("Value #") for field, name in names["renameByName"].items()}
    (link,) = [
        item["value"][0]["url"]
        for override in table.settings["fieldConfig"]["overrides"]
        for item in override["properties"]
        if item["id"] == "links"
    ]
    begin, until = (re.search(rf"{name}=\$\{{__data.fields.(\w+).numeric\}}", link)[1] for name in ("from", "to"))
    found = answers(BOARDS["shardload-history"], table, Setting(store, TimeRange(end - 30 * 24 * HOUR_SECONDS, end)))
    value = {
        query.reference: {series["metric"]["run_id"]: float(series["value"][1]) for series in each}["second"]
        for query, each in zip(table.queries, found)
    }
    milliseconds = [value[fields[name]] for name in (begin, until)]
    assert milliseconds == [int(each) for each in milliseconds]

    run, window = BOARDS["shardload-run"], TimeRange(milliseconds[0] / 1000, milliseconds[1] / 1000)
    setting = Setting(store, window, "1s", {"run": ["second"]})
    shown = {panel.title: answers(run, panel, setting) for panel in tiles(run)}
    assert [title for title, each in shown.items() if not all(each)] == []
    for title, judged in {"Calls per second": 499.5, "Response time": 0.005, "Errors": 0.0025}.items():
        assert judged in [float(series["values"][-1][1]) for each in shown[title] for series in each], title
    scope = scope_of(resolve(run, setting)[0], window)
    marks = [execute_annotation(annotation, scope, setting) for annotation in run.annotations]
    assert [mark.panel.title for mark in marks if mark.is_empty] == []


@pytest.mark.parametrize("hours", [0.05, 3, 24])
def test_tiles_of_the_moment_keep_the_last_value_before_the_end_of_the_load(
    past: Past, end: float, hours: float
) -> None:
    until = past.start + SERIES_SECONDS + 60 if hours < 1 else end
    span = TimeRange(until - hours * HOUR_SECONDS, until)
    setting = Setting(past.store, span, "1s", {"run": ["second"]})
    run, late, seen = BOARDS["shardload-run"], [], 0
    for panel in tiles(run):
        if panel.title not in LATE_TILES:
            for query, each in zip(panel.queries, answers(run, panel, setting)):
                moments = [float(moment) for series in each for moment, _ in series["values"]]
                seen += len(moments)
                late += [
                    (panel.title, query.reference) for moment in moments if past.end_of_load < moment < past.judged
                ]
    assert sorted(set(late)) == []
    # A step of a wide window may be longer than this short run.
    assert seen > 10 or hours > 1


# On the pages a warm-up and a ramp take 15 s; what a store scraped two seconds later is certainly without them.
RESULTS_SECONDS = SERIES_SECONDS / 10 + 15 + 2


@pytest.mark.parametrize(
    ("begin", "until", "counted_from"),
    [(-60, SERIES_SECONDS, RESULTS_SECONDS), (60, 80, 60), (-60, 20, 20)],
    ids=["whole run", "later window", "in the warm-up"],
)
def test_the_table_of_transactions_is_without_the_warm_up(
    past: Past, begin: int, until: int, counted_from: float
) -> None:
    span = TimeRange(past.start + begin, past.start + until)
    setting = Setting(past.store, span, "1s", {"run": ["second"]})
    (answered,) = table(BOARDS["shardload-run"], TRANSACTIONS, setting)["Answered"]
    page = (PAGES / "generator.prom").read_text()
    counts = re.findall(r'^shardload_transactions_total\{.*outcome="(?:done|missing)".*\} (\S+)$', page, re.M)
    assert len(counts) > 1
    grown = sum(map(float, counts)) * GROWTH_PER_SECOND * (until - counted_from)
    assert float(answered["value"][1]) == pytest.approx(grown, abs=1e-6)


def test_the_baseline_is_the_newest_other_run_of_the_same_kind(kind: str, tmp_path: Path, end: float) -> None:
    begun = [("old", "citus", 0), ("same", "citus", 10), ("run", "citus", 20), ("other", "mongodb", 30)]
    lines = ["# TYPE shardload_run_info gauge", "# TYPE shardload_run_start_timestamp_seconds gauge"]
    for run, target, at in begun:
        labels = f'{{source="live",run_id="{run}",target="{target}",workload="document-store",profile="steady"}}'
        lines += [f"shardload_run_info{labels} 1", f"shardload_run_start_timestamp_seconds{labels} {1.79e9 + at:.0f}"]
    span = TimeRange(end - SERIES_SECONDS, end)
    with holding(tmp_path, history(["\n".join(lines)], span.start, span.end, 1), kind) as store:
        board, setting = BOARDS["shardload-compare"], Setting(store, span, "1s", {"run": ["run"]})
        options = {resolved.name: resolved.options for resolved in resolve(board, setting)[0]}
    assert options["baseline"] == ("same", "old", "other")


def test_each_run_is_a_point_of_the_history(past: Past) -> None:
    span = TimeRange(past.start, past.start + HOUR_SECONDS)
    board = BOARDS["shardload-history"]
    for panel in panels(board, "Course"):
        ((*series,),) = answers(board, panel, Setting(past.store, span, "1s"))
        assert len(series) == 2, panel.title
