"""Syntax and judgement of criteria."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shardload.config.criteria import check_labels, parse, samples_needed, too_few
from shardload.config.problem import Problem
from shardload.results.judgement import FinalResults


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
    "subject", ["p0", "p50", "p97.5", "p99.999", "p100", "avg-rt", "hits", "succ", "failures", "rc40*"]
)
def test_subjects(subject: str) -> None:
    parse(f"{subject}>{'5ms' if subject[0] in 'pa' else 5}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("p101>5ms", "p0 to p100"),
        ("p99>5parsecs", "unknown unit"),
        ("p99>5%", "is no share"),
        ("hits<5%", "is no share"),
        ("latency>5ms", "unknown subject"),
        ("avg-lt>5ms", "is not measured"),
        ("p99=>5ms", 'unknown condition "=>"'),
        ("p99 of insert", "cannot be read"),
        ("p99>5ms for", "cannot be read"),
        ("p99>5ms, stopp", "cannot be read"),
        ("p99>5ms, stop as faild", "cannot be read"),
        ("p99>5ms, stop as failed please", "cannot be read"),
        ("fail>x", "is no number"),
        ("fail>101%", "more than 100%"),
        ({"subject": "p99", "treshold": "5ms"}, 'did you mean "threshold"'),
        ({"subject": "p99", "condition": ">"}, "without threshold"),
        (5, "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_refused(line: Any, message: str) -> None:
    with pytest.raises(Problem, match=message.replace("?", r"\?")):
        parse(line)


def test_a_label_that_is_no_transaction_is_refused() -> None:
    with pytest.raises(Problem, match=r'unknown transaction "insrt"; did you mean "insert"\?'):
        check_labels([parse("p99 of insrt>5ms")], ["update", "insert"])


def test_samples_needed() -> None:
    assert [samples_needed(level) for level in (50, 90, 99, 99.9, 100)] == [20, 100, 1000, 10000, 0]


def test_warning_before_the_start() -> None:
    lines = ["p99 of insert>5ms", "p99>5ms", "p99 of insert>5ms for 5s", "p100>5ms"]
    assert too_few([parse(line) for line in lines], {"insert": 700, "": 1000}) == [
        'criterion "p99 of insert>5ms" will be missed: it needs 1000 samples, about 700 will come'
    ]


def results(**insert: Any) -> FinalResults:
    ledger: dict[str, Any] = {
        "scheduled": 1000,
        "started": 1000,
        "dropped": 0,
        "done": 980,
        "missing": 10,
        "failed": 7,
        "unknown": 3,
    }
    ledger.update(insert.pop("ledger", {}))
    ledger["errors"] = {"40001": 6, "timeout": 4}
    times = {"count": 1000, "mean": 1e6, "p50": 1e6, "p99": 2_000_000, "p999": None, "max": 9e6, **insert}
    summary = {"transactions": {"insert": {"ledger": ledger, "response_ns": times}}}
    return FinalResults(summary, Path("nowhere"), "open", 8)


@pytest.mark.parametrize(
    ("line", "passed", "detail"),
    [
        ("p99 of insert>2ms", True, "2.00 ms"),
        ("p99 of insert>1.9ms", False, "2.00 ms"),
        ("p99 of insert>1.9ms, continue as non-failed", True, "2.00 ms"),
        ("p99.9 of insert>9s", False, "not enough samples: 1000 of 10000"),
        ("p100 of insert>8ms", False, "9.00 ms"),
        ("fail>1%", True, "1.000 % (10 of 1000)"),
        ("fail>0.9%", False, "1.000 % (10 of 1000)"),
        ("fail of insert>9", False, "10"),
        ("succ<99%", True, "99.000 % (990 of 1000)"),
        ("hits<1001", False, "1000"),
        ("rc40*>5", False, "6"),
        ("rctimeout>0.4%", True, "0.400 % (4 of 1000)"),
        ("concurrency<8", True, "8 workers"),
    ],
)
def test_judgement(line: str, passed: bool, detail: str) -> None:
    assert results().judge(parse(line)) == {"text": line, "passed": passed, "detail": detail}


def test_censored_percentile_is_missed() -> None:
    dropped = results(ledger={"dropped": 11, "scheduled": 1011}).judge(parse("p99 of insert>1h"))
    assert dropped["passed"] is False and dropped["detail"] == "11 of 1011 arrivals were dropped, so it is not known"


def test_too_few_samples_are_a_miss() -> None:
    judged = results(count=700, p99=None).judge(parse("p99 of insert>1h"))
    assert judged["passed"] is False and judged["detail"] == "not enough samples: 700 of 1000"
