"""The section ``faults`` of a profile, and what the console shows of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shardload.bzt_modules.faults import RunFaults
from shardload.config.effective import generator_properties
from shardload.config.problem import Problem
from shardload.config.shapes import sections
from shardload.config.values.faults import no_time_to_recover, read_faults
from shardload.config.values.quantities import seconds
from shardload.config.values.schedule import LoadKeys
from shardload.results.tail import Second

LOAD = LoadKeys(concurrency=8, throughput=500.0, ramp_up=0, steps=None, hold_for=60, warm_up=10)
EMBEDDED = {"embedded": "postgresql"}
PAUSE = {"faults": {"pause": {"begin": "docker pause db", "end": "docker unpause db", "check": None}}}


def plan(section: list[dict[str, Any]], target: dict[str, Any] | None = None, seed: int = 1) -> list[dict[str, Any]]:
    return [fault.to_json() for fault in read_faults(section, EMBEDDED if target is None else target, LOAD, seed)]


def test_faults_come_in_order_of_time_with_their_commands() -> None:
    section = [{"fault": "pause", "at": "40s", "duration": "2s"}, {"fault": "pause", "at": "10s"}]
    commands = {"begin": "docker pause db", "end": "docker unpause db"}
    assert plan(section, PAUSE) == [
        {"name": "pause-1", "fault": "pause", "at_seconds": 10.0, "duration_seconds": 5.0, **commands},
        {"name": "pause-2", "fault": "pause", "at_seconds": 40.0, "duration_seconds": 2.0, **commands},
    ]


def test_a_single_fault_has_no_number_and_takes_five_seconds() -> None:
    (fault,) = plan([{"fault": "kill", "at": "10s"}])
    assert fault["name"] == "kill"
    default = sections()["faults"]["items"]["properties"]["duration"]["default"]
    assert fault["duration_seconds"] == seconds(default) == 5


def test_drawn_faults_depend_on_the_seed_alone_and_leave_time_to_recover() -> None:
    section = [{"fault": ["kill", "stop"], "times": 5, "duration": ["1s", "4s"]}]
    first = plan(section)
    assert first == plan(section)
    assert first != plan(section, seed=2)
    assert len(first) == 5
    assert {fault["fault"] for fault in plan(section, seed=2) + first} == {"kill", "stop"}
    for number, fault in enumerate(first):
        begin, end = 5 + 11 * number, 5 + 11 * (number + 1)
        assert begin <= fault["at_seconds"] <= begin + 5.5
        assert 1 <= fault["duration_seconds"] <= 4
        assert fault["at_seconds"] + fault["duration_seconds"] < end


@pytest.mark.parametrize(
    ("section", "text"),
    [
        ([{"fault": "kil", "at": "10s"}], 'unknown fault "kil"; did you mean "kill"?'),
        ([{"fault": "kill"}], "needs either at or times"),
        ([{"fault": "kill", "at": "10s", "times": 2}], "needs either at or times"),
        ([{"fault": "kill", "at": "10s", "duration": ["5s", "1s"]}], "the shortest duration comes first"),
        ([{"fault": "kill", "times": 6, "duration": "5s"}], "6 faults of up to 5 s do not fit; at most 5 do"),
        (
            [{"fault": "kill", "at": "4s"}],
            "kill at 4 s: must be at least 5s after the warm-up, to know the rate before it",
        ),
        ([{"fault": "kill", "at": "56s"}], "kill from 56 s to 61 s: the results end after 60 s"),
        (
            [{"fault": "kill", "at": "10s"}, {"fault": "stop", "at": "14s"}],
            "stop at 14 s begins before kill ends, at 15 s; one fault at a time",
        ),
    ],
)
def test_what_does_not_fit_is_refused(section: list[dict[str, Any]], text: str) -> None:
    with pytest.raises(Problem) as refused:
        plan(section)
    assert str(refused.value) == text


def test_a_server_that_is_not_embedded_has_only_its_own_faults() -> None:
    with pytest.raises(Problem, match=r'^unknown fault "kill"; target\.faults of this target has none$'):
        plan([{"fault": "kill", "at": "10s"}], {"url": "postgresql://db1/x"})


def test_steps_are_refused() -> None:
    steps = LoadKeys(concurrency=8, throughput=500.0, ramp_up=60, steps=3, hold_for=0, warm_up=10)
    with pytest.raises(Problem, match=r"^require one load level; remove steps$"):
        read_faults([{"fault": "kill", "at": "10s"}], EMBEDDED, steps, 1)


@pytest.mark.parametrize(
    ("rate", "later", "text"),
    [
        # 60 s are the results: 42 s after the end of the second fault.
        (72.0, None, None),
        (
            71.0,
            None,
            "the recovery from stop cannot be measured: 3 windows of 1,000 calls take 45 s at 71/s, and 42 s after its "
            "end the load ends; hold-for must be 3 s longer, or throughput at least 72",
        ),
        (
            500.0,
            "20s",
            "the recovery from kill cannot be measured: 3 windows of 1,000 calls take 6 s at 500/s, and 5 s after its "
            "end stop begins; stop must begin 1 s later, or throughput at least 1000",
        ),
        (
            500.0,
            "17.5s",
            "the recovery from kill cannot be measured: 3 windows of 1,000 calls take 6 s at 500/s, and 2.5 s after "
            "its end stop begins; stop must begin 3.5 s later",
        ),
        (None, "17.5s", None),
    ],
)
def test_a_recovery_needs_three_windows(rate: float | None, later: str | None, text: str | None) -> None:
    """Turned red by two windows, by the begin of a fault, and by the end of the load alone."""
    first = [{"fault": "kill", "at": "10s", "duration": "5s"}] if later else []
    faults = read_faults([*first, {"fault": "stop", "at": later or "13s"}], EMBEDDED, LOAD, 1)
    assert no_time_to_recover(faults, replace(LOAD, throughput=rate)) == text


class Child:
    """A session that only listens."""

    config: dict[str, Any] = {"faults": [{"name": "kill"}]}
    is_alive = True

    def __init__(self) -> None:
        self.heard: list[tuple[str, dict[str, Any]]] = []

    def call(self, verb: str, interrupted: object = None, **request: Any) -> dict[str, Any]:
        self.heard.append((verb, request))
        return {}


def second(end: float, **more: Any) -> Second:
    ledger = {"from_ns": int((end - 1) * 1e9), "to_ns": int(end * 1e9), "epoch_ms": 1_000_000 + end * 1000, **more}
    return Second(ledger)


def test_the_child_learns_the_start_once_the_prolonged_warm_up_is_over(tmp_path: Path) -> None:
    child = Child()
    faults = RunFaults(child, tmp_path, 10, lambda _: None)  # type: ignore[arg-type]
    for end in (9.0, 10.0, 11.9):
        faults.hear(second(end, prolonged_ns=2_000_000_000, warm_up_ns=12_000_000_000))
    assert child.heard == []
    for end in (12.0, 13.0):
        faults.hear(second(end, prolonged_ns=2_000_000_000, warm_up_ns=12_000_000_000))
    assert child.heard == [("faults-started", {"epoch_ms": 1_000_000.0, "warm_up_seconds": 12.0})]


def test_a_run_that_is_stopped_ends_its_fault_and_begins_none(tmp_path: Path) -> None:
    child = Child()
    faults = RunFaults(child, tmp_path, 10, lambda _: None)  # type: ignore[arg-type]
    faults.stop()
    faults.hear(second(11.0))
    assert child.heard == [("faults-stop", {})]
    child.is_alive = False
    faults.stop()
    assert len(child.heard) == 1, "a new child would be started"


def test_events_are_shown_once_each_and_only_whole_lines(tmp_path: Path) -> None:
    shown: list[str] = []
    faults = RunFaults(Child(), tmp_path, 10, shown.append)  # type: ignore[arg-type]
    faults.look()
    events = [
        {"event": "begin", "fault": "kill", "load_ns": 18_000_000_000},
        {"event": "begun", "fault": "kill", "load_ns": 18_020_000_000},
        {"event": "failed", "fault": "kill", "load_ns": 21_000_000_000, "text": "end ended with code 1"},
    ]
    lines = [json.dumps(event) + "\n" for event in events]
    path = tmp_path / "faults.jsonl"
    path.write_text("".join(lines[:2]) + lines[2][:10], encoding="utf-8")
    faults.look()
    path.write_text("".join(lines), encoding="utf-8")
    faults.look()
    assert shown == ["  18.00 s  fault kill: begins", "  21.00 s  fault kill: FAILED: end ended with code 1"]


def test_a_generator_gets_no_commands() -> None:
    """Turned red by each of the three keys."""
    fault = plan([{"fault": "pause", "at": "10s"}], {"faults": {"pause": {"begin": "aa", "end": "bb", "check": "cc"}}})
    sent = generator_properties({"load": {"workers": 8}, "faults": fault})
    assert '"fault":"pause"' in sent
    assert not any(command in sent for command in ('"aa"', '"bb"', '"cc"'))
    assert [fault[0][key] for key in ("begin", "end", "check")] == ["aa", "bb", "cc"]
