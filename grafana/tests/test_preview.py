"""The preview draws every type of panel from a real store, in both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checks.check import Setting
from checks.dashboard import Dashboard
from checks.time_range import TimeRange
from preview.__main__ import main
from preview.data import collect
from preview.draw import Outcome, draw
from tests.builders import TRANSACTIONS, dashboard, panel, written
from tests.conftest import RANGE_SECONDS
from tests.programs import Stores

TABLE = {"instant": True, "format": "table"}
BUCKETS = "sum by (le) (increase(shardload_duration_seconds_bucket[$__rate_interval]))"
PANELS = [
    panel(target={"legendFormat": "{{transaction}}"}),
    panel(type="stat", title="Stat", gridPos={"x": 12, "y": 0, "w": 6, "h": 8}),
    panel(type="bargauge", title="Bars", gridPos={"x": 18, "y": 0, "w": 6, "h": 8}),
    panel("shardload_run_start_timestamp_seconds", type="table", title="Runs", target=TABLE,
        gridPos={"x": 0, "y": 8, "w": 12, "h": 6}),
    panel(BUCKETS, type="heatmap", title="Heat map", target={"format": "heatmap", "legendFormat": "{{le}}"},
        gridPos={"x": 12, "y": 8, "w": 12, "h": 6}),
    {"type": "row", "title": "More", "collapsed": True, "gridPos": {"x": 0, "y": 14, "w": 24, "h": 1}, "panels": [
        panel("shardload_lost", title="Nothing", gridPos={"x": 0, "y": 15, "w": 12, "h": 6})]},
]  # fmt: skip
BEGUN = {"name": "begun", "expr": "shardload_run_start_timestamp_seconds", "useValueForTime": True}


def drawn(small_run: Stores, end: float, output: Path, theme: str, content: dict[str, Any]) -> Outcome:
    setting = Setting(small_run.victoria, TimeRange(end - RANGE_SECONDS, end), "5s")
    return draw(collect(Dashboard("test", content), setting, theme), output)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_type_of_panel_is_drawn(small_run: Stores, end: float, tmp_path: Path, theme: str) -> None:
    output = tmp_path / "test.png"
    outcome = drawn(small_run, end, output, theme, dashboard(*PANELS, annotations={"list": [BEGUN]}))
    assert outcome.errors == []
    assert {each["title"]: each["state"] for each in outcome.panels} == {
        "Transactions": "drawn",
        "Stat": "drawn",
        "Bars": "drawn",
        "Runs": "drawn",
        "Heat map": "drawn",
        "More": "drawn",
        "Nothing": "no data",
    }
    assert output.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_an_error_in_the_page_and_a_refused_query_are_said(small_run: Stores, end: float, tmp_path: Path) -> None:
    unknown = drawn(small_run, end, tmp_path / "a.png", "dark", dashboard(panel(type="piechart")))
    assert unknown.errors == ["Error: the preview cannot draw a panel of type piechart"]
    refused = drawn(small_run, end, tmp_path / "b.png", "dark", dashboard(panel("sum(")))
    assert [each["state"] for each in refused.panels] == ["error"]


def test_the_command_draws_a_file(
    small_run: Stores, end: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, output = written(tmp_path, dashboard(panel(TRANSACTIONS))), tmp_path / "out.png"
    span = ["--from", str(end - RANGE_SECONDS), "--to", str(end), "--scrape-interval", "5s"]
    common = ["--store", small_run.prometheus.url, *span, "--dashboard", str(source), "--output", str(output)]
    assert main([*common, "--run", "r1", "--theme", "light"]) == 0
    assert capsys.readouterr().out == f"{output}\n"
    assert main([*common, "--dashboard", "lost"]) == 2
    assert capsys.readouterr().err == "preview: lost: No such file or directory\n"
