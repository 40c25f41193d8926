"""Criteria and labels of a real run: in summary.json, in its schema, and in the JUnit files of shardload and Taurus."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft7Validator

from tests.e2e.conftest import RealCheckout

pytestmark = [pytest.mark.e2e, pytest.mark.alone]
SCHEMA = Path(__file__).resolve().parents[2] / "schemas" / "summary.schema.json"
MET, MISSED = "p50>30s, continue as failed", "hits<1000000000, continue as failed"
LIVE = "avg-rt>30s for 1s, continue as failed"


def test_a_met_and_a_missed_criterion(real: RealCheckout) -> None:
    profile = real.root / "taurus" / "profiles" / "closed.yml"
    text = profile.read_text(encoding="utf-8")
    listed = f"  - {MET}\n  - {MISSED}\n  - {LIVE}\n- module: junit-xml\n  data-source: pass-fail\n"
    profile.write_text(text + listed, encoding="utf-8")
    labels = ["--name", "both", "--tag", "build=17", "--note", "one met, one missed"]
    code, output = real.run("run", "--target", "noop", *real.closed, *labels)
    assert code == 3, output
    bundle = real.latest
    summary = json.loads((bundle / "summary.json").read_text(encoding="utf-8"))
    assert bundle.name.endswith("-noop-closed-both") and summary["run_id"] == bundle.name
    assert (summary["name"], summary["tags"], summary["note"]) == ("both", {"build": "17"}, "one met, one missed")
    found = {one["text"]: one for one in summary["criteria"]}
    met, missed, live = (found[text] for text in (MET, MISSED, LIVE))
    assert (met["subject"], met["limit"], met["unit"], met["verdict"]) == ("p50", 30, "s", "met")
    assert 0 < met["value"] < 30
    assert (missed["limit"], missed["unit"], missed["verdict"]) == (1_000_000_000, "count", "missed")
    results = [one["ledger"]["started"] for one in summary["transactions"].values()]
    assert missed["value"] == sum(results)
    assert (live["timeframe_seconds"], live["verdict"]) == (1, "met") and 0 < live["value"] < 30
    assert missed["words"] == "calls at least 1,000,000,000"
    assert f"criterion missed: {missed['words']}" in " ".join(summary["verdict"]["reasons"]), summary["verdict"]
    problems = [error.message for error in Draft7Validator(json.loads(SCHEMA.read_text())).iter_errors(summary)]
    assert problems == []
    ours = ElementTree.parse(bundle / "junit.xml").getroot().findall(".//testcase")
    assert {
        case.get("name"): case.find("failure") is not None for case in ours if case.get("name") in (MET, MISSED)
    } == {
        MET: False,
        MISSED: True,
    }
    (file,) = (bundle / "taurus").glob("*xunit*.xml")
    theirs = ElementTree.parse(file).getroot().findall(".//testcase")
    failed = {case.get("name"): case.find("error") is not None for case in theirs}
    assert len([name for name, is_bad in failed.items() if is_bad]) == 1, failed
    assert len(failed) >= 4, "every criterion is a test case"
    code, output = real.run("runs", "--tag", "build=17")
    assert code == 0 and "-both " in output and "build=17" in output and "missed" in output, output
