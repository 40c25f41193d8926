"""Builds that really run: the command line, JMeter and the embedded PostgreSQL; with ``long`` load hosts and matrix."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import workspace
from tests.build import Build, Job, wait_until
from tests.checkout import ROOT
from tests.parsed import JENKINSFILE, MATRIX
from tests.test_matrix import PARAMETERS

# A closed model misses no rate, however slow the machine is.
SMALL = (
    "workload.data.documents=2000 workload.data.tenants=20 execution.0.warm-up=1s execution.0.concurrency=1 "
    """'reporting.1.criteria=["fail>1%, continue as failed"]'"""
)
CLOSED = {"PROFILE": "closed", "TEST_TIME": "3s", "EXTRA": SMALL}
VARIED: dict[str, str | bool] = {
    **PARAMETERS, **CLOSED, "INDEX": "", "STORAGE": "", "DOCUMENT_SIZE": "workload.data.document-size=4KiB,variable",
    "DOCUMENT_SIZE_WITHOUT_TOAST": "",
}  # fmt: skip
HOSTS = ("127.0.0.2", "127.0.0.3")
# Without a pause between operations a busy machine has them wait for their range of ordinals, which fails.
SLOW = "execution.0.warm-up=1s execution.0.think-time=10ms"
LOAD = {"LOAD_HOSTS": ",".join(HOSTS), "PROFILE": "closed", "TEST_TIME": "6s", "EXTRA": SLOW}
MISSED = {**CLOSED, "EXTRA": SMALL.replace("fail>1%", "p50>1ns")}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Job:
    if not (ROOT / ".shardload" / "app").exists():
        pytest.fail("shardload is not set up: run ./shardload test jenkins")
    made = Job(tmp_path_factory.mktemp("job"), "embedded-postgresql", accepts_invalid=True)
    workspace.make(made.workspace)
    return made


@pytest.fixture
def real(shared: Job) -> Iterator[Job]:
    shared.environment = {"SHARDLOAD_RUNS": str(shared.folder / "runs")}
    yield shared
    wait_until(lambda: not workspace.processes(shared.workspace))


def test_an_abort_in_the_load_test_leaves_nothing_running(real: Job) -> None:
    build = real.build(lambda: workspace.is_measuring(real.workspace), **{**CLOSED, "TEST_TIME": "200s"})
    assert build.result == "ABORTED", build.log
    assert workspace.processes(real.workspace) == []
    assert "verification: clean, 0 wrong" in build.log
    summary = workspace.summary_in(real.workspace)
    assert "the run was interrupted" in summary["verdict"]["reasons"]
    ledger = summary["ledger"]
    assert ledger["scheduled"] == ledger["started"] + ledger["dropped"]
    assert {"results/junit.xml", "results/report/index.html"} <= set(build.archived)


def test_a_whole_build_after_the_aborted_one_with_a_missed_criterion(real: Job) -> None:
    build = real.build(**MISSED)
    (failed,) = build.failed_cases
    assert "p50" in failed and len(build.junit) >= 4, build.log
    assert build.result == "UNSTABLE", build.log
    assert build.skipped == ["Recreate data", "Publish"]
    assert workspace.this_machine() in build.values["machines"].splitlines()
    assert build.values["secrets"] == ""
    (run,) = [path.name.removesuffix(".tar.gz") for path in real.workspace.glob("results/*.tar.gz")]
    assert set(build.archived) >= {
        f"results/{run}.tar.gz", "results/junit.xml", "results/run", "results/description.html",
        "results/report/index.html", "results/report/shardload.css", "results/history/index.html",
    }  # fmt: skip
    summary = workspace.summary_in(real.workspace)
    assert summary["verdict"]["code"] in (3, 5) and summary["ledger"]["started"] > 0
    assert re.match(r"(missed|invalid): [\d,.]+ RPS, p99 ", build.description)
    assert (real.folder / "runs" / run / "summary.json").exists()


@pytest.mark.long
def test_a_series_loads_its_data_again(real: Job) -> None:
    build = real.build(**CLOSED, REPEAT="1")
    assert build.result in ("SUCCESS", "UNSTABLE"), build.log
    assert build.failed_cases == [], build.log
    assert build.skipped == ["Recreate data", "Schema and load", "Verify", "Publish"]
    assert re.match(r"(ok|invalid): 1 runs; A \(", build.description)
    assert {"results/junit.xml", "results/run"} <= set(build.archived)


class Service:
    """``shardload generator``, as systemd keeps it on a load host."""

    def __init__(self, folder: Path, address: str) -> None:
        self.lines: list[str] = []
        self._process = subprocess.Popen(
            ["./shardload", "generator", "--listen", address, "--runs", str(folder.parent / address)],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        wait_until(lambda: any("listening on" in line for line in self.lines) or self._process.poll() is not None)
        assert self._process.poll() is None, "".join(self.lines)

    def _read(self) -> None:
        assert self._process.stdout is not None
        self.lines.extend(self._process.stdout)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(60)


@pytest.fixture
def hosted(job: Job) -> Iterator[Job]:
    job.target, job.accepts_invalid = "noop", True
    workspace.make(job.workspace)
    subprocess.run(["./shardload", "keys"], cwd=job.workspace, check=True, stdout=subprocess.DEVNULL)
    services = [Service(job.workspace, address) for address in HOSTS]
    yield job
    for service in services:
        service.close()
    wait_until(lambda: not workspace.processes(job.workspace))


def check(job: Job, build: Build) -> None:
    assert build.result in ("SUCCESS", "UNSTABLE"), build.log
    assert build.failed_cases == [], build.log
    done = [generator["ledger"]["done"] for generator in workspace.summary_in(job.workspace)["generators"]]
    assert len(done) == 2 and min(done) > 0


@pytest.mark.long
def test_both_generators_take_part_also_after_an_abort(hosted: Job) -> None:
    build = hosted.build(**LOAD)
    check(hosted, build)
    assert workspace.this_machine() in build.values["machines"].splitlines(), "both addresses are this machine's"
    aborted = hosted.build(lambda: workspace.is_measuring(hosted.workspace), **{**LOAD, "TEST_TIME": "200s"})
    assert aborted.result == "ABORTED", aborted.log
    assert "results/junit.xml" in aborted.archived
    # The engines are free again: nothing of the aborted run is left on any host.
    check(hosted, hosted.build(**LOAD))


@pytest.mark.long
def test_the_nightly_build_finds_its_data_after_a_whole_and_after_an_aborted_matrix(job: Job) -> None:
    job.target, job.accepts_invalid = "embedded-postgresql", True
    workspace.make(job.workspace)
    nightly(job)

    job.jenkinsfile = MATRIX
    whole = job.run(VARIED)
    assert whole.result == "SUCCESS" or "invalid" in whole.description, whole.log
    assert whole.description.split(": ")[1].startswith("2 runs; A ("), whole.description
    nightly(job)

    job.jenkinsfile = MATRIX
    aborted = job.run({**VARIED, "TEST_TIME": "200s"}, lambda: workspace.is_measuring(job.workspace))
    assert aborted.result == "ABORTED", aborted.log
    nightly(job)
    wait_until(lambda: not workspace.processes(job.workspace))


def nightly(job: Job) -> None:
    job.jenkinsfile = JENKINSFILE
    build = job.build(**CLOSED)
    assert build.result in ("SUCCESS", "UNSTABLE"), build.log
    assert build.skipped == ["Recreate data", "History", "Publish"]
