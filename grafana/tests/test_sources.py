"""A run counts once, whether it was scraped, published or both, with series made from pages."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator

import pytest

from checks.__main__ import shipped
from checks.check import Answer, Setting, execute, execute_annotation, resolve, scope_of
from checks.dashboard import Dashboard, read
from checks.store import Store
from checks.time_range import TimeRange
from tests.pages import history, of_source
from tests.programs import ROOT, History, holding

PAGES = ROOT / "java-samplers" / "src" / "test" / "resources" / "monitoring"
SECONDS = 120
GONE_SECONDS = 3
BOARDS = {dashboard.uid: dashboard for dashboard in map(read, shipped())}
OF_RUNS = ("shardload-run", "shardload-compare")
KINDS = {"scraped": ("live",), "published": ("bundle",), "both": ("live", "bundle")}
OF_ONE = ',source="$source"'

# By query: its series without what names run and source, in the order of these labels.
Shown = dict[str, list[tuple[dict[str, str], list[float]]]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, kind: str, end: float) -> Iterator[Store]:
    """Return a store with a run and a baseline of each kind; all have the same figures, but the one judged again."""
    pages = [(PAGES / f"{name}.prom").read_text() for name in ("controller", "generator")]
    made = [
        of_source(source, re.sub('run_id="[^"]*"', f'run_id="{run}"', page))
        for kind, sources in KINDS.items()
        for run in (kind, f"{kind}-baseline")
        for source in sources
        for page in pages
    ]
    judged = re.sub('run_id="[^"]*"', 'run_id="judged-again"', pages[0])
    every = history([*made, of_source("live", judged)], end - SECONDS, end, 2)
    with holding(tmp_path_factory.mktemp("sources"), every + judged_again(judged, end), kind) as made_store:
        yield made_store


def judged_again(page: str, end: float) -> History:
    """Return the published series of a run that a newer report has judged anew.

    Its verdict is that of the end of the load, earlier than the scraped one, and is gone before that has come.
    """
    for old, new in (('verdict="missed"', 'verdict="ok"'), ("} 3\n", "} 0\n"), ("1790000070", "1790000060")):
        assert old in page
        page = page.replace(old, new)
    whole = history([of_source("bundle", page)], end - SECONDS, end, 2)
    first = min(at for series, at, _ in whole.samples if "exit_code" in series)
    return History([(name, at, value) for name, at, value in whole.samples if at < first + GONE_SECONDS])


@pytest.fixture
def setting(store: Store, end: float) -> Setting:
    return Setting(store, TimeRange(end - SECONDS, end), "2s")


def chosen(setting: Setting, of: str, **more: list[str]) -> Setting:
    return Setting(
        setting.store, setting.span, setting.scrape_interval, {"run": [of], "baseline": [f"{of}-baseline"], **more}
    )


def shown(board: Dashboard, setting: Setting) -> Shown:
    """Execute every panel and annotation."""
    found, problems = resolve(board, setting)
    assert problems == []
    scope = scope_of(found, setting.span)
    answers = [(f"{panel.title} {query.reference}", execute(panel, query, scope, setting))
        for panel in board.panels for query in panel.queries]  # fmt: skip
    answers += [(f"mark {mark['name']}", execute_annotation(mark, scope, setting)) for mark in board.annotations]
    assert [answer.error for _, answer in answers if answer.error] == []
    return {place: series_of(answer) for place, answer in answers}


def series_of(answer: Answer) -> list[tuple[dict[str, str], list[float]]]:
    found = []
    for series in answer.series:
        labels = {name: value for name, value in series["metric"].items() if name not in ("run_id", "source")}
        samples = series["values"] if "values" in series else [series["value"]]
        found.append((labels, [float(value) for _, value in samples]))
    return sorted(found, key=lambda each: sorted(each[0].items()))


def differences(one: Shown, other: Shown) -> list[str]:
    return [
        place
        for place, series in one.items()
        if [labels for labels, _ in series] != [labels for labels, _ in other[place]]
        or any(a != pytest.approx(b, nan_ok=True) for (_, a), (_, b) in zip(series, other[place]))
    ]


@pytest.mark.parametrize("uid", OF_RUNS)
def test_every_query_gives_the_same_for_a_run_that_was_scraped_published_or_both(setting: Setting, uid: str) -> None:
    expected = shown(BOARDS[uid], chosen(setting, "scraped"))
    assert len([place for place, series in expected.items() if series]) > (60 if uid == "shardload-run" else 20)
    for kind in ("published", "both"):
        assert differences(expected, shown(BOARDS[uid], chosen(setting, kind))) == [], kind
    live = chosen(setting, "both", source=["live"], baseline_source=["live"])
    assert differences(expected, shown(BOARDS[uid], live)) == []


def test_the_published_series_are_first_where_there_are_some(setting: Setting) -> None:
    sources = {
        uid: {kind: source_options(BOARDS[uid], chosen(setting, kind)) for kind in KINDS}
        for uid, board in BOARDS.items()
        if uid in OF_RUNS
    }
    once: dict[str, list[tuple[str, ...]]]
    once = {"scraped": [("live",)], "published": [("bundle",)], "both": [("bundle", "live")]}
    assert sources == {
        "shardload-run": once,
        "shardload-compare": {kind: options * 2 for kind, options in once.items()},
    }


def source_options(board: Dashboard, setting: Setting) -> list[tuple[str, ...]]:
    return [each.options for each in resolve(board, setting)[0] if each.name.endswith("source") and each.asked]


def test_a_query_without_the_source_counts_a_run_twice(setting: Setting) -> None:
    settings = copy.deepcopy(BOARDS["shardload-run"].settings)
    for panel in (each for row in settings["panels"] for each in (row, *row.get("panels", []))):
        for target in panel.get("targets", []):
            assert OF_ONE in target["expr"] or "node_" in target["expr"], panel["title"]
            if panel["title"] == "Rows per second":
                target["expr"] = target["expr"].replace(OF_ONE, "")
    broken = Dashboard("run", settings)
    expected, found = (shown(broken, chosen(setting, kind)) for kind in ("scraped", "both"))
    assert differences(expected, found) == ["Rows per second A"]
    for (_, once), (_, twice) in zip(expected["Rows per second A"], found["Rows per second A"]):
        assert max(once) > 0
        assert twice == pytest.approx([2 * value for value in once])


def of_history(setting: Setting, title: str) -> dict[str, Answer]:
    board = BOARDS["shardload-history"]
    scope = scope_of(resolve(board, setting)[0], setting.span)
    (panel,) = [panel for panel in board.panels if panel.title == title]
    found = {query.expression: execute(panel, query, scope, setting) for query in panel.queries}
    assert [answer.error for answer in found.values() if answer.error] == []
    return found


def test_the_table_of_the_history_has_every_run_once_as_it_was_published(setting: Setting) -> None:
    expected = {**{run: "3" for kind in KINDS for run in (kind, f"{kind}-baseline")}, "judged-again": "0"}
    for expression, answer in of_history(setting, "Finished runs").items():
        values = [(series["metric"]["run_id"], series["value"][1]) for series in answer.series]
        assert sorted(run for run, _ in values) == sorted(expected)
        if expression.startswith("(max") and expression.count("exit_code") == 3:
            assert dict(values) == expected


@pytest.mark.parametrize("what", ["Achieved rate", "p99", "Capacity", "Errors"])
def test_the_points_of_a_run_in_the_history_are_of_one_source(setting: Setting, what: str) -> None:
    (answer,) = of_history(setting, f"{what} over the runs").values()
    times = {series["metric"]["run_id"]: [float(at) for at, _ in series["values"]] for series in answer.series}
    assert sorted(times) == sorted(["judged-again", *(run for kind in KINDS for run in (kind, f"{kind}-baseline"))])
    # Those that were scraped last until now.
    assert max(times["judged-again"]) < setting.span.end - 20 < max(times["scraped"])
