"""The verb ``results``: what a caller such as Jenkins keeps of a run, whatever became of it."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from shardload.config.problem import Problem
from shardload.verbs.ci.description import as_html, check_service, grafana_link, of_run, of_series
from shardload.verbs.ci.kept import junit_of_series
from tests.conftest import Checkout

GOOD: dict[str, Any] = {
    "run_id": "20261121-060102-citus-steady",
    "target": "citus",
    "started": "2026-11-21T06:01:32.500Z",
    "ended": "2026-11-21T06:12:00Z",
    "verdict": {"code": 0, "name": "ok"},
    "steps": [{}],
    "headline": {"achieved_per_second": 299.84, "series": "response", "latency_ns": {"p99": 12_340_000}},
    "capacity": None,
}
LINK = (
    "http://g:3000/x/d/shardload-run?var-target=citus&var-run=20261121-060102-citus-steady"
    "&from=1795240862500&to=1795241640000"
)


def summary(**changes: Any) -> dict[str, Any]:
    return {**GOOD, **changes}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (GOOD, "ok: 300 RPS, p99 response 12.3 ms"),
        (
            summary(capacity={"offered_per_second": 4500.0, "achieved_per_second": 4497.2, "at_least": False}),
            "ok: 300 RPS, p99 response 12.3 ms, capacity 4,500 RPS",
        ),
        (
            summary(capacity={"offered_per_second": 45.21, "at_least": True}, fake="mongo-java-server"),
            "ok: 300 RPS, p99 response 12.3 ms, capacity at least 45.2 RPS (a fake server)",
        ),
        (
            summary(verdict={"name": "invalid"}, capacity={"offered_per_second": 45.21, "at_least": True}),
            "invalid: 300 RPS, p99 response 12.3 ms",
        ),
        (summary(verdict={"name": "missed"}, headline=None), "missed: no step kept up"),
        (
            summary(
                headline={
                    "achieved_per_second": 9.96,
                    "series": "service",
                    "latency_ns": {"p99": None, "at_least_ns": {"p99": 2_462_056_448}},
                }
            ),
            "ok: 10.0 RPS, p99 service >= 2.46 s",
        ),
        (summary(headline={"achieved_per_second": None, "latency_ns": {}}), "ok: rate unknown, p99 response unknown"),
        ({}, "not judged: no figures"),
    ],
)
def test_a_run_in_one_line(given: dict[str, Any], expected: str) -> None:
    assert of_run(given) == expected


def series(**changes: Any) -> dict[str, Any]:
    return {
        "state": "complete",
        "workload": "w",
        "profile": "p",
        "order": ["A", "B", "B", "A"],
        "sides": [
            {"label": "A", "name": "citus", "target": "citus"},
            {"label": "B", "name": "ferretdb", "target": "ferretdb"},
        ],
        "runs": [{"number": number, "side": side, "exit": 0} for number, side in enumerate("ABBA", 1)],
        **changes,
    }


def test_a_series_in_one_line() -> None:
    rates = {1: 100.0, 2: 50.0, 3: 52.0, 4: 300.0}
    summaries = {n: summary(headline={**GOOD["headline"], "achieved_per_second": rate}) for n, rate in rates.items()}
    told = "A (citus) 200 RPS, p99 12.3 ms; B (ferretdb) 51.0 RPS, p99 12.3 ms"
    assert of_series(series(), summaries) == f"ok: 4 runs; {told}"
    missed = series(runs=[{"number": 1, "side": "A", "exit": 3}])
    assert of_series(missed, {}).startswith("missed: 4 runs; A (citus) no figures; B (ferretdb) no figures")
    cut = series(runs=[{"number": 1, "side": "A", "exit": 3}], state="running")
    assert of_series(cut, {1: GOOD}) == (
        "interrupted: 1 of 4 runs; A (citus) 300 RPS, p99 12.3 ms; B (ferretdb) no figures"
    )


def test_the_link_shows_the_run_in_its_time() -> None:
    assert grafana_link(check_service("--grafana", " http://g:3000/x/ "), [GOOD]) == LINK
    later = summary(run_id="other", started="2026-11-21T06:30:00Z", ended="2026-11-21T06:40:00Z")
    assert grafana_link("http://g:3000/x", [summary(started=None), GOOD, later]) == LINK.replace(
        "1795241640000", "1795243320000"
    )
    odd = summary(run_id='a&var-run="><b>', target="c d")
    assert "var-target=c%20d&var-run=a%26var-run%3D%22%3E%3Cb%3E&" in str(grafana_link("http://g", [odd]))
    assert grafana_link("http://g", [summary(ended=None)]) is None
    assert grafana_link("http://g", []) is None


@pytest.mark.parametrize(
    "url",
    ["g:3000", "javascript:alert(1)", "http://", "ftp://g", "http://g:x", "http://g?a=b", "http://g#a", "http://g\n/a"],
)
def test_no_address_of_a_grafana(url: str) -> None:
    with pytest.raises(Problem, match=r'^--grafana: ".*" is not the address of a service'):
        check_service("--grafana", url)


def test_the_description_is_escaped() -> None:
    assert as_html("a <b> & 'c'", 'http://g/?a=1&b="') == (
        'a &lt;b&gt; &amp; &#x27;c&#x27; <a href="http://g/?a=1&amp;b=&quot;">Grafana</a>'
    )
    assert as_html("p99 >= 5 s", None) == "p99 &gt;= 5 s"


def test_the_junit_results_of_a_series_are_those_of_its_runs(tmp_path: Path) -> None:
    case = '<testcase classname="shardload.citus.w.p.criteria" name="p99&gt;5ms&#10;&#233;"/>'
    (tmp_path / "junit.xml").write_text(
        '<testsuites><testsuite name="criteria" package="shardload.citus.w.p" id="criteria"><properties/>'
        f"{case}</testsuite></testsuites>"
    )
    runs = [{"number": 1, "side": "A", "exit": 0}, {"number": 2, "side": "B", "exit": 2}]
    text = junit_of_series(series(order=["A", "B", "A"], runs=runs), {1: tmp_path})
    assert text.decode() == (
        """<?xml version='1.0' encoding='UTF-8'?>
