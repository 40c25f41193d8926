"""Series of runs: their order, their matrix, their ends; the runs themselves are a recording fake.

Where signals matter, they are real processes with fakes in place of Java.
"""

from __future__ import annotations

import argparse
import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from shardload import exit_codes
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.terminal import Terminal
from shardload.verbs.compare import find_run
from shardload.verbs.series import Side, build_sides, label_of, order, read_rounds, read_vary, without_verdict
from shardload.verbs.series_run import Series
from tests.conftest import Checkout

TWO = build_sides(["citus", "ferretdb"], [], ["a=1"])


def letters(sides: list[Side], rounds: int) -> str:
    return "".join(turn.side.label for turn in order(sides, rounds))


def test_two_sides_run_in_turned_pairs() -> None:
    assert letters(TWO, 1) == "AB"
    assert letters(TWO, 2) == "ABBA"
    assert letters(TWO, 4) == "ABBABAAB"
    assert letters(TWO, 5) == "ABBABAABAB"
    assert letters(TWO, 8) == "ABBABAABABBABAAB"
    assert [turn.round for turn in order(TWO, 4)] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert [turn.number for turn in order(TWO, 2)] == [1, 2, 3, 4]


def test_a_matrix_turns_round_as_well() -> None:
    assert letters(build_sides(["t"], [("k", ["1", "2", "3"])], []), 4) == "ABCCBACBAABC"


def test_no_side_gains_from_a_steady_drift() -> None:
    turns = order(TWO, 4)
    sums = {label: sum(turn.number for turn in turns if turn.side.label == label) for label in "AB"}
    assert sums["A"] == sums["B"]


@pytest.mark.parametrize(
    ("varied", "overrides"), [([], ["target.url=postgresql://one/db"]), ([("target.embedded", ["a", "b"])], [])]
)
def test_an_address_does_not_hold_for_two_targets(varied: list[tuple[str, list[str]]], overrides: list[str]) -> None:
    with pytest.raises(Problem, match="would hold for citus and ferretdb alike"):
        build_sides(["citus", "ferretdb"], varied, overrides)
    assert build_sides(["citus"], varied, overrides)
    assert build_sides(["citus", "postgresql"], [], ["target.options.statements=simple"])


def test_a_matrix_holds_every_combination() -> None:
    varied = read_vary(["schema.index=hash,btree", "execution.0.throughput=200,400"], [])
    sides = build_sides(["citus"], varied, ["x=1"])
    assert [side.overrides for side in sides] == [
        ("x=1", "schema.index=hash", "execution.0.throughput=200"),
        ("x=1", "schema.index=hash", "execution.0.throughput=400"),
        ("x=1", "schema.index=btree", "execution.0.throughput=200"),
        ("x=1", "schema.index=btree", "execution.0.throughput=400"),
    ]
    assert sides[0].name == "schema.index=hash, execution.0.throughput=200"
    assert [side.label for side in sides] == ["A", "B", "C", "D"]


def test_sides_are_named_by_what_differs() -> None:
    assert [side.name for side in TWO] == ["citus", "ferretdb"]
    both = build_sides(["citus", "ferretdb"], [("k", ["1", "2"])], [])
    assert [side.name for side in both] == ["citus, k=1", "ferretdb, k=1", "citus, k=2", "ferretdb, k=2"]
    assert label_of(25) == "Z"
    assert label_of(26) == "S27"


@pytest.mark.parametrize(
    ("texts", "overrides", "message"),
    [
        (["schema.index"], [], "has the form key=value,value"),
        (["schema.index=hash,"], [], "has the form key=value,value"),
        (["schema.index=hash,hash"], [], "a value appears twice"),
        (["k=1", "k=2"], [], "k is set twice"),
        (["k=1,2"], ["k=3"], "k is set twice"),
    ],
)
def test_what_cannot_be_varied_is_refused(texts: list[str], overrides: list[str], message: str) -> None:
    with pytest.raises(Problem, match=message):
        read_vary(texts, overrides)


def test_how_often() -> None:
    assert read_rounds(None, True, 2) == 6
    assert read_rounds(None, False, 4) == 1
    assert read_rounds(3, True, 2) == 3
    for repeat in (0, -1, 501):
        with pytest.raises(Problem, match="--repeat"):
            read_rounds(repeat, True, 2)


def test_too_few_rounds_for_a_verdict() -> None:
    assert without_verdict(1, 2) == "one round shows differences without a verdict; a verdict needs --repeat 5"
    assert without_verdict(4, 3) == "4 rounds show differences without a verdict; a verdict needs --repeat 5"
    assert without_verdict(5, 2) is None
    assert without_verdict(1, 1) is None, "nothing is compared"


