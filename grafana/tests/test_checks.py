"""The checker finds what it is there for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checks.__main__ import main
from checks.check import Setting, check, resolve
from checks.dashboard import Dashboard
from checks.store import Store
from checks.template import Value
from checks.time_range import TimeRange
from tests.builders import dashboard, panel, variable, written
from tests.conftest import RANGE_SECONDS
from tests.programs import free_port


@pytest.fixture
def setting(small_run: Store, end: float) -> Setting:
    return Setting(small_run, TimeRange(end - RANGE_SECONDS, end), "5s")


def problems(setting: Setting, *panels: dict[str, Any], **changes: Any) -> list[str]:
    return list(check(Dashboard("test", dashboard(*panels, **changes)), setting))


def test_a_mistyped_metric_is_found_even_where_another_query_gives_values(setting: Setting) -> None:
    mistyped = panel("sum(shardload_transactions_total) or sum(rate(shardload_transaction_total[1m]))")
    assert problems(setting, mistyped) == ['panel "Transactions" A: unknown metric shardload_transaction_total']


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"fieldConfig": {"defaults": {}, "overrides": []}}, 'panel "Transactions": without unit'),
        ({"title": ""}, "panel 1 (timeseries): without title"),
        ({"description": " "}, 'panel "Transactions": without description'),
        ({"targets": []}, 'panel "Transactions": without a query'),
    ],
)
def test_what_a_panel_lacks_is_found_in_rows_too(setting: Setting, changes: dict[str, Any], found: str) -> None:
    row = {"type": "row", "title": "More", "collapsed": True, "panels": [panel(**changes)]}
    assert problems(setting, row) == [found]


def test_an_empty_panel_is_found(setting: Setting) -> None:
    nothing = panel('sum(rate(shardload_transactions_total{transaction="delete"}[1m]))')
    no_number = panel("0 / (shardload_transactions_total * 0)", title="No number")
    expression = 'sum(rate(shardload_transactions_total{transaction="delete"}[1m]))'
    assert problems(setting, nothing, no_number) == [
        f'panel "Transactions" A: empty: {expression}',
        'panel "No number" A: empty: 0 / (shardload_transactions_total * 0)',
    ]


def test_a_query_that_the_store_refuses_is_found(setting: Setting) -> None:
    assert problems(setting, panel("sum("))[0].startswith('panel "Transactions" A: refused: ')


def test_empty_variables_and_annotations_and_unknown_names_are_found(setting: Setting) -> None:
    other = variable("other", "label_values(shardload_transactions_total{target=~'x'}, host)")
    lost = {"name": "lost", "expr": "shardload_lost_timestamp_seconds"}
    strange = panel('sum(shardload_transactions_total{run_id=~"$rum"}) or vector(1)')
    assert problems(setting, strange, templating={"list": [other]}, annotations={"list": [lost]}) == [
        "variable other: empty: label_values(shardload_transactions_total{target=~'x'}, host)",
        'panel "Transactions" A: unknown variable rum',
        'annotation "lost": unknown metric shardload_lost_timestamp_seconds',
        'annotation "lost": empty: shardload_lost_timestamp_seconds',
    ]


def test_a_legend_with_a_label_that_the_answer_lacks_is_found(setting: Setting) -> None:
    named = panel(target={"legendFormat": "{{transaction}} of {{ target }}"})
    assert problems(setting, named) == [
        'panel "Transactions" A: its series have no label target, which the legend names'
    ]


def test_annotations_have_a_query_whose_values_are_times_in_the_window(setting: Setting) -> None:
    def annotation(name: str, expression: str, **more: Any) -> dict[str, Any]:
        return {"name": name, "expr": expression, "useValueForTime": True, **more}

    now = f"shardload_transactions_total * 0 + {setting.span.end - 60:.0f}"
    listed = [
        annotation("right", f"({now}) * 1000", textFormat="{{run_id}}"),
        annotation("seconds", now),
        annotation("past", "shardload_run_start_timestamp_seconds * 1000 - 1e9"),
        annotation("text", f"({now}) * 1000", textFormat="{{segment}}"),
        {"name": "nothing"},
    ]
    assert problems(setting, annotations={"list": listed}) == [
        f'annotation "seconds": no value is a time in the window, in milliseconds: {now}',
        'annotation "past": no value is a time in the window, in milliseconds: '
        "shardload_run_start_timestamp_seconds * 1000 - 1e9",
        'annotation "text": its series have no label segment, which the legend names',
        'annotation "nothing": without a query',
    ]


def test_variables_are_resolved_as_grafana_does(setting: Setting) -> None:
    listed = [
        variable("run", 'label_values(shardload_transactions_total{target="$target"}, run_id)', multi=True, sort=2,
            current={"value": ["r1", "r.2", "gone"]}),
        variable("target", "label_values(target)", sort=1, current={"value": "noop"}),
        variable("shift", "query_result(max(shardload_run_start_timestamp_seconds) "
            "- min(shardload_run_start_timestamp_seconds))", regex="/ (\\d+) /"),
        variable("all", "label_values(shardload_transactions_total, transaction)", includeAll=True, allValue=".*"),
        {"name": "step", "type": "custom", "query": "1m, five : 5m"},
    ]  # fmt: skip
    found, wrong = resolve(Dashboard("test", dashboard(templating={"list": listed})), setting)
    assert wrong == []
    chosen = {resolved.name: (resolved.options, resolved.chosen.in_query()) for resolved in found}
    assert chosen == {
        "target": (("citus", "noop"), "noop"),
        "run": (("r1", "r.2"), r"(r1|r\\.2)"),
        "shift": (("100",), "100"),
        "all": (("find-by-id", "insert"), ".*"),
        "step": (("1m", "5m"), "1m"),
    }


def test_a_panel_is_asked_once_for_each_value_that_it_is_repeated_for(setting: Setting) -> None:
    each = panel('sum(rate(shardload_transactions_total{run_id=~"$run",target="noop"}[1m]))', repeat="run")
    assert problems(setting, each) == [
        'panel "Transactions" A: empty: sum(rate(shardload_transactions_total{run_id=~"r3",target="noop"}[1m]))'
    ]


def test_the_command_prints_the_problems_and_how_many(
    setting: Setting, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, dashboard(panel("shardload_lost"), panel()))
    span = ["--from", str(setting.span.start), "--to", str(setting.span.end)]
    arguments = ["--store", setting.store.url, *span, "--scrape-interval", "5s"]
    assert main([*arguments, "--variable", "run=r1", str(path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        'test: panel "Transactions" A: unknown metric shardload_lost',
        'test: panel "Transactions" A: empty: shardload_lost',
        "1 dashboards, 3 queries: 2 problems",
    ]
    assert main([*arguments, str(written(tmp_path, dashboard()))]) == 0


def test_several_values_are_one_regular_expression() -> None:
    assert Value(("a.b", "c"), regular=True).in_query() == r"(a\\.b|c)"
    assert Value(("a.b",), regular=True).in_query() == r"a\\.b"
    assert Value(("a.b",)).in_query() == "a.b"
    assert Value(("a.b", "c"), regular=True).as_format("regex") == r"(a\.b|c)"


def test_wrong_use_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    path, broken = str(written(tmp_path, dashboard())), tmp_path / "broken.json"
    broken.write_text("{}")
    cases = [
        (["--store", nobody, path], f"checks: the store {nobody} cannot be reached: [Errno 111] Connection refused"),
        (["--store", nobody, "--from", "soon", path],
            "checks: 'soon' is no time: write now-15m, 1700000000 or 2026-01-31T12:00:00Z"),
        (["--store", nobody, "--variable", "run", path], "checks: --variable run: write name=value"),
        (["--store", nobody, str(broken)], f"checks: {broken}: no dashboard: it has no panels"),
        (["--store", nobody, "lost.json"], "checks: lost.json: No such file or directory"),
    ]  # fmt: skip
    for arguments, line in cases:
        assert main(arguments) == 2
        assert capsys.readouterr().err == line + "\n"
