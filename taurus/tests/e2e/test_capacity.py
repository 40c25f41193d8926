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


def write_workload(folder: Path) -> str:
    for name, content in (
        ("schema/postgresql.sql", "CREATE TABLE naps (id bigint PRIMARY KEY);\n"),
        ("transactions/nap/postgresql.sql", f"SELECT pg_sleep({SLEEP_SECONDS}) IS NOT NULL AS done\n"),
        ("workload.yml", WORKLOAD),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return str(folder)


def search(real: RealCheckout, workload: str) -> dict:
    before = set((real.root / "runs").glob("*/search.json"))
    # Without a limit of p99 a run is good if it keeps up with its rate, however slow the machine is at times.
    load = {
        "execution.0.concurrency": str(CONNECTIONS),
        "execution.0.throughput": "60",
        "execution.0.warm-up": "1s",
        "execution.0.hold-for": "6s",
        "execution.0.limits": "{errors: 1%}",
        "search.precision": "15%",
        "search.repeats": "1",
    }
    code, output = real.run("run", "--workload", workload, "--profile", "find-capacity", *options(load))
    assert code == 0, output
    (made,) = set((real.root / "runs").glob("*/search.json")) - before
    written = json.loads(made.read_text())
    assert written["text"] in output
    assert (made.parent / "search.html").stat().st_size > 10_000
    assert (written["state"], written["ended"]) == ("complete", "found"), output
    return dict(written)


def test_two_searches_agree_and_do_not_exceed_what_the_connections_can_carry(real: RealCheckout) -> None:
    assert (ROOT / ".shardload" / "app").exists()
    workload = write_workload(real.root / "nap")
    real.patience_seconds = 1800
    first, second = search(real, workload), search(real, workload)
    for found in (first, second):
        # A rate over the knee cannot be kept up with; a busy machine finds a lower one.
        assert found["low"]["rate"] <= KNEE
        assert found["high"]["rate"] <= 1.2 * KNEE
        assert found["low"]["confirmed"] and found["high"]["confirmed"]
        good = [run for run in found["runs"] if run["outcome"] == "good"]
        # Far below the knee nothing waits: Little's law holds.
        assert good[0]["little"]["agrees"], good[0]
        assert good[0]["little"]["expected"] > 60 * SLEEP_SECONDS
    assert first["low"]["rate"] <= second["high"]["rate"], (first["text"], second["text"])
    assert second["low"]["rate"] <= first["high"]["rate"], (first["text"], second["text"])
    data = [json.loads((real.root / "runs" / run["bundle"] / "run.json").read_text()) for run in second["runs"]]
    assert {one["workload"]["seed"] for one in data} == {1}