<testsuites>
  <testsuite name="criteria" package="shardload.citus.w.p.run-1" id="run-1-criteria">
    <properties>
      <property name="side" value="A (citus)" />
    </properties>
    <testcase classname="shardload.citus.w.p.run-1.criteria" name="p99&gt;5ms&#10;é" />
  </testsuite>
  <testsuite name="measurement" package="shardload.ferretdb.w.p.run-2" id="run-2-measurement">
    <testcase classname="shardload.ferretdb.w.p.run-2.measurement" name="complete">
      <error message="it left no results (exit code 2)">it left no results (exit code 2)</error>
    </testcase>
  </testsuite>
  <testsuite name="measurement" package="shardload.citus.w.p.run-3" id="run-3-measurement">
    <testcase classname="shardload.citus.w.p.run-3.measurement" name="complete">
      <error message="it was not started">it was not started</error>
    </testcase>
  </testsuite>
</testsuites>
"""
    )


# --- the folder


def bundle(checkout: Checkout, name: str, **more: Any) -> Path:
    folder = checkout.root / "runs" / name
    folder.mkdir(parents=True)
    run = {
        "run": {"id": name, "directory": str(folder)},
        "target": {"name": "noop"},
        "workload": {"name": "w"},
        "criteria": [],
        **more,
    }
    (folder / "run.json").write_text(json.dumps(run))
    (folder / "outcome.json").write_text(json.dumps({"criteria": [], "lost_generators": [], "interrupted": True}))
    return folder


def noted(checkout: Checkout, name: str) -> Path:
    folder = checkout.root / "out"
    folder.mkdir(exist_ok=True)
    (folder / ".shardload-results").touch()
    (folder / "run").write_text(f"{name}\n")
    return folder


def members(file: Path) -> set[str]:
    with tarfile.open(file) as packed:
        return {member.name for member in packed.getmembers() if member.isfile()}


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".shardload-results", "run"}


def test_a_run_is_handed_over_whole_and_again(checkout: Checkout) -> None:
    words = ["run", "--target", "noop", *checkout.options(), "--results", "out"]
    assert checkout.run(*words)[0] == 0
    folder, name = checkout.root / "out", checkout.bundle.name
    for _ in range(2):
        code, output = checkout.run("results", "out")
        assert (code, output) == (0, "not judged: no figures\n"), "the fake's summary has none"
        assert files(folder) == {"description.html", "description.txt", "junit.xml", f"{name}.tar.gz"}
    assert (folder / "junit.xml").read_bytes() == (checkout.bundle / "junit.xml").read_bytes()
    assert {f"{name}/summary.json", f"{name}/latencies/generator-0.jsonl"} <= members(folder / f"{name}.tar.gz")
    verbs = [request["verb"] for request in checkout.requests]
    assert verbs.count("finish") == 1 and verbs[-2:] == ["static", "static"]
    assert checkout.requests[-1]["into"] == str(folder / "report")
    code, output = checkout.run("export", "out", "--format", "json", "--output", "x.json")
    assert code == 0, output


@pytest.mark.parametrize("has_older_summary", [True, False])
def test_a_run_that_was_cut_off_is_judged(checkout: Checkout, has_older_summary: bool) -> None:
    made = bundle(checkout, "cut", host_metrics="local")
    if has_older_summary:
        (made / "summary.json").write_text("{}")
        os.utime(made / "summary.json", (1_790_000_000, 1_790_000_000))
        (made / "junit.xml").touch()
        (made / "verification.json").touch()
    folder = noted(checkout, "cut")
    code, output = checkout.run("results", "out")
    assert code == 0 and output.startswith("judging cut\n"), output
    assert [request["verb"] for request in checkout.requests] == ["hosts", "finish", "static"]
    assert "p99&gt;5ms" in (folder / "junit.xml").read_text()


@pytest.mark.parametrize("name", [None, "gone", "../checkout", "..", ".", ""])
def test_without_a_run_it_says_so(checkout: Checkout, name: str | None) -> None:
    (checkout.root / "runs").mkdir()
    if name is not None:
        noted(checkout, name)
    code, output = checkout.run("results", "out", "--grafana", "http://g")
    assert (code, output) == (0, "nothing was started\n")
    assert files(checkout.root / "out") == {"description.html", "description.txt"}
    code, output = checkout.run("publish", "out")
    assert (code, output) == (1, "shardload: out: no run was started\n")


def test_what_ended_before_its_load_is_kept(checkout: Checkout) -> None:
    (checkout.root / "runs" / "early").mkdir(parents=True)
    (checkout.root / "runs" / "early" / "child.log").touch()
    folder = noted(checkout, "early")
    assert checkout.run("results", "out") == (0, "interrupted: it ended before the load began\n")
    assert members(folder / "early.tar.gz") == {"early/child.log"}


def test_a_part_that_fails_does_not_stop_the_others(checkout: Checkout) -> None:
    bundle(checkout, "cut")
    folder = noted(checkout, "cut")
    code, output = checkout.run("results", "out", SHARDLOAD_GRAFANA_URL="nowhere", FAKE_CHILD="finish-error")
    assert code == 2
    assert output.splitlines() == [
        "judging cut",
        "shardload: cut: finish: finish does not work",
        'shardload: --grafana: "nowhere" is not the address of a service; write it like http://grafana.example:3000',
        "not judged: no figures",
    ]
    assert files(folder) == {"description.html", "description.txt", "cut.tar.gz"}
    (checkout.root / "runs" / "cut" / "run.json").write_text("{")
    code, output = checkout.run("results", "out")
    assert code == 2 and "run.json is damaged" in output and len(output.splitlines()) == 2


def test_a_series_is_handed_over_with_its_runs(checkout: Checkout) -> None:
    for name in ("one", "two"):
        bundle(checkout, name)
    runs = [
        {"number": number, "round": 1, "side": "A", "name": name, "bundle": name, "exit": 0}
        for number, name in ((1, "one"), (2, "two"))
    ]
    folder = checkout.root / "runs" / "s"
    folder.mkdir()
    (folder / "series.json").write_text(json.dumps(series(order=["A", "A", "A"], runs=runs, state="interrupted")))
    out = noted(checkout, "s")
    code, output = checkout.run("results", "out")
    assert code == 0, output
    assert files(out) == {"description.html", "description.txt", "junit.xml", "s.tar.gz"}
    assert {"s/series.json", "one/run.json", "two/summary.json"} <= members(out / "s.tar.gz")
    names = [suite.get("package") for suite in ElementTree.parse(out / "junit.xml").getroot()]
    assert names == ["shardload.t.w.p.run-1", "shardload.t.w.p.run-2", "shardload.citus.w.p.run-3"]
    asked = checkout.requests[-1]
    assert (asked["verb"], asked["static_into"]) == ("compare", str(out / "compare"))
    assert (out / "description.txt").read_text().startswith("interrupted: 2 of 3 runs; A (citus) no figures")
