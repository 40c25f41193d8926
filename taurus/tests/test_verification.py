"""What users see of a verification, and what they are advised to do where it did not run."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from shardload.bzt_modules.finish import Finish
from shardload.terminal import Terminal
from shardload.verbs.verbs import verification_lines

DOWN = "the target failed: node-lost: failed to connect to `host=db1`: 10.0.0.1:5432: connection refused"


def test_a_verification_that_did_not_run_counts_no_documents() -> None:
    assert verification_lines({"verdict": "not run", "reason": DOWN, "wrong": 0, "walked": 0}) == [
        f"verification: not run: {DOWN}"
    ]


def test_more_documents_than_expected_are_explained() -> None:
    done = {"verdict": "clean", "wrong": 0, "walked": 26_466, "expected": 25_600, "scope": ""}
    assert verification_lines(done) == [
        "verification: clean, 0 wrong of 26,466 documents",
        "  25,600 expected, 866 more from calls with an unknown outcome",
    ]
    assert verification_lines({**done, "walked": 25_600}) == ["verification: clean, 0 wrong of 25,600 documents"]
    foreign = {"kind": "foreign", "ordinal": 7, "detail": "nobody wrote it"}
    assert verification_lines({**done, "verdict": "wrong", "wrong": 1, "findings": [foreign]}) == [
        "verification: wrong, 1 wrong of 26,466 documents",
        "  foreign: document 7, nobody wrote it",
    ]


def test_no_kind_hides_another_and_what_is_not_named_is_counted() -> None:
    """Mutation: name the first twenty of all kinds together."""
    findings = [{"kind": "corrupted", "name": f"id {n}", "detail": ""} for n in range(25)]
    stale = {"kind": "stale", "name": "id 7", "detail": "at edition 0 instead of 1"}
    counts = {"corrupted": 31, "stale": 1, "lost": 0}
    done = {"verdict": "wrong", "wrong": 32, "walked": 50, "findings": [*findings, stale], "counts": counts}
    assert verification_lines(done)[20:] == [
        "  corrupted: id 19",
        "  corrupted: 11 more",
        "  stale: id 7, at edition 0 instead of 1",
    ]


class FakeSession:
    """A session whose child could not verify."""

    is_alive = True
    config: dict[str, Any] = {}

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def call(self, verb: str, *_: Any, **__: Any) -> dict[str, Any]:
        answers: dict[str, dict[str, Any]] = {
            "verify": {"verdict": "not run", "reason": self.reason},
            "finish": {"exit": 2, "lines": ["verdict x", "report    r"]},
        }
        return answers[verb]

    def suggest(self, purpose: str, verb: str) -> list[str]:
        return [f"  {purpose}:", f"    shardload {verb} --target mine"]


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        (DOWN, ["  settle it with:", "    shardload verify --target mine"]),
        ("generators of the run are still connected", ["  settle it with:", "    shardload verify --target mine"]),
        ("target keeps no data", []),
    ],
)
def test_the_next_command_is_advised(reason: str, advice: list[str], tmp_path: Path) -> None:
    shown = io.StringIO()
    finish = Finish(FakeSession(reason), tmp_path, Terminal(shown), lambda: False)  # type: ignore[arg-type]
    finish.metrics.end = finish.metrics.close = lambda *_: None  # type: ignore[method-assign,assignment]
    assert finish.complete([]) == 2
    assert shown.getvalue().splitlines() == ["verdict x", *advice, "report    r"]


def test_checks_of_a_folder_are_told_by_name() -> None:
    """Mutation: count documents, of which there are none."""
    checks = [
        {"name": "totals", "when": "before", "verdict": "clean", "rows": 0, "detail": ""},
        {"name": "totals", "when": "after", "verdict": "wrong", "rows": 1, "detail": "n = 7"},
        {"name": "slow", "when": "after", "verdict": "not run", "rows": 0, "detail": "timed out"},
    ]
    done = {
        "verdict": "wrong",
        "wrong": 1,
        "walked": 0,
        "scope": "single documents were not verified",
        "checks": checks,
    }
    assert verification_lines(done) == [
        "verification: wrong, 3 checks, 1 wrong",
        "  single documents were not verified",
        "  totals (after the run): wrong: n = 7",
        "  slow (after the run): not run: timed out",
    ]
    one = {"verdict": "clean", "wrong": 0, "walked": 0, "scope": "", "checks": checks[:1]}
    assert verification_lines(one) == ["verification: clean, 1 check, 0 wrong"]
