"""Whole runs over MongoDB's protocol: on the fake in memory, and on a real FerretDB."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pymongo
import pytest

from tests.e2e.conftest import ROOT, RealCheckout
from tests.e2e.ferretdb import ferretdb
from tests.e2e.test_real import assert_closed, assert_code, assert_sound

pytestmark = pytest.mark.e2e
FAKE = "mongo-java-server, a fake of MongoDB in memory"
DATABASE = "shardload"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with ferretdb(ROOT / ".shardload", tmp_path_factory.mktemp("servers") / "ferretdb") as url:
        yield url


def on_ferretdb(server: str, *arguments: str, database: str = DATABASE) -> list[str]:
    target = {"target.url": server + database, "target.user": "", "target.password-env": ""}
    options = [part for key, value in target.items() for part in ("-o", f"{key}={value}")]
    return ["run", "--target", "ferretdb", *options, *arguments]


def gentle(real: RealCheckout, hold_for: str = "5s") -> list[str]:
    """FerretDB 1 reads every document for a find that is not by a string: few documents, and no rate to reach."""
    options = [*real.short(hold_for=hold_for, ramp_up="0s"), "-o", "workload.data.documents=500"]
    return [*options, "-o", "workload.data.tenants=10", "--profile", "closed"]


def test_embedded_mongodb_is_loaded_used_verified_and_called_a_fake(real: RealCheckout) -> None:
    code, output = real.run("run", "--target", "embedded-mongodb", *real.short())
    summary = assert_sound(real, code, output)
    assert summary["verification"]["verdict"] == "clean"
    assert summary["verification"]["walked"] > 5000
    assert summary["ledger"]["done"] > 1000
    assert FAKE in output.splitlines()[0]
    assert summary["fake"].startswith(FAKE)
    assert FAKE in (real.latest / "report.html").read_text()
    assert "does not tell who is connected" in summary["verification"]["caveat"]
    assert "bwaldvogel" not in (real.latest / "child.log").read_text()


def test_ferretdb_is_loaded_used_and_verified_twice(real: RealCheckout, server: str) -> None:
    for _ in range(2):
        code, output = real.run(*on_ferretdb(server, *gentle(real)))
        summary = assert_sound(real, code, output)
        assert summary["verification"]["verdict"] == "clean"
        assert summary["ledger"]["done"] > 0
        assert summary["fake"] is None
        assert summary["ledger"]["failed"] == summary["ledger"]["unknown"] == 0
    environment = json.loads((real.latest / "environment.json").read_text())
    assert "FerretDB" in environment["server"]["name"] and "1.24.0" in environment["server"]["version"]


def test_a_document_altered_behind_ferretdb_in_mid_run_is_found(real: RealCheckout, server: str) -> None:
    """Reads only, so that no write of the run covers the change."""
    only_reads = ["-o", "execution.0.scenario=find-by-id-and-filter1"]
    arguments = on_ferretdb(server, *only_reads, *gentle(real, hold_for="12s"), database="altered")
    process = real.start(*arguments)
    real.wait_for("checkout/runs/*/latencies/generator-0.jsonl", 60)
    time.sleep(3)
    client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(server)
    with client:
        changed = client["altered"]["data_table"].update_one({}, {"$set": {"filter5": "changed by hand"}})
    assert changed.modified_count == 1
    output, _ = process.communicate(timeout=60)
    assert_code(process.returncode, 4, output)
    summary = json.loads((real.latest / "summary.json").read_text())
    assert_closed(summary["ledger"])
    assert summary["verification"]["counts"]["corrupted"] == 1
    assert sum(summary["verification"]["counts"].values()) == 1


def hash_on(real: RealCheckout, target: str, seed: int) -> str:
    options = [*real.short(hold_for="2s"), "-o", f"workload.seed={seed}"]
    code, output = real.run("run", "--target", target, *options)
    assert code in (0, 3), output  # too short for every criterion of the profile
    return str(json.loads((real.latest / "summary.json").read_text())["schedule_hash"])


def test_targets_with_the_same_seed_get_the_same_stream(real: RealCheckout) -> None:
    """Arrivals, transactions and draws, by their hash; another seed makes others."""
    first = hash_on(real, "noop", 7)
    assert hash_on(real, "embedded-mongodb", 7) == first
    assert hash_on(real, "noop", 8) != first


def test_a_ferretdb_that_is_not_there_is_one_line(real: RealCheckout) -> None:
    code, output = real.run(*on_ferretdb("mongodb://127.0.0.1:9/"))
    assert_code(code, 1, output)
    assert "127.0.0.1:9" in output and output.startswith("shardload: ") and len(output.splitlines()) == 1
    assert not (real.root / "runs").exists()