@pytest.mark.parametrize(
    ("codes", "expected"),
    [([0, 0], 0), ([0, 3], 3), ([3, 2], 2), ([2, 5, 3], 5), ([5, 4], 4), ([0, 1], 2), ([0, 143], 2), ([], 0)],
)
def test_the_worst_code_counts(codes: list[int], expected: int) -> None:
    assert exit_codes.worst(codes) == expected


class FakeRuns:
    """Records the verbs and leaves a bundle for each run; refuses what it was not told to expect."""

    def __init__(self, places: Places, codes: dict[int, int]) -> None:
        self.places = places
        self.codes = codes
        self.calls: list[list[str]] = []
        self.summaries: dict[int, dict] = {}
        self.stop_after: int | None = None

    def start(self, arguments: Sequence[str], series: str) -> int:
        assert arguments[0] in ("load", "run"), arguments
        self.calls.append(list(arguments))
        number = int(series.rpartition("/")[2])
        if arguments[0] == "load":
            return self.codes.get(-number, 0)
        code = self.codes.get(number, 0)
        if code not in (1, 2):
            bundle = self.places.runs / f"bundle-{number}"
            bundle.mkdir()
            (bundle / "run.json").write_text(json.dumps({"run": {"series": series}}))
            (bundle / "summary.json").write_text(json.dumps(self.summaries.get(number, {})))
        return code

    def is_stopping(self) -> bool:
        return self.stop_after is not None and sum(call[0] == "run" for call in self.calls) >= self.stop_after


def fake_series(
    tmp_path: Path, codes: dict[int, int], sides: list[Side] = TWO, kept: Sequence[str] = ()
) -> tuple[Series, FakeRuns]:
    places = Places(tmp_path)
    options = argparse.Namespace(
        target="citus", workload="w", profile="p", verbose=False, quiet=False, discard_unsettled=[],
        replace_foreign=False,
    )  # fmt: skip
    return Series(options, places, Terminal(), order(sides, 2), [], "shop", kept), FakeRuns(places, codes)


def file_of(series: Series) -> dict:
    return json.loads((series.folder / "series.json").read_text())


def test_each_run_begins_with_data_loaded_anew(tmp_path: Path) -> None:
    sides = build_sides(["citus", "ferretdb"], [], ["execution.0.hold-for=5s", "workload.seed=2"])
    series, fake = fake_series(tmp_path, {}, sides)
    assert series.run(fake.start, fake.is_stopping) == 0
    assert [call[0] for call in fake.calls] == ["load", "run"] * 4
    assert [call[call.index("--target") + 1] for call in fake.calls[1::2]] == ["citus", "ferretdb", "ferretdb", "citus"]
    assert fake.calls[0] == ["load", "--recreate", "--target", "citus", "--workload", "w", "-o", "workload.seed=2"]
    overrides = ["-o", "execution.0.hold-for=5s", "-o", "workload.seed=2"]
    assert fake.calls[1] == ["run", "--target", "citus", "--workload", "w", "--profile", "p", *overrides]
    written = file_of(series)
    assert (written["state"], written["workload"]) == ("complete", "shop")
    assert written["order"] == ["A", "B", "B", "A"]
    pairs = [(run["round"], run["side"], run["bundle"]) for run in written["runs"]]
    assert pairs == [(1, "A", "bundle-1"), (1, "B", "bundle-2"), (2, "B", "bundle-3"), (2, "A", "bundle-4")]


def headline(**figures: object) -> dict:
    return {"headline": {"offered_per_second": 300, "achieved_per_second": 300, "answered_per_second": 300, **figures}}


