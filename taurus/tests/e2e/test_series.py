"""Series of real runs against noop, whose service time is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from shardload import exit_codes
from tests.conftest import open_to_others
from tests.e2e.conftest import GENTLE, RealCheckout, options

pytestmark = [pytest.mark.e2e, pytest.mark.long]


def write_target(real: RealCheckout, name: str, service_time: str) -> None:
    content = {"target": {"driver": "noop", "options": {"service-time": service_time}}}
    (real.root / "taurus" / "targets" / f"{name}.yml").write_text(yaml.safe_dump(content))


def series_of(real: RealCheckout) -> Path:
    (found,) = (real.root / "runs").glob("*-series")
    return found


def run_series(real: RealCheckout, *arguments: str) -> tuple[int, str]:
    short = {"throughput": "20", "hold-for": "2s", "warm-up": "0s", "ramp-up": "0s"}
    load = {**GENTLE, **{f"execution.0.{key}": value for key, value in short.items()}}
    return real.run("run", *arguments, *options(load))


def test_a_fifth_more_service_time_is_shown(real: RealCheckout) -> None:
    write_target(real, "quick", "200ms")
    write_target(real, "slow", "240ms")
    code, output = run_series(real, "--target", "quick", "--repeat", "2", "--interleave-with", "slow")
    assert "run 3 of 4: B (slow)" in output
    series = json.loads((series_of(real) / "series.json").read_text())
    assert series["order"] == ["A", "B", "B", "A"]
    assert all(run["bundle"] for run in series["runs"])
    assert code == exit_codes.worst([run["exit"] for run in series["runs"]]), output
    result = json.loads((series_of(real) / "compare.json").read_text())
    # The timer of a busy machine adds its own share to both sides; of 200 ms it is a small one, and the median
    # forgets the few calls that were under way while the machine stood still.
    effect = result["sum"]["effects"]["B"]["service_ns.p50"]
    assert 1.1 < effect["ratio"] < 1.3, output
    # Verdicts are proven with seeded bundles.
    assert effect["verdict"] == "not judged", output
    assert effect["reason"] == "2 of the 5 rounds that a verdict needs"
    assert "note: 2 rounds show differences without a verdict" in output.partition("run 1 of 4")[0]
    assert (series_of(real) / "compare.html").stat().st_size > 10_000
    code, again = real.run("compare", series_of(real).name)
    assert code == 0
    assert f"{effect['ratio']:.3f} of A" in again
    assert open_to_others(real.root / "runs") == []


def test_each_size_of_a_series_is_loaded_anew(real: RealCheckout) -> None:
    """Of 1 MiB of RAM and documents of 2 KiB a ratio of 1 makes 512."""
    code, output = run_series(
        real, "--target", "embedded-postgresql", "--vary", "workload.data.ratio-to-ram=0.5,1",
        "-o", "target.server-ram=1MiB", "-o", "workload.data.tenants=4",
    )  # fmt: skip
    series = json.loads((series_of(real) / "series.json").read_text())
    assert [run["side"] for run in series["runs"]] == ["A", "B"], output
    for run, ratio, documents in zip(series["runs"], ("0.5", "1"), (256, 512)):
        bundle = real.root / "runs" / run["bundle"]
        environment = json.loads((bundle / "environment.json").read_text())
        assert environment["data"]["size"]["asked"] == f"ratio-to-ram: {ratio}"
        assert environment["data"]["size"]["documents"] == environment["rows_at_start"] == documents
        (opened,) = environment["connections_opened"].values()
        assert opened > 0
        verification = json.loads((bundle / "verification.json").read_text())
        assert verification["verdict"] == "clean", output
        # A run of two seconds at 20/s writes some ten documents more or less.
        assert abs(verification["walked"] - documents) <= 40
    told = json.loads((series_of(real) / "compare.json").read_text())
    asked_for = {each["aspect"]: each["asked_for"] for each in told["not_comparable"]}
    assert asked_for.keys() >= {"documents", "rows at start", "rows at end"}
    assert all(asked_for.values()), output
    assert "VARIED  documents: " in output
    assert "NOT COMPARABLE" not in output
    assert code == exit_codes.worst([run["exit"] for run in series["runs"]]), output
