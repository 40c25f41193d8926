"""A matrix that really runs: it leaves the nightly job the data that this one needs, also after an abort."""

from __future__ import annotations

import time

import pytest

from tests import workspace
from tests.pipeline import JENKINSFILE, MATRIX, Job, wait_until
from tests.test_matrix import PARAMETERS
from tests.test_pipeline_real import CLOSED

pytestmark = pytest.mark.long
VARIED: dict[str, str | bool] = {
    **PARAMETERS, **CLOSED, "INDEX": "", "STORAGE": "", "DOCUMENT_SIZE": "workload.data.document-size=4KiB,variable",
    "DOCUMENT_SIZE_WITHOUT_TOAST": "",
}  # fmt: skip


def test_the_nightly_build_finds_its_data_after_a_whole_and_after_an_aborted_matrix(job: Job) -> None:
    job.name = "shardload/postgresql/embedded-postgresql"
    workspace.make(job.workspace)
    workspace.wrap(job.workspace)
    assert job.build(**CLOSED).statuses["Verify"] == "SUCCESS"

    job.jenkinsfile = MATRIX
    whole = job.end_of(job.start(VARIED))
    assert whole.statuses["Matrix"] == "SUCCESS", whole.log
    assert whole.record["description"].split(": ")[1].startswith("2 runs; A ("), whole.record["description"]
    nightly(job)

    def is_measuring() -> bool:
        files = job.workspace.glob("runs/*/latencies/generator-0.jsonl")
        return any(time.time() - file.stat().st_mtime < 2 and len(file.read_text().splitlines()) > 3 for file in files)

    job.jenkinsfile = MATRIX
    aborted = job.abort_of(job.start({**VARIED, "TEST_TIME": "200s"}), is_measuring)
    assert aborted.result == "ABORTED", aborted.log
    nightly(job)
    wait_until(lambda: not workspace.processes(job.workspace))


def nightly(job: Job) -> None:
    job.jenkinsfile = JENKINSFILE
    build = job.build(**CLOSED)
    assert build.result in ("SUCCESS", "UNSTABLE"), build.log
    assert (build.statuses["Schema and load"], build.statuses["Verify"]) == ("SUCCESS", "SUCCESS"), build.log
