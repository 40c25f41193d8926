"""Stages to segments, against closed formulas, and the lines that refuse what does not fit."""

from __future__ import annotations

import json

import pytest

from shardload.config.effective import build
from shardload.config.problem import Problem
from shardload.config.values.schedule import LoadKeys, Segment, expected_counts, read_load_keys, total_seconds
from tests.test_check import load

SPIKE = [
    {"throughput": 100, "for": "20s"},
    {"throughput": 400, "for": "10s", "ramp": "2s", "name": "spike"},
    {"throughput": 100, "for": "30s", "ramp": "4s"},
]


def keys(stages: list[dict[str, object]], **more: object) -> LoadKeys:
    return read_load_keys({"concurrency": 8, "stages": stages, **more})


def refusal(*overrides: str) -> str:
    with pytest.raises(Problem) as raised:
        load(*overrides, profile="spike")
    return str(raised.value)


def test_each_stage_is_a_segment_and_so_is_the_way_to_it() -> None:
    segments = keys(SPIKE, **{"warm-up": "5s"}).segments()
    assert segments == [
        Segment("warm-up", "warm-up", 5.0, 100.0, 100.0, 8, 8),
        Segment("stage-1", "stage", 20.0, 100.0, 100.0, 8, 8),
        Segment("spike-ramp", "ramp", 2.0, 100.0, 400.0, 8, 8),
        Segment("spike", "stage", 10.0, 400.0, 400.0, 8, 8),
        Segment("stage-3-ramp", "ramp", 4.0, 400.0, 100.0, 8, 8),
        Segment("stage-3", "stage", 30.0, 100.0, 100.0, 8, 8),
    ]
    # A ramp of T seconds from a to b has T (a + b) / 2 arrivals.
    assert [segment.expected_arrivals for segment in segments] == [500, 2000, 500, 4000, 1000, 3000]
    assert total_seconds(segments) == 5 + 20 + 12 + 34


def test_the_first_ramp_begins_at_0_as_ramp_up_does() -> None:
    segments = keys([{"throughput": 50, "for": 10, "ramp": 4}]).segments()
    assert segments == [
        Segment("stage-1-ramp", "ramp", 4.0, 0.0, 50.0, 8, 8),
        Segment("stage-1", "stage", 10.0, 50.0, 50.0, 8, 8),
    ]


def test_a_stage_may_be_a_pause_or_a_ramp_alone() -> None:
    stages = [{"throughput": 0, "for": "3s"}, {"throughput": 40, "for": 0, "ramp": "5s"}]
    segments = keys(stages, **{"warm-up": 2}).segments()
    assert segments == [
        Segment("warm-up", "warm-up", 2.0, 40.0, 40.0, 8, 8),
        Segment("stage-1", "stage", 3.0, 0.0, 0.0, 8, 8),
        Segment("stage-2-ramp", "ramp", 5.0, 0.0, 40.0, 8, 8),
    ]


def test_stages_are_the_open_model_and_the_result_is_what_they_hold() -> None:
    assert keys(SPIKE).model == "open"
    known = {"expected": {name: {"a": 10.0} for name in ("stage-1", "spike-ramp", "spike", "stage-3")}}
    assert expected_counts(keys(SPIKE).segments(), known) == {"a": 30.0, "": 30.0}


def test_java_gets_the_segments_and_is_asked_for_the_rate_of_each() -> None:
    changes = (f"execution.0.stages={json.dumps(SPIKE)}", "execution.0.arrivals=poisson")
    config = build(load(*changes, profile="spike"), "run", None, "spike")["load"]
    assert [part["kind"] for part in config["segments"]] == ["warm-up", "stage", "ramp", "stage", "ramp", "stage"]
    assert (config["model"], config["arrivals"], config["rate_profile"]) == ("open", "poisson", True)