def test_each_run_is_one_line_with_its_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mutations: a bound of p99 as its value; all reasons; the rate that a closed model does not offer."""
    series, fake = fake_series(tmp_path, {2: 3, 4: 2})
    bound = {"p99": None, "at_least_ns": {"p99": 9_550_000_000}}
    late = headline(achieved_per_second=250, answered_per_second=260, latency_ns=bound, errors_percent=1.5)
    fake.summaries = {
        1: headline(latency_ns={"p99": 4_500_000}, errors_percent=0),
        2: {**late, "verdict": {"reasons": ["criterion missed: fail>1% (1.5 %); more", "target rate not reached"]}},
        3: headline(
            offered_per_second=None, achieved_per_second=512, answered_per_second=512, latency_ns={"p99": None}
        ),
    }
    series.run(fake.start, fake.is_stopping)
    assert capsys.readouterr().out.splitlines() == [
        "run 1 of 4: A (citus): ok, achieved 300.0 of 300.0/s, p99 4.50 ms",
        "run 2 of 4: B (ferretdb): missed, achieved 250.0 of 300.0/s, answered 260.0/s whenever due, p99 >= 9.55 s, "
        "errors 1.50 %: criterion missed: fail>1% (1.5 %)",
        "run 3 of 4: B (ferretdb): ok, achieved 512.0/s",
        "run 4 of 4: A (citus): interrupted",
    ]  # fmt: skip
    monkeypatch.setattr(Terminal, "is_quiet", True)
    quiet, fake = fake_series(tmp_path / "quiet", {})
    quiet.run(fake.start, fake.is_stopping)
    assert capsys.readouterr().out == ""


def test_data_that_shardload_did_not_make_are_kept(tmp_path: Path) -> None:
    series, fake = fake_series(tmp_path, {}, kept=["B"])
    assert series.run(fake.start, fake.is_stopping) == 0
    assert [call[0] for call in fake.calls] == ["load", "run", "run", "run", "load", "run"]
    assert [run["bundle"] for run in file_of(series)["runs"]] == ["bundle-1", "bundle-2", "bundle-3", "bundle-4"]


def test_consents_hold_for_the_first_round_and_later_ones_discard_only_the_series_own(tmp_path: Path) -> None:
    series, fake = fake_series(tmp_path, {})
    series._options.discard_unsettled, series._options.replace_foreign = ["theirs"], True
    assert series.run(fake.start, fake.is_stopping) == 0
    loads = [call[2 : call.index("--target")] for call in fake.calls[::2]]
    assert loads[0] == ["--discard-unsettled", "theirs", "--replace-foreign"]
    assert loads[1] == ["--discard-unsettled", "theirs", "--discard-unsettled", "bundle-1", "--replace-foreign"]
    assert loads[2] == ["--discard-unsettled", "bundle-1", "--discard-unsettled", "bundle-2"]
    assert loads[3] == ["--discard-unsettled", "bundle-1", "--discard-unsettled", "bundle-3"]


def test_a_series_looks_with_the_users_consents_and_is_refused_before_its_folder_is_made(checkout: Checkout) -> None:
    consents = ("--discard-unsettled", "run-1", "--replace-foreign")
    code, output = checkout.run("run", "--target", "noop", "--repeat", "2", *consents, FAKE_CHILD="look-error")
    assert code == 1, output
    assert "shardload: noop: look does not work\n  to settle it:\n    " in output
    looked = checkout.requests[-1]
    assert (looked["verb"], looked["discard_unsettled"], looked["replace_foreign"]) == ("look", ["run-1"], True)
    assert not (checkout.root / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "--replace-foreign"), "--replace-foreign: only together with a series"),
        (("load", "--discard-unsettled", "r"), "--discard-unsettled: only together with --recreate"),
    ],
)
def test_a_consent_without_anything_to_drop_is_refused(
    checkout: Checkout, arguments: tuple[str, ...], message: str
) -> None:
    code, output = checkout.run(*arguments)
    assert (code, message in output) == (1, True), output


def test_a_run_that_died_is_kept_in_the_list_and_the_series_goes_on(tmp_path: Path) -> None:
    series, fake = fake_series(tmp_path, {2: 2, 3: 3})
    assert series.run(fake.start, fake.is_stopping) == 2
    assert [(run["bundle"], run["exit"]) for run in file_of(series)["runs"]] == [
        ("bundle-1", 0),
        (None, 2),
        ("bundle-3", 3),
        ("bundle-4", 0),
    ]


def test_a_refusal_of_the_first_run_starts_nothing(tmp_path: Path) -> None:
    series, fake = fake_series(tmp_path, {-1: 1})
    assert series.run(fake.start, fake.is_stopping) == 1
    assert [call[0] for call in fake.calls] == ["load"]
    assert not series.folder.exists()


def test_data_that_cannot_be_restored_later_are_a_run_that_died(tmp_path: Path) -> None:
    series, fake = fake_series(tmp_path, {-3: 1})
    assert series.run(fake.start, fake.is_stopping) == 2
    assert [call[0] for call in fake.calls] == ["load", "run", "load", "run", "load", "load", "run"]


def test_a_signal_ends_the_series_with_what_is_there(tmp_path: Path) -> None:
    series, fake = fake_series(tmp_path, {})
    fake.stop_after = 2
    assert series.run(fake.start, fake.is_stopping) == 2
    written = file_of(series)
    assert written["state"] == "interrupted"
    assert [run["bundle"] for run in written["runs"]] == ["bundle-1", "bundle-2"]


def test_runs_are_found_by_name_and_by_path(tmp_path: Path) -> None:
    places = Places(tmp_path)
    bundle = places.runs / "20261121-060102-citus-smoke"
    bundle.mkdir(parents=True)
    (bundle / "run.json").write_text("{}")
    assert find_run(bundle.name, places) == bundle
    assert find_run(str(bundle), places) == bundle
    with pytest.raises(Problem, match='did you mean "20261121-060102-citus-smoke"'):
        find_run("20261121-060102-citus-smoek", places)


def start_series(checkout: Checkout, repeat: int, fault: str = "none") -> Any:
    sides = ("--target", "noop", "--interleave-with", "embedded-postgresql", "--repeat", str(repeat))
    return checkout.start("run", *sides, *checkout.options(hold_for="1s"), FAKE_CHILD=fault)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_under_way_and_no_other_begins(checkout: Checkout, number: signal.Signals) -> None:
    """Mutation: the loop over the turns without asking whether to stop."""
    process = start_series(checkout, 2)
    checkout.wait_for_requests("begin", 2)
    process.send_signal(number)
    code, output = checkout.end_of(process)
    assert code == 2, output
    assert "run 1 of 4: A (noop): ok" in output and "run 2 of 4: B (embedded-postgresql): interrupted" in output
    assert "documents loaded in" not in output, "the log has what each verb prints"
    assert "1,000 documents loaded" in (next((checkout.root / "runs").glob("*-series/runs.log"))).read_text()
    before = output.partition("run 1 of 4")[0]
    assert "note: 2 rounds show differences without a verdict; a verdict needs --repeat 5\n" in before
    assert "run 3 of 4" not in output
    (folder,) = (checkout.root / "runs").glob("*-series")
    written = json.loads((folder / "series.json").read_text())
    assert written["state"] == "interrupted"
    assert [run["side"] for run in written["runs"]] == ["A", "B"]
    assert written["runs"][1]["exit"] == 2
    for run, interrupted in zip(written["runs"], (False, True)):
        bundle = checkout.root / "runs" / run["bundle"]
        assert json.loads((bundle / "outcome.json").read_text())["interrupted"] is interrupted
        assert (bundle / "report.html").exists()
    told = output.splitlines()
    assert f"stopped: 2 of 4 runs left a bundle; runs/{folder.name}/series.json lists them" in told
    assert "compared 2 bundles" in told and checkout.requests[-1]["brief"] is True
    assert checkout.run("compare", folder.name)[0] == 0 and checkout.requests[-1]["brief"] is False


@pytest.mark.parametrize("verb", ["start-embedded", "size", "look"])
def test_what_a_server_refuses_is_said_before_the_first_run(checkout: Checkout, verb: str) -> None:
    """As memory that is not told, or a method of compression that the server lacks."""
    code, output = checkout.end_of(start_series(checkout, 2, f"{verb}-error"))
    assert code == 1, output
    side = "embedded-postgresql" if verb == "start-embedded" else "noop"
    assert f"{side}: {verb} does not work" in output
    assert [request["verb"] for request in checkout.requests][-1] == verb
    assert not (checkout.root / "runs").exists() or not list((checkout.root / "runs").iterdir())


def test_a_signal_while_the_data_are_restored_begins_no_run(checkout: Checkout) -> None:
    process = start_series(checkout, 1, "slow-load")
    checkout.wait_for_requests("load")
    process.send_signal(signal.SIGTERM)
    code, output = checkout.end_of(process)
    assert code == 2, output
    assert "run 1 of 2: A (noop): not started: the series was stopped" in output
    assert "stopped: 0 of 2 runs left a bundle" in output
    assert "run 2 of 2" not in output
    assert "begin" not in [request["verb"] for request in checkout.requests]


def test_what_the_child_refuses_to_compare_is_one_line(checkout: Checkout) -> None:
    """It knows no target, for a session over bundles has none: nothing is suggested."""
    for name in ("one", "two"):
        (checkout.root / "runs" / name).mkdir(parents=True)
        (checkout.root / "runs" / name / "run.json").write_text("{}")
    code, output = checkout.run("compare", "one", "two", FAKE_CHILD="compare-error")
    assert code == 1, output
    assert output == "shardload: compare does not work\n"


def test_a_comparison_without_scripts(checkout: Checkout, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (checkout.root / "runs" / name).mkdir(parents=True)
        (checkout.root / "runs" / name / "run.json").write_text("{}")
    assert checkout.run("compare", "one", "two")[0] == 0
    assert "static_into" not in checkout.requests[-1]
    assert checkout.run("compare", "one", "two", "--static", str(tmp_path / "page"))[0] == 0
    assert checkout.requests[-1]["static_into"] == str(tmp_path / "page")
