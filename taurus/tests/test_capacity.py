"""A search as a whole: its runs are a recording fake that leaves bundles as Java's judge writes them."""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from shardload import exit_codes
from shardload.config.check import check
from shardload.config.effective import Checked
from shardload.config.merge import merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.results.lookup import is_held
from shardload.terminal import Terminal
from shardload.verbs.capacity.model import Outcome
from shardload.verbs.capacity.runner import Search, outcome_of, reasons
from shardload.verbs.capacity.verb import is_search
from shardload.verbs.run import files_of
from tests.conftest import TAURUS, Checkout

BOUND = "generator-bound: in hold 9.4 % of the arrivals began over 1 ms late while a worker was ready"


def given(**changes: Any) -> argparse.Namespace:
    values = {
        "target": "noop", "workload": "document-store", "profile": "find-capacity", "option": [], "flags": {},
        "verbose": False, "quiet": False, "json": False, "results": None, "max_duration": None, "no_load": False,
    }  # fmt: skip
    return argparse.Namespace(**{**values, **changes})


def checked_with(*overrides: str) -> Checked:
    options, places = given(option=list(overrides)), Places(TAURUS.parent)
    return check(merge(files_of(options, places), options.option, places, {}))


def summary_of(
    code: int, rate: float, passed: bool, why: str = "kept up, within the limits", *, reason: str = "", late: float = 0
) -> dict:
    latency = {"count": 2000, "p50": 1_000_000, "p99": 5_000_000}
    return {
        "verdict": {"code": code, "reasons": [reason] if reason else []},
        "headline": {
            "offered_per_second": rate, "achieved_per_second": rate - late, "answered_per_second": rate,
            "latency_ns": latency, "errors_percent": 0.0,
        },
        "steps": [
            {"name": "ramp", "kind": "ramp", "passed": False, "why": "the ramp is not a result"},
            {"name": "hold", "kind": "hold", "passed": passed, "why": why},
        ],
    }  # fmt: skip


class FakeRuns:
    """Leaves a bundle with the judgement that a model of the target has of the rate."""

    def __init__(self, places: Places, model: Callable[[float, int], tuple[int, dict | None]]) -> None:
        self.places = places
        self.model = model
        self.calls: list[list[str]] = []
        self.held: list[bool] = []
        self.stops_after: int | None = None
        self.seconds = 0.0

    def start(self, arguments: Sequence[str], place: str) -> int:
        self.calls.append(list(arguments))
        self.held.append(is_held(self.places.runs / place.partition("/")[0]))
        self.seconds += 40
        code, summary = self.model(self.rates[-1], len(self.calls))
        if summary is not None:
            bundle = self.places.runs / f"bundle-{len(self.calls)}"
            bundle.mkdir()
            (bundle / "run.json").write_text(json.dumps({"run": {"series": place}}))
            (bundle / "summary.json").write_text(json.dumps(summary))
        return code

    @property
    def rates(self) -> list[float]:
        return [float(call[-1].removeprefix("execution.0.throughput=")) for call in self.calls]

    def is_stopping(self) -> bool:
        return self.stops_after is not None and len(self.calls) >= self.stops_after


def knee(rate: float, number: int, at: float = 500.0) -> tuple[int, dict]:
    if rate <= at:
        return 0, summary_of(0, rate, True)
    return 3, summary_of(3, rate, False, "p99 61.0 ms, over 50 ms", reason="target rate not reached")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    # The page is Java's: tests of the page are there.
    monkeypatch.setattr(Search, "_draw", lambda self: [])
    return Places(tmp_path)


def searched(
    places: Places,
    model: Callable[[float, int], tuple[int, dict | None]],
    *overrides: str,
    stops_after: int | None = None,
) -> tuple[int, dict, FakeRuns]:
    fake = FakeRuns(places, model)
    fake.stops_after = stops_after
    options = given(option=list(overrides))
    search = Search(options, places, Terminal(), checked_with(*overrides), lambda: fake.seconds)
    code = search.run(fake.start, fake.is_stopping)
    file = search.folder / "search.json"
    return code, json.loads(file.read_text()) if file.exists() else {}, fake


