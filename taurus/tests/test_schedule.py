"""Load keys to segments, against closed formulas."""

from __future__ import annotations

import pytest

from shardload.config.problem import Problem
from shardload.config.values.schedule import LoadKeys, Segment, read_load_keys, segment_at, total_seconds


def keys(**changes: object) -> LoadKeys:
    execution = {"concurrency": 8, "throughput": 500, "hold-for": "50s"}
    execution.update({name.replace("_", "-"): value for name, value in changes.items()})
    return read_load_keys({name: value for name, value in execution.items() if value is not None})


def test_hold_alone() -> None:
    assert keys().segments() == [Segment("hold", "hold", 50.0, 500.0, 500.0, 8, 8)]


def test_ramp_and_warm_up_at_the_full_rate() -> None:
    segments = keys(ramp_up="10s", warm_up="5s").segments()
    assert segments == [
        Segment("warm-up", "warm-up", 5.0, 500.0, 500.0, 8, 8),
        Segment("ramp", "ramp", 10.0, 0.0, 500.0, 8, 8),
        Segment("hold", "hold", 50.0, 500.0, 500.0, 8, 8),
    ]
    assert [segment.expected_arrivals for segment in segments] == [2500.0, 2500.0, 25000.0]


def test_steps_share_ramp_up_and_climb_evenly() -> None:
    segments = keys(throughput=50, ramp_up="10m", steps=10, warm_up="10s", hold_for=None).segments()
    assert segments[0] == Segment("warm-up", "warm-up", 10.0, 5.0, 5.0, 8, 8)
    assert [segment.name for segment in segments[1:]] == [f"step-{number}" for number in range(1, 11)]
    assert [segment.to_rate for segment in segments[1:]] == [5.0 * number for number in range(1, 11)]
    assert {segment.seconds for segment in segments[1:]} == {60.0}
    # N steps of T/N seconds at k*R/N: T * R * (N + 1) / 2N arrivals.
    assert sum(segment.expected_arrivals or 0 for segment in segments[1:]) == 600 * 50 * 11 / 20


def test_steps_then_hold() -> None:
    assert [segment.name for segment in keys(ramp_up=4, steps=2).segments()] == ["step-1", "step-2", "hold"]


def test_closed_model_shapes_the_workers() -> None:
    segments = keys(throughput=None, ramp_up="8s", warm_up="2s").segments()
    assert segments == [
        Segment("warm-up", "warm-up", 2.0, None, None, 8, 8),
        Segment("ramp", "ramp", 8.0, None, None, 1, 8),
        Segment("hold", "hold", 50.0, None, None, 8, 8),
    ]
    assert segments[0].expected_arrivals is None


def test_closed_steps_round_workers_up() -> None:
    segments = keys(throughput=None, ramp_up="9s", steps=3, hold_for=None, warm_up="1s").segments()
    assert [segment.to_workers for segment in segments] == [3, 3, 6, 8]


def test_fraction_of_an_arrival_per_second_is_kept() -> None:
    assert keys(throughput=0.5).segments()[0].to_rate == 0.5


def test_rate_over_time() -> None:
    segments = keys(ramp_up="10s", warm_up="5s").segments()
    assert total_seconds(segments) == 65
    assert [segment_at(segments, at).name for at in (0, 5, 15, 99)] == ["warm-up", "ramp", "hold", "hold"]


@pytest.mark.parametrize(
    ("changes", "key", "text"),
    [
        ({"hold_for": None}, "throughput", "needs hold-for or ramp-up"),
        ({"hold_for": None, "throughput": None}, "concurrency", "needs hold-for or ramp-up"),
        ({"hold_for": "0s"}, "throughput", "needs hold-for or ramp-up"),
        ({"steps": 3}, "steps", "needs ramp-up"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, object], key: str, text: str) -> None:
    with pytest.raises(Problem, match=text) as raised:
        keys(**changes)
    assert raised.value.key == key
