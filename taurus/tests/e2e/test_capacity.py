"""Searches for a capacity that is known: connections, each busy for so long with a call, carry so many calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, RealCheckout, options

pytestmark = [pytest.mark.e2e, pytest.mark.long]
CONNECTIONS = 8
SLEEP_SECONDS = 0.04
KNEE = CONNECTIONS / SLEEP_SECONDS
PRECISION = 0.25
WORKLOAD = """# Each call keeps a connection busy and nothing else.
workload:
  name: nap
  seed: 1
  data:
    tables:
      naps: {rows: 10, columns: {id: {type: sequential}}}
  transactions:
    nap: {rows: one}
scenarios:
  mix:
    mix: {nap: 100}
"""


def write_workload(folder: Path) -> None:
    for name, content in (
        ("schema/postgresql.sql", "CREATE TABLE naps (id bigint PRIMARY KEY);\n"),
        ("transactions/nap/postgresql.sql", f"SELECT pg_sleep({SLEEP_SECONDS}) IS NOT NULL AS done\n"),
        ("workload.yml", WORKLOAD),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)


def run_once(real: RealCheckout, *words: str) -> tuple[int, str]:
    return real.run("run", "--workload", str(real.root / "nap"), *words)


def closed_rate(real: RealCheckout) -> float:
    """Return what the connections carry now, without a search: all of them busy all the time."""
    load = {"execution.0.concurrency": str(CONNECTIONS), "execution.0.warm-up": "1s", "execution.0.hold-for": "6s"}
    code, output = run_once(real, "--profile", "closed", *options(load))
    # Its rate is known also if the machine is so busy that its latencies are not.
    assert code in (0, 5), output
    return float(json.loads((real.latest / "summary.json").read_text())["headline"]["achieved_per_second"])


def search_options(start: int) -> list[str]:
    # Without a limit of p99 a run is good if it keeps up with its rate, however slow the machine is at times.
    load = {
        "execution.0.concurrency": str(CONNECTIONS),
        "execution.0.throughput": str(start),
        "execution.0.warm-up": "1s",
        "execution.0.hold-for": "6s",
        "execution.0.limits": "{errors: 1%}",
        "search.precision": f"{PRECISION:.0%}",
        "search.repeats": "1",
    }
    return ["--profile", "find-capacity", *options(load)]


def search(real: RealCheckout, start: int) -> dict:
    before = set((real.root / "runs").glob("*/search.json"))
    code, output = run_once(real, *search_options(start))
    assert code == 0, output
    (made,) = set((real.root / "runs").glob("*/search.json")) - before
    written = json.loads(made.read_text())
    assert written["text"] in output
    assert (made.parent / "search.html").stat().st_size > 10_000
    assert (written["state"], written["ended"]) == ("complete", "found"), output
    # Contradictions move the ends outwards.
    assert widest_gap(written) <= (1 + PRECISION) ** (3 if contradicts(written) else 1) * 1.002, written["text"]
    return dict(written)


def contradicts(found: dict) -> bool:
    """Whether a run was good at a rate at which, or above which, another was bad."""
    good = [run["rate"] for run in found["runs"] if run["outcome"] == "good"]
    bad = [run["rate"] for run in found["runs"] if run["outcome"] == "bad"]
    return max(good) >= min(bad)


def widest_gap(found: dict) -> float:
    """Return the largest ratio of two neighbouring rates within the interval, that were both tried."""
    low, high = found["low"]["rate"], found["high"]["rate"]
    rates = sorted({run["rate"] for run in found["runs"] if low <= run["rate"] <= high})
    return max(above / below for below, above in zip(rates, rates[1:]))


def test_two_searches_from_both_sides_bracket_what_the_connections_carry(real: RealCheckout) -> None:
    """One begins far below the knee and doubles, the other begins far above it and halves.

    A busy machine carries less than its connections could. Runs without a rate before, between and after the searches
    measure what it carries. A search that never halves the gap (60, 120, 240) turns this test red.
    """
    assert (ROOT / ".shardload" / "app").exists()
    write_workload(real.root / "nap")
    real.patience_seconds = 1800
    carried = [closed_rate(real)]
    first = search(real, 60)
    carried.append(closed_rate(real))
    second = search(real, 450)
    carried.append(closed_rate(real))
    # Calls under way at the beginning of a hold are done within it.
    assert max(carried) <= 1.01 * KNEE, "eight connections, each busy for 40 ms with a call"
    for found in (first, second):
        low, high = found["low"], found["high"]
        assert low["confirmed"] and high["confirmed"]
        # A run is good with 98 % of its arrivals. A rate over the knee cannot be kept up with.
        assert low["rate"] <= KNEE / 0.98, found["text"]
        assert high["rate"] * (1 + PRECISION) >= min(carried), (found["text"], carried)
        assert low["rate"] <= max(carried) / 0.98 * (1 + PRECISION), (found["text"], carried)
        good = [run for run in found["runs"] if run["outcome"] == "good"]
        # Far below the knee nothing waits: Little's law holds.
        least = min(good, key=lambda run: run["rate"])
        assert least["little"]["agrees"], least
        assert least["little"]["expected"] > least["rate"] * SLEEP_SECONDS * 0.98
    assert first["runs"][0]["outcome"] == "good" and second["runs"][0]["outcome"] == "bad"
    assert first["low"]["rate"] <= second["high"]["rate"], (first["text"], second["text"])
    assert second["low"]["rate"] <= first["high"]["rate"], (first["text"], second["text"])
    data = [json.loads((real.root / "runs" / run["bundle"] / "run.json").read_text()) for run in second["runs"]]
    assert {one["workload"]["seed"] for one in data} == {1}