def test_finds_the_knee_and_writes_everything_down(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    code, written, fake = searched(places, knee)

    assert code == exit_codes.OK
    assert (written["state"], written["ended"]) == ("complete", "found")
    assert written["low"]["rate"] <= 500 <= written["high"]["rate"] <= 1.06 * written["low"]["rate"]
    assert written["low"] == {"rate": written["low"]["rate"], "confirmed": True, "good": 4, "bad": 0}
    assert written["text"] == f"capacity between {written['low']['rate']:g}/s and {written['high']['rate']:g}/s"
    assert written["limits"] == {"errors_percent": 1.0, "p99_ms": 50.0}
    assert [run["rate"] for run in written["runs"]] == fake.rates
    assert [run["rate"] for run in written["runs"][:3]] == [200, 400, 800]
    assert all(fake.held), "another process must not remove it"
    first, third = written["runs"][0], written["runs"][2]
    assert (first["outcome"], first["exit"], first["bundle"], first["p99_ns"]) == ("good", 0, "bundle-1", 5_000_000)
    assert (third["outcome"], third["exit"]) == ("bad", 3)
    assert third["reasons"] == ["p99 61.0 ms, over 50 ms", "target rate not reached"]
    shown = capsys.readouterr().out
    second, third = shown.splitlines()[1:3]
    assert second == "run 2: 400/s, twice the last good rate: good, achieved 400.0 of 400.0/s, p99 5.00 ms"
    assert third.endswith(": bad, achieved 800.0 of 800.0/s, p99 5.00 ms: p99 61.0 ms, over 50 ms"), "one reason"
    assert shown.splitlines()[-1] == written["text"]


def test_runs_are_ordinary_ones_on_one_data_set(places: Places) -> None:
    _, _, fake = searched(places, knee, "workload.data.documents=1000")

    assert {call[0] for call in fake.calls} == {"run"}
    assert fake.calls[0] == [
        "run", "--target", "noop", "--workload", "document-store", "--profile", "find-capacity",
        "-o", "workload.data.documents=1000", "-o", "execution.0.hold-for=30.0s", "-o", "execution.0.throughput=200.0",
    ]  # fmt: skip


def test_holds_a_low_rate_until_its_p99_is_known(places: Places) -> None:
    _, _, fake = searched(places, lambda rate, number: knee(rate, number, 3), "execution.0.throughput=20")

    holds = {rate: call[-3] for rate, call in zip(fake.rates, fake.calls)}
    assert holds[20] == "execution.0.hold-for=55.0s"
    assert holds[2.5] == "execution.0.hold-for=440.0s"


def test_verifies_what_was_written_unless_the_profile_says_otherwise(places: Places) -> None:
    _, _, fake = searched(places, knee, "execution.0.verification=null")
    assert "execution.0.verification=written" in fake.calls[0]


def test_a_run_with_wrong_documents_ends_the_search_at_once(places: Places) -> None:
    def model(rate: float, number: int) -> tuple[int, dict]:
        return (4, summary_of(4, rate, True)) if number == 3 else knee(rate, number)

    code, written, fake = searched(places, model)
    assert (code, len(fake.calls), written["ended"]) == (exit_codes.WRONG_DATA, 3, "wrong-documents")
    assert written["low"]["rate"] == 400 and not written["low"]["confirmed"]


def test_nothing_passed(places: Places) -> None:
    code, written, _ = searched(places, lambda rate, number: knee(rate, number, 0), "search.min-rate=50")
    assert (code, written["ended"], written["low"]) == (exit_codes.MISSED, "nothing-passed", None)
    assert written["text"] == "capacity below 50/s (not confirmed): no run passed"


def test_the_generator_as_the_bound_is_said_and_no_fault(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    def model(rate: float, number: int) -> tuple[int, dict]:
        return (5, summary_of(5, rate, True, reason=BOUND)) if rate > 1000 else knee(rate, number, 1e9)

    code, written, fake = searched(places, model)
    assert (code, written["ended"], written["high"]) == (exit_codes.OK, "generator-bound", None)
    assert written["text"] == f"capacity at least {written['low']['rate']:g}/s: the generator was the bottleneck"
    assert max(fake.rates) == 1600
    line = "generator-bound, achieved 1,600.0 of 1,600.0/s, p99 5.00 ms: in hold 9.4 % of the arrivals began"
    assert f"run 4: 1,600/s, twice the last good rate: {line}" in capsys.readouterr().out


def test_what_a_bad_run_answered_late_is_shown(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    def model(rate: float, number: int) -> tuple[int, dict]:
        why = "achieved 62.5 % of the offered rate, below 98 %; p99 is at least 9.55 s, limit 50 ms"
        return (3, summary_of(3, rate, False, why, late=300)) if rate > 500 else knee(rate, number)

    _, written, _ = searched(places, model)
    assert (written["runs"][2]["achieved_per_second"], written["runs"][2]["answered_per_second"]) == (500, 800)
    shown = capsys.readouterr().out
    figures = "bad, achieved 500.0 of 800.0/s, answered 800.0/s whenever due, p99 5.00 ms"
    assert f"rate: {figures}: achieved 62.5 % of the offered rate, below 98 %\n" in shown, "each reason once"
    assert "good, achieved 400.0 of 400.0/s, p99 5.00 ms\n" in shown


def test_what_is_known_so_far_is_above_the_run_that_is_under_way(places: Places) -> None:
    """Mutations: the interval without the last run; the time that is over."""
    options = given()
    fake = FakeRuns(places, knee)
    search = Search(options, places, Terminal(io.StringIO()), checked_with(), lambda: fake.seconds)
    shown: list[list[str]] = []

    def start(arguments: Sequence[str], place: str) -> int:
        shown.append(search.above())
        return fake.start(arguments, place)

    search.run(start, fake.is_stopping)
    assert shown[0] == ["run 1: 200/s, the start rate", "so far unknown, at most 1:00:00 left"]
    assert shown[2] == ["run 3: 800/s, twice the last good rate", "so far at least 400/s, at most 58:40 left"]
    assert shown[3] == ["run 4: 566/s, between 400 and 800", "so far 400 to 800/s, at most 58:00 left"]


def test_invalid_runs_are_repeated_three_times_at_most(places: Places) -> None:
    def model(rate: float, number: int) -> tuple[int, dict | None]:
        return (5, summary_of(5, rate, True, reason="ledger open: 1")) if rate == 400 else knee(rate, number)

    code, written, fake = searched(places, model)
    assert (code, written["ended"]) == (exit_codes.INVALID, "too-many-invalid-runs")
    assert fake.rates == [200, 400, 400, 400]


def test_ends_in_time(places: Places) -> None:
    code, written, fake = searched(places, lambda rate, number: knee(rate, number, 1e9), "search.max-duration=150s")
    assert (code, written["ended"], len(fake.calls)) == (exit_codes.OK, "max-duration", 3)
    assert written["text"] == "capacity at least 800/s (not confirmed): max-duration was over"


def test_a_signal_keeps_what_is_known(places: Places) -> None:
    def model(rate: float, number: int) -> tuple[int, dict | None]:
        return (exit_codes.INTERRUPTED, None) if number == 3 else knee(rate, number)

    code, written, _ = searched(places, model, stops_after=3)
    assert (code, written["state"], written["ended"]) == (exit_codes.INTERRUPTED, "interrupted", "interrupted")
    assert [run["rate"] for run in written["runs"]] == [200, 400]
    assert written["text"] == "capacity at least 400/s (not confirmed): the search was interrupted"


def test_a_first_run_that_is_refused_leaves_nothing(places: Places) -> None:
    code, written, fake = searched(places, lambda rate, number: (exit_codes.WRONG_USE, None))
    assert (code, written, len(fake.calls)) == (exit_codes.WRONG_USE, {}, 1)
    assert not places.runs.exists()


@pytest.mark.parametrize(
    ("code", "passed", "reason", "outcome"),
    [
        (0, True, "", Outcome.GOOD),
        (0, False, "", Outcome.BAD),
        (3, True, "criterion missed: p99>5ms", Outcome.BAD),
        (5, True, BOUND, Outcome.BOUND),
        (5, True, "generator 0 was lost", Outcome.INVALID),
        (2, True, "the run was interrupted", Outcome.INVALID),
    ],
)
def test_an_outcome_is_what_java_judged(code: int, passed: bool, reason: str, outcome: Outcome) -> None:
    assert outcome_of(code, summary_of(code, 200, passed, reason=reason)) is outcome


def test_a_run_without_a_summary_says_nothing() -> None:
    assert outcome_of(0, {}) is Outcome.INVALID
    assert reasons({}) == []


def test_a_generator_that_was_the_bound_is_the_first_reason() -> None:
    assert reasons(summary_of(5, 200, False, "p99 61.0 ms, over 50 ms", reason=BOUND)) == [
        BOUND,
        "p99 61.0 ms, over 50 ms",
    ]


def test_a_profile_with_the_section_makes_run_a_search() -> None:
    places = Places(TAURUS.parent)
    assert is_search(given(), places)
    assert not is_search(given(profile="smoke"), places)
    assert is_search(given(profile="smoke", option=["search.precision=10%"]), places)


@pytest.mark.parametrize(
    ("override", "line"),
    [
        ("search.precision=0.1%", 'search.precision: "0.1%" is not between 1% and 50%'),
        ("search.max-rate=100", "search.max-rate: 100 is below execution.0.throughput, the start rate 200"),
        ("search.min-rate=300", "search.min-rate: 300 is above execution.0.throughput, the start rate 200"),
        (
            "execution.0.steps=3",
            "execution.0.steps: each run of a search has one rate; remove it, or the section search",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(checkout: Checkout, override: str, line: str) -> None:
    more = ("-o", "execution.0.ramp-up=1s") if "steps" in override else ()
    code, output = checkout.run("run", "--target", "noop", "--profile", "find-capacity", *more, "-o", override)
    assert (code, output.strip().splitlines()) == (1, [f"shardload: -o {line}"]), output
    assert not (checkout.root / "runs").exists()


def test_a_search_needs_a_rate_and_a_hold() -> None:
    with pytest.raises(Problem, match=r"search: needs execution\.0\.throughput, the rate to start with"):
        checked_with("execution.0.throughput=null")
    with pytest.raises(Problem, match=r"search: needs execution\.0\.hold-for, how long each rate is held"):
        checked_with("execution.0.hold-for=null", "execution.0.ramp-up=5s")


def test_a_series_of_searches_is_refused(checkout: Checkout) -> None:
    code, output = checkout.run("run", "--target", "noop", "--profile", "find-capacity", "--repeat", "2")
    assert code == 1
    assert output == (
        'shardload: --repeat: the section "search" of the profile already makes the run a search; '
        "name another profile\n"
    )
