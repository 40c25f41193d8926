"""Runs on a real system, and what must hold of each."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any

from tests.e2e.conftest import RealCheckout, options
from tests.e2e.real.servers import DATABASE, System
from tests.e2e.test_real import BUSY, assert_closed

DATA = options({"workload.data.documents": "5000", "workload.data.tenants": "20"})
# A rate and a limit of latency that a busy machine with all servers on it holds.
LOAD = options(
    {
        "execution.0.throughput": "50",
        "execution.0.warm-up": "2s",
        "execution.0.ramp-up": "1s",
        "execution.0.hold-for": "20s",
        "execution.0.statement-timeout": "5s",
        "reporting.1.criteria": '["p50>30s, continue as failed"]',
    }
)


class Runs:
    """One system with a checkout of its own; each test begins with the data set loaded anew."""

    def __init__(self, real: RealCheckout, system: System) -> None:
        self.real = real
        self.system = system
        system.write_target(real)
        code, output = real.run("load", "--target", "mine", *DATA, "--recreate")
        if code:
            # The data set of a test that failed, or that left wrong documents: the message names the way out.
            found = re.search(r"--discard-unsettled (\S+)", output)
            assert found, output
            self.call("load", "--recreate", "--discard-unsettled", found[1], expected=0)

    def call(self, verb: str, *words: str, expected: int) -> str:
        """Run a verb on the system."""
        code, output = self.real.run(verb, "--target", "mine", *DATA, *words)
        assert code == expected, output
        return output

    def load(self, act: Callable[[], object], *words: str) -> dict[str, Any]:
        """Do something to the servers in the middle of a run, and return the run's summary."""
        process = self.real.start("run", "--target", "mine", *DATA, *LOAD, *words)
        self.real.wait_for("checkout/runs/*/latencies/generator-0.jsonl")
        time.sleep(6)
        act()
        return self.ended(*self.real.end_of(process))

    def ended(self, code: int, output: str) -> dict[str, Any]:
        """Return the summary of the run that ended last, with what it printed."""
        summary = json.loads((self.real.latest / "summary.json").read_text())
        assert_closed(summary["ledger"])
        assert code == summary["verdict"]["code"], output
        summary["output"] = output
        return dict(summary)

    def count(self) -> int:
        """Count the documents by hand."""
        if self.system.is_sql:
            return int(self.system.sql.execute("SELECT count(*) FROM data_table")[0])
        with self.system.mongo() as client:
            return client[DATABASE]["data_table"].count_documents({})

    def assert_nothing_wrong(self, summary: dict[str, Any]) -> None:
        """Expect that every acknowledged write is there, and as many documents as a count by hand finds.

        A server that was not ready again when the run ended, or still worked at what the client had given up, is asked
        again.
        """
        if summary["verification"]["verdict"] == "not run":
            self.call("verify", expected=0)
            return
        assert [reason for reason in summary["verdict"]["reasons"] if not reason.startswith(BUSY)] == [], summary[
            "output"
        ]
        verification = summary["verification"]
        assert verification["verdict"] == "clean", summary["output"]
        assert sum(verification["counts"].values()) == 0, verification
        assert verification["walked"] == self.count()