@pytest.mark.parametrize(
    ("override", "line"),
    [
        (
            "throughput=100",
            "-o execution.0.throughput: cannot be combined with stages; each stage has its own throughput",
        ),
        ("steps=3", "-o execution.0.steps: cannot be combined with stages; write each step as a stage"),
        ("ramp-up=5s", "-o execution.0.ramp-up: cannot be combined with stages; each stage has its own ramp"),
        ("hold-for=5s", "-o execution.0.hold-for: cannot be combined with stages; each stage has its own for"),
        ("stages=[]", "-o execution.0.stages: must be a list, such as [{throughput: 200, for: 30s}, {"),
        ("stages.1.rampe=5s", '-o execution.0.stages.1.rampe: unknown key "rampe"; did you mean "ramp"?'),
        ("stages.1.hold-for=5s", '-o execution.0.stages.1.hold-for: unknown key "hold-for"; did you mean "for"?'),
        ("stages.1.throughput=-1", 'stages.1.throughput: "-1" is not a number of at least 0'),
        ("stages.1.throughput=true", "is not a number of at least 0"),
        ("stages.1.ramp=-1s", "stages.1.ramp: "),
        ("stages.1.name=two words", 'stages.1.name: "two words" is not a name of a stage: up to 15 letters'),
        ("stages.1.name=a-name-of-16-let", "is not a name of a stage: up to 15 letters"),
        ("stages.1.name=warm-up", 'stages.1.name: "warm-up" is reserved for the warm-up'),
        (
            'stages=[{"throughput": 5, "for": 0}]',
            "stages.0.for: is 0 and there is no ramp, so the stage has no duration",
        ),
        ('stages=[{"throughput": 0, "for": 5}]', "execution.0.stages: no stage has a throughput above 0"),
        (
            'stages=[{"throughput": 1, "for": 5}, {"throughput": 2, "for": 5, "name": "stage-1"}]',
            'stages.1: the segment name "stage-1" is already used by stage 1',
        ),
        (
            'stages=[{"throughput": 1, "for": 5, "ramp": 5}, {"throughput": 2, "for": 5, "name": "stage-1-ramp"}]',
            'stages.1: the segment name "stage-1-ramp" is already used by stage 1',
        ),
    ],
)
def test_one_line_each(override: str, line: str) -> None:
    text = refusal(f"execution.0.{override}")
    assert line in text and "\n" not in text


def test_all_lines_come_at_once() -> None:
    lines = refusal("execution.0.stages.0.for=x", "execution.0.stages.2.foor=1").split("\n")
    assert [line.partition(":")[0] for line in lines] == [
        "-o execution.0.stages.0.for",
        "-o execution.0.stages.2.foor",
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("200ms", {"mean_seconds": 0.2, "distribution": "constant"}),
        (2, {"mean_seconds": 2.0, "distribution": "constant"}),
        ({"mean": "1s500ms"}, {"mean_seconds": 1.5, "distribution": "constant"}),
        ({"mean": "50us", "distribution": "exponential"}, {"mean_seconds": 5e-5, "distribution": "exponential"}),
        ({"mean": 1, "distribution": "uniform"}, {"mean_seconds": 1.0, "distribution": "uniform"}),
    ],
)
def test_think_time_is_handed_on(value: object, expected: dict[str, object]) -> None:
    config = build(load(f"execution.0.think-time={json.dumps(value)}", profile="closed"), "run", None, "closed")
    assert config["load"]["think_time"] == expected
    assert "think_time" not in build(load(profile="closed"), "run", None, "closed")["load"]


@pytest.mark.parametrize(
    ("override", "line", "profile"),
    [
        ("think-time=1s", "-o execution.0.think-time: cannot be combined with throughput: in the open model", "smoke"),
        ("think-time=1s", "-o execution.0.think-time: cannot be combined with stages: in the open model", "spike"),
        ("think-time=soon", '-o execution.0.think-time: "soon" is not a duration', "closed"),
        ("think-time=0s", '-o execution.0.think-time: "0s" is not a duration above 0', "closed"),
        ("think-time=2d", '-o execution.0.think-time: "2d" is more than a day', "closed"),
        ("think-time=[1, 2]", "-o execution.0.think-time: [1, 2] is not a duration", "closed"),
        ('think-time={"mean": 1, "kind": "uniform"}', 'think-time.kind: unknown key "kind"; known are', "closed"),
    ],
)
def test_think_time_that_does_not_fit(override: str, line: str, profile: str) -> None:
    with pytest.raises(Problem) as raised:
        load(f"execution.0.{override}", profile=profile)
    assert line in str(raised.value) and "\n" not in str(raised.value)
