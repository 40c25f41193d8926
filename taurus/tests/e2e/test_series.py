"""Series of real runs against noop, whose service time is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.e2e.conftest import RealCheckout

pytestmark = pytest.mark.e2e


def write_target(real: RealCheckout, name: str, service_time: str) -> None:
    content = {"target": {"driver": "noop", "options": {"service-time": service_time, "jitter": "4ms"}}}
    (real.root / "taurus" / "targets" / f"{name}.yml").write_text(yaml.safe_dump(content))


def series_of(real: RealCheckout) -> Path:
    (found,) = (real.root / "runs").glob("*-series")
    return found


def run_series(real: RealCheckout, *arguments: str) -> tuple[int, str]:
    process = real.start("run", *arguments, *real.short(hold_for="3s", warm_up="1s"))
    output, _ = process.communicate(timeout=400)
    return process.returncode, output


def test_a_fifth_more_service_time_is_found(real: RealCheckout) -> None:
    write_target(real, "quick", "18ms")
    write_target(real, "slow", "22ms")
    code, output = run_series(real, "--target", "quick", "--repeat", "3", "--interleave-with", "slow")
    assert code == 0, output
    assert "run 3 of 6: B (slow)" in output
    series = json.loads((series_of(real) / "series.json").read_text())
    assert series["order"] == ["A", "B", "B", "A", "B", "A"]
    assert all(run["bundle"] for run in series["runs"])
    result = json.loads((series_of(real) / "compare.json").read_text())
    effect = result["sum"]["effects"]["B"]["service_ns.mean"]
    # 18 ms and 22 ms, each with a uniform 0 to 4 ms on top, and what the kernel's timer adds: 20 against 24.
    assert effect["verdict"] == "higher", output
    assert 1.15 < effect["low"] < 1.2005
    assert 1.195 < effect["high"] < 1.25
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
