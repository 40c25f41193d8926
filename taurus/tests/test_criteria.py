"""Syntax of criteria; the Java side judges them (CriteriaTest)."""

from __future__ import annotations

from typing import Any

import pytest

from shardload.config.problem import Problem
from shardload.config.values.criteria import parse, samples_needed, too_few
from shardload.config.values.schedule import LoadKeys, expected_counts


def test_all_parts_of_a_line() -> None:
    found = parse("slow: p99.9 of find-by-id-and-filter1 > 50ms for 10s, continue as non-failed")
    assert (found.message, found.subject, found.label) == ("slow", "p99.9", "find-by-id-and-filter1")
    assert (found.condition, found.threshold, found.percentile) == (">", 0.05, 99.9)
    assert (found.logic, found.timeframe, found.stop, found.fail) == ("for", 10.0, False, False)
    assert found.is_live


def test_defaults() -> None:
    found = parse("fail>1%")
    assert (found.label, found.threshold, found.is_share, found.stop, found.fail) == ("", 1.0, True, True, True)
    assert not found.is_live


def test_a_mapping_means_the_same() -> None:
    mapping = {"subject": "p95", "label": "insert", "condition": ">", "threshold": "5ms", "timeframe": "3s"}
    assert parse(mapping) == parse("p95 of insert>5ms for 3s")


@pytest.mark.parametrize(
    "subject", ["p0", "p50", "p97.5", "p99.999", "p100", "avg-rt", "hits", "succ", "refused", "failures", "rc40*"]
)
def test_subjects(subject: str) -> None:
    parse(f"{subject}>{'5ms' if subject[0] in 'pa' else 5}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("p99>5parsecs", "unknown unit"),
        ("p99>5%", "is not a share"),
        ("latency>5ms", "unknown subject"),
        ("p99 of insert", "is not valid"),
        ("p99>5ms for", "is not valid"),
        ("p99>5ms, stopp", "is not valid"),
        ("p99>5ms, stop as faild", "is not valid"),
        ("p99>5ms, stop as failed please", "is not valid"),
        (5, "is not valid"),
    ],
)
def test_what_cannot_be_read_is_refused(line: Any, message: str) -> None:
    with pytest.raises(Problem, match=message.replace("?", r"\?")):
        parse(line)


def test_samples_needed() -> None:
    assert [samples_needed(level) for level in (50, 90, 99, 99.9, 100)] == [20, 100, 1000, 10000, 0]


def test_warning_before_the_start() -> None:
    lines = ["p99 of insert>5ms", "p99>5ms", "p99 of insert>5ms for 5s", "p100>5ms"]
    assert too_few([parse(line) for line in lines], {"insert": 700, "": 1000}) == [
        'criterion "p99 of insert>5ms" will be missed: it needs 1000 samples, about 700 will come'
    ]


def test_the_form_that_the_java_side_judges() -> None:
    assert parse("p99.9 of insert >= 500us for 1m30s, continue as failed").to_json() == {
        "text": "p99.9 of insert >= 500us for 1m30s, continue as failed",
        "subject": "p99.9",
        "label": "insert",
        "condition": ">=",
        "threshold": 0.0005,
        "is_share": False,
        "timeframe_seconds": 90.0,
        "fail": True,
    }
    assert parse("fail>1%, continue as non-failed").to_json()["threshold"] == 1


@pytest.mark.parametrize(("hold_for", "expected"), [(0, 500.0), (10, 1000.0)])
def test_the_warm_up_is_not_expected_in_the_result(hold_for: float, expected: float) -> None:
    """A profile that is no more than a ramp has the ramp for its result."""
    keys = LoadKeys(concurrency=8, throughput=100, ramp_up=10, steps=None, hold_for=hold_for, warm_up=10)
    known = {"expected": {"warm-up": {"insert": 700}, "ramp": {"insert": 500}, "hold": {"insert": 1000}}}
    assert expected_counts(keys.segments(), known) == {"insert": expected, "": expected}
