"""Quotients of different things have no value, and no huge one, where the lower rate is 0."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from checks.__main__ import shipped
from checks.check import Setting, execute, resolve, scope_of
from checks.dashboard import read
from checks.time_range import TimeRange
from tests.pages import history, of_source
from tests.programs import ROOT, holding

PAGES = ROOT / "java-samplers" / "src" / "test" / "resources" / "monitoring"
BOARDS = {dashboard.uid: dashboard for dashboard in map(read, shipped())}
SECONDS = 120
# Panel, page, which series stand still, and the values of the others: 5 500 000 / (5 400 000 + 300 000 + 90 000).
CASES: dict[str, tuple[str, str, str, tuple[str, ...], dict[str, float], set[str | None]]] = {
    "documents": ("shardload-mongodb", "Documents scanned per document found", "mongodb",
        (r'documents_total\{operation="(returned|deleted)".*server="db1', r'documents_total\{operation=.*server="db2'),
        {"db1:27018": 55 / 3, "db3:27018": 550 / 579}, {"db2:27018"}),
    "log": ("shardload-postgresql", "Write-ahead log per commit", "citus",
        (r'transactions_total\{result="commit".*server="worker1',), {}, {"worker1:5432"}),
    "time": ("shardload-run", "Where the time of a call goes", "generator",
        (r'duration_seconds_count\{.*phase="service"',), {}, {None}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_no_quotient_explodes(case: str, kind: str, tmp_path: Path, end: float) -> None:
    uid, title, name, still, expected, absent = CASES[case]
    page = (PAGES / f"{name}.prom").read_text()
    for pattern in still:
        page, count = re.subn(rf"^(\w*{pattern}.*) \S+$", r"\1 0", page, flags=re.MULTILINE)
        assert count, pattern
    if name == "generator":
        run = re.search('run_id="[^"]*"', page)[0]
        page += re.sub('run_id="[^"]*"', run, (PAGES / "controller.prom").read_text())
    span = TimeRange(end - SECONDS, end)
    with holding(tmp_path, history([of_source("live", page)], span.start, span.end, 1), kind) as store:
        setting = Setting(store, span, "1s")
        scope = scope_of(resolve(BOARDS[uid], setting)[0], span)
        panel = next(panel for panel in BOARDS[uid].panels if panel.title == title)
        answers = [execute(panel, query, scope, setting) for query in panel.queries]
    assert [answer.error for answer in answers] == [""] * len(answers)
    found = {
        series["metric"].get("server"): [float(value) for _, value in series["values"]]
        for answer in answers
        for series in answer.series
    }
    assert absent.isdisjoint(server for server, values in found.items() if any(math.isfinite(each) for each in values))
    for server, value in expected.items():
        assert found[server][-1] == pytest.approx(value), server
