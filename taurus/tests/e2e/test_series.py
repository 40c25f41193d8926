"""Series of real runs against noop, whose service time is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from shardload.series import worst
from tests.e2e.conftest import RealCheckout

pytestmark = pytest.mark.e2e


def write_target(real: RealCheckout, name: str, service_time: str) -> None:
    content = {"target": {"driver": "noop", "options": {"service-time": service_time}}}
    (real.root / "taurus" / "targets" / f"{name}.yml").write_text(yaml.safe_dump(content))


def series_of(real: RealCheckout) -> Path:
    (found,) = (real.root / "runs").glob("*-series")
    return found


def run_series(real: RealCheckout, *arguments: str) -> tuple[int, str]:
    return real.run("run", *arguments, *real.short(hold_for="2s", warm_up="0s", ramp_up="0s", throughput="20"))


def test_a_fifth_more_service_time_is_found(real: RealCheckout) -> None:
    write_target(real, "quick", "200ms")
    write_target(real, "slow", "240ms")
    code, output = run_series(real, "--target", "quick", "--repeat", "3", "--interleave-with", "slow")
    assert "run 3 of 6: B (slow)" in output
    series = json.loads((series_of(real) / "series.json").read_text())
    assert series["order"] == ["A", "B", "B", "A", "B", "A"]
    assert all(run["bundle"] for run in series["runs"])
    assert code == worst([run["exit"] for run in series["runs"]]), output
    result = json.loads((series_of(real) / "compare.json").read_text())
    # The timer of a busy machine adds its own share to both sides; of 200 ms it is a small one, and the median
    # forgets the few calls that were under way while the machine stood still.
    effect = result["sum"]["effects"]["B"]["service_ns.p50"]
    assert effect["verdict"] == "higher", output
    assert 1.1 < effect["ratio"] < 1.3
    assert (series_of(real) / "compare.html").stat().st_size > 10_000
    code, again = real.run("compare", series_of(real).name)
    assert code == 0
    assert f"{effect['ratio']:.3f} of A" in again


def test_a_refused_combination_starts_nothing(real: RealCheckout) -> None:
    code, output = run_series(real, "--target", "noop", "--vary", "target.options.service-time=1ms,fast")
    assert code == 1
    assert "target.options.service-time=fast: " in output
    assert len(output.strip().splitlines()) == 1
    assert not (real.root / "runs").exists() or not list((real.root / "runs").iterdir())
