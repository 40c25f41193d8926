"""Whole runs over MongoDB's protocol: on the fake in memory, and on a real FerretDB."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pymongo
import pytest

from tests.e2e.conftest import CLOSED, ROOT, RealCheckout, options
from tests.e2e.ferretdb import ferretdb
from tests.e2e.test_real import assert_closed, assert_code, assert_sound

pytestmark = pytest.mark.e2e
FAKE = "mongo-java-server, a fake of MongoDB in memory"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with ferretdb(ROOT / ".shardload", tmp_path_factory.mktemp("servers") / "ferretdb") as url:
        yield url


def on_ferretdb(real: RealCheckout, url: str) -> list[str]:
    """FerretDB 1 reads every document for each find: few documents, as fast as it can.

    Verification waits for the statement timeout, so it is short, and two workers keep away from it on any machine.
    """
    real.target("my-ferretdb", "ferretdb", url=url, user=None, password_env=None)
    few = ["-o", "workload.data.documents=1200", "-o", "workload.data.tenants=10"]
    light = ["-o", "execution.0.concurrency=2", "-o", "execution.0.statement-timeout=5s"]
    return ["run", "--target", "my-ferretdb", "--profile", "closed", *few, *light]


def short(hold_for: str) -> list[str]:
    return options({**CLOSED, "execution.0.hold-for": hold_for})


def test_ferretdb_is_loaded_used_and_verified_twice(real: RealCheckout, server: str) -> None:
    for _ in range(2):
        code, output = real.run(*on_ferretdb(real, server + "shardload"), *short("2s"))
        summary = assert_sound(real, code, output)
        assert summary["verification"]["verdict"] == "clean"
        assert summary["verification"]["walked"] > 900
        assert summary["ledger"]["done"] > 0
        assert summary["ledger"]["failed"] == summary["ledger"]["unknown"] == 0
        assert summary["fake"] is None
    environment = json.loads((real.latest / "environment.json").read_text())
    assert "FerretDB" in environment["server"]["name"] and "1.24.0" in environment["server"]["version"]
    start = "no index narrows the search in data_table, so about "
    scans = [each for each in summary["findings"] if each.startswith(start)]
    assert len(scans) == 1
    found, others = set(scans[0].partition(": ")[2].split(", ")), set(summary["transactions"]) - {"insert"}
    # PostgreSQL's estimate of the rows is too low until it has analyzed the table, which it does when it likes.
    assert len(others) == 9 and len(found) >= 5 and found <= others, scans
    assert scans[0] in output
    assert scans[0] in (real.latest / "report.html").read_text()


def test_a_document_altered_behind_ferretdb_in_mid_run_is_found(real: RealCheckout, server: str) -> None:
    """Reads only, so that no write of the run covers the change."""
    only_reads = ["-o", "execution.0.scenario=find-by-id-and-filter1"]
    process = real.start(*on_ferretdb(real, server + "altered"), *only_reads, *short("8s"))
    real.wait_for("checkout/runs/*/latencies/generator-0.jsonl")
    time.sleep(2)
    client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(server)
    with client:
        changed = client["altered"]["data_table"].update_one({}, {"$set": {"filter5": "changed by hand"}})
    assert changed.modified_count == 1
    code, output = real.end_of(process)
    assert_code(code, 4, output)
    summary = json.loads((real.latest / "summary.json").read_text())
    assert_closed(summary["ledger"])
    assert summary["verification"]["counts"]["corrupted"] == 1
    assert sum(summary["verification"]["counts"].values()) == 1


GENTLE = """\
execution:
- {concurrency: 8, throughput: 50, warm-up: 1s, ramp-up: 1s, hold-for: 4s, statement-timeout: 5s, scenario: mix}
reporting:
- {module: passfail, criteria: ["fail>1%, continue as failed"]}
"""


def on(real: RealCheckout, target: str, seed: int) -> tuple[dict, str]:
    (real.root / "taurus" / "profiles" / "gentle.yml").write_text(GENTLE)
    words = ["--target", target, "--profile", "gentle", *real.small, "-o", f"workload.seed={seed}"]
    code, output = real.run("run", *words)
    return assert_sound(real, code, output), output


@pytest.mark.long
def test_embedded_mongodb_gets_the_stream_of_embedded_postgresql(real: RealCheckout) -> None:
    """Arrivals, transactions and draws, by their hash; another seed makes others."""
    summary, output = on(real, "embedded-mongodb", 7)
    assert summary["verification"]["verdict"] == "clean"
    assert summary["verification"]["walked"] > 5000
    assert summary["ledger"]["scheduled"] == 50 * 4 + 25
    assert FAKE in output.splitlines()[0]
    assert summary["fake"].startswith(FAKE)
    assert FAKE in (real.latest / "report.html").read_text()
    assert "does not list connected clients" in summary["verification"]["caveat"]
    assert "bwaldvogel" not in (real.latest / "child.log").read_text(), "its log is not ours"
    other, _ = on(real, "embedded-postgresql", 7)
    assert other["verification"]["verdict"] == "clean"
    assert other["schedule_hash"] == summary["schedule_hash"]
    assert on(real, "noop", 8)[0]["schedule_hash"] != summary["schedule_hash"]


def test_a_ferretdb_that_is_not_there_is_one_line(real: RealCheckout) -> None:
    code, output = real.run(*on_ferretdb(real, "mongodb://127.0.0.1:9/shardload"))
    assert_code(code, 1, output)
    assert "127.0.0.1:9" in output and output.startswith("shardload: ") and len(output.splitlines()) == 1
    assert not (real.root / "runs").exists()
