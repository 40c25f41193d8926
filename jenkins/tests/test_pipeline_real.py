"""Whole builds that really run: the command line, JMeter and the embedded PostgreSQL. They share one workspace."""

from __future__ import annotations

import json
import re
import shlex
import socket
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import workspace
from tests.checkout import JENKINS, ROOT
from tests.pipeline import JAR, Build, Job, wait_until

# A closed model misses no rate, however slow the machine is.
SMALL = (
    "workload.data.documents=2000 workload.data.tenants=20 execution.0.warm-up=1s execution.0.concurrency=1 "
    """'reporting.1.criteria=["fail>1%, continue as failed"]'"""
)
CLOSED = {"PROFILE": "closed", "TEST_TIME": "3s", "EXTRA": SMALL}
MISSED = {**CLOSED, "EXTRA": SMALL.replace("fail>1%", "p50>1ns")}
STAGES = {
    **dict.fromkeys(
        ("Build", "Check", "Cluster", "Test", "Schema and load", "Load test", "Verify", "Report"), "SUCCESS"
    ),
    **dict.fromkeys(("Recreate data", "Publish"), "SKIPPED"),
    "History": "SUCCESS",
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Job:
    if not JAR.exists() or not (ROOT / ".shardload" / "app").exists():
        pytest.fail("something is not built: run ./shardload test jenkins")
    made = Job(tmp_path_factory.mktemp("job"), name="shardload/postgresql/embedded-postgresql")
    workspace.make(made.workspace)
    return made


@pytest.fixture
def real(shared: Job) -> Iterator[Job]:
    shared.environment = {"SHARDLOAD_RUNS": str(shared.folder / "runs")}
    workspace.wrap(shared.workspace)
    yield shared
    wait_until(lambda: not workspace.processes(shared.workspace))


def failed_in(build: Build) -> list[str]:
    """Return the names of the test cases that failed, but for those that a busy machine spoils."""
    cases = build.record["junit"]["cases"]
    return [case["name"] for case in cases if case["status"] == "failed" and case["suite"] != "measurement"]


def bundle_of(real: Job) -> dict:
    """Return the archived summary of the run."""
    (packed,) = real.archive.glob("results/*.tar.gz")
    with tarfile.open(packed) as archive:
        (name,) = [name for name in archive.getnames() if name.endswith("/summary.json")]
        file = archive.extractfile(name)
        assert file is not None
        return json.load(file)


def test_a_whole_build(real: Job) -> None:
    build = real.build(**CLOSED)
    assert failed_in(build) == [] and build.record["junit"]["passed"] >= 4, build.log
    # A busy machine makes a measurement invalid, and with it the build unstable.
    warning = "UNSTABLE" if build.record["junit"]["failed"] else "SUCCESS"
    assert (build.result, build.statuses) == (warning, {**STAGES, "Report": warning}), build.log
    machine = f"shardload-local-{socket.gethostname().lower()}"
    assert machine in build.record["locks"] and build.record["locks"] == build.record["locks_released"]
    assert build.record["credentials"] == []
    (run,) = [path.name.removesuffix(".tar.gz") for path in real.archive.glob("results/*.tar.gz")]
    archived = set(build.record["archived"])
    assert archived >= {
        f"results/{run}.tar.gz", "results/junit.xml", "results/run", "results/description.html",
        "results/report/index.html", "results/report/shardload.css", "results/history/index.html",
    }  # fmt: skip
    assert bundle_of(real)["verdict"]["code"] in (0, 5)
    assert re.match(r"(ok|invalid): [\d,.]+ RPS, p99 ", build.record["description"])
    assert (real.folder / "runs" / run / "summary.json").exists()


def test_an_abort_in_the_load_test_leaves_nothing_running(real: Job) -> None:
    def is_measuring() -> bool:
        files = real.workspace.glob("runs/*/latencies/generator-0.jsonl")
        return any(time.time() - file.stat().st_mtime < 2 and len(file.read_text().splitlines()) > 3 for file in files)

    build = real.abort(is_measuring, **{**CLOSED, "TEST_TIME": "200s"})
    assert build.result == "ABORTED", build.log
    assert workspace.processes(real.workspace) == []
    assert build.post == [("Cluster", "aborted"), (None, "always"), (None, "cleanup")]
    assert "verification: clean, 0 wrong" in build.log
    summary = bundle_of(real)
    assert "the run was interrupted" in summary["verdict"]["reasons"]
    ledger = summary["ledger"]
    assert ledger["scheduled"] == ledger["started"] + ledger["dropped"]
    assert {"results/junit.xml", "results/report/index.html"} <= set(build.record["archived"])


def test_a_missed_criterion_makes_the_build_after_the_aborted_one_unstable(real: Job) -> None:
    build = real.build(**MISSED)
    assert build.result == "UNSTABLE", build.log
    assert build.statuses["Verify"] == "SUCCESS"
    (failed,) = failed_in(build)
    assert "p50" in failed
    assert bundle_of(real)["verdict"]["code"] in (3, 5)


def test_a_document_that_is_gone_after_the_run_fails_the_build(real: Job) -> None:
    here, python, there = (shlex.quote(str(each)) for each in (JENKINS, sys.executable, real.workspace))
    delete = f"cd {here} && {python} -m tests.workspace {there}"
    workspace.wrap(real.workspace, before_verify=f"({delete})")
    build = real.build(**CLOSED)
    assert build.result == "FAILURE", build.log
    assert build.statuses["Verify"] == "FAILURE"
    (verify,) = [stage for stage in build.record["stages"] if stage["name"] == "Verify"]
    assert verify["steps"][0]["exit"] == 4
    assert "1 wrong of" in build.log
    assert any(Path(name).suffix == ".gz" for name in build.record["archived"])
