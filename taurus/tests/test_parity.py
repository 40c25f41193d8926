"""The command line of parity, and how a comparison is shown."""

from __future__ import annotations

import signal

import pytest

from shardload.config.problem import Problem
from shardload.verbs.parity import split, table
from tests.conftest import Checkout


def plain(text: str, _colour: str) -> str:
    return text


@pytest.mark.parametrize(
    ("targets", "part"), [("noop", "two or more"), ("", "two or more"), ("noop,noop", "noop is named twice")]
)
def test_targets_that_make_no_comparison(targets: str, part: str) -> None:
    with pytest.raises(Problem, match=part):
        split(targets)


def test_a_scenario_of_a_folder_is_calibrated(checkout: Checkout) -> None:
    scenario = "execution.0.scenario=select-only"
    assert checkout.run("calibrate", "--workload", "tpcb", "-o", scenario)[0] == 0
    [asked] = [one for one in checkout.requests if one["verb"] == "calibrate"]
    assert asked["config"]["mix"] == {"select-only": 100}
    assert asked["config"]["workload"]["name"] == "tpcb"


def test_a_folder_has_no_tenants_and_its_own_documents(checkout: Checkout) -> None:
    code, output = checkout.run("parity", "--targets", "noop,embedded-postgresql", "--workload", "ycsb")
    assert code == 0, output
    data = checkout.requests[0]["config"]["workload"]["data"]
    assert data["documents"] == 2000
    assert "tenants" not in data


def test_tenants_are_few_where_the_workload_has_them(checkout: Checkout) -> None:
    """Mutation: by the name of the file."""
    (checkout.root / "mine.yml").write_text(
        "workload: {name: document-store}\nscenarios: {mix: {mix: {insert: 100}}}\n"
    )
    code, output = checkout.run("parity", "--targets", "noop,embedded-postgresql", "--workload", "./mine.yml")
    assert code == 0, output
    assert checkout.requests[0]["config"]["workload"]["data"]["tenants"] == 20


def test_three_targets() -> None:
    assert split("a, b,c") == ["a", "b", "c"]


def test_the_table_shows_both_sides_of_the_first_difference() -> None:
    difference = {
        "where": "call 3",
        "arguments": "[4711, [a, b]]",
        "sides": {"one": "12 rows", "other": "1 row, without 17"},
    }
    done = {
        "equal": False,
        "targets": ["one", "other"],
        "load": {"name": "load", "equal": True},
        "transactions": [
            {"name": "insert", "calls": 203, "rows": 201, "equal": True, "beyond_limit": 0},
            {"name": "find", "calls": 104, "rows": 1400, "equal": False, "beyond_limit": 3, "difference": difference},
            {"name": "delete", "calls": 0, "rows": 0, "equal": True, "beyond_limit": 0},
        ],
    }
    assert table(done, plain) == [
        "transaction   calls      rows  result",
        "insert          203       201  equal",
        "find            104     1,400  different",
        "    call 3: [4711, [a, b]]",
        "    one    12 rows",
        "    other  1 row, without 17",
        "delete            0         0  not compared: it comes after a difference",
        "3 calls match more rows than the limit: "
        "parity compares the row count, and the rows only where an order determines them",
        "1 of 3 equal: one, other",
    ]


def test_wrong_use_is_one_line_and_starts_nothing(checkout: Checkout) -> None:
    for arguments, part in [
        (["--targets", "noop,postgresql", "--calls", "3"], "--calls 3"),
        (["--targets", "noop,postgresql", "-o", "workload.data.dataset-size=1GiB"], "give it workload.data.documents"),
        (["--targets", "noop,postgresql", "-o", "target.user=me"], "would apply to every target"),
    ]:
        code, output = checkout.run("parity", *arguments)
        assert code == 1 and part in output and len(output.splitlines()) == 1, output
        assert not (checkout.pids / "requests").exists()


def test_both_targets_are_opened_with_their_own_files_by_one_child(checkout: Checkout) -> None:
    code, output = checkout.run("parity", "--targets", "noop,embedded-postgresql", "--calls", "20")
    assert code == 0, output
    asked = [(each["verb"], each["config"]["target"]["name"]) for each in checkout.requests]
    assert asked == [
        ("check", "noop"),
        ("parity-open", "noop"),
        ("check", "embedded-postgresql"),
        ("start-embedded", "embedded-postgresql"),
        ("parity-open", "embedded-postgresql"),
        ("parity", "noop"),
    ]
    assert {each["config"]["workload"]["data"]["documents"] for each in checkout.requests} == {2000}
    assert "0 of 0 equal: noop, embedded-postgresql" in output


def test_different_answers_are_exit_code_4(checkout: Checkout) -> None:
    code, output = checkout.run("parity", "--targets", "noop,embedded-postgresql", FAKE_CHILD="different")
    assert code == 4, output


def test_the_first_signal_waits_for_the_child_and_the_second_leaves(checkout: Checkout) -> None:
    process = checkout.start("parity", "--targets", "noop,embedded-postgresql", FAKE_CHILD="stuck-parity")
    checkout.wait_for_requests("parity")
    process.send_signal(signal.SIGINT)
    assert any(line.startswith("stopping: ") for line in process.stdout)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(checkout.patience_seconds) == 2
    assert len(checkout.living()) == 1
    (checkout.pids / "go-on").touch()
    process.stdout.close()
