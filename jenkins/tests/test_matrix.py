"""What the weekly matrix does, with a fake ./shardload."""

from __future__ import annotations

import pytest

from tests.fake import Fake, install
from tests.pipeline import MATRIX, SECRET, Job

PARAMETERS: dict[str, str | bool] = {
    "WORKLOAD": "document-store", "PROFILE": "smoke", "LOAD_HOSTS": "", "THROUGHPUT": "", "TEST_TIME": "", "SEED": "",
    "EXTRA": "", "TIMEOUT_MINUTES": "1440",
}  # fmt: skip
VARIED: dict[str, str | bool] = {
    "INDEX": "schema.index=hash,btree",
    "STORAGE": "schema.document-storage=toast-compressed,toast-uncompressed",
    "DOCUMENT_SIZE": "workload.data.document-size=2KiB,variable",
    "DOCUMENT_SIZE_WITHOUT_TOAST": "workload.data.document-size=2KiB,4KiB",
}
DISCARDED = ["--discard-unsettled", "results/matrix", "--discard-unsettled", "results/without-toast"]
END = [(None, "always"), (None, "cleanup")]


def runs_of(fake: Fake) -> list[list[str]]:
    """Return what each run varies, and where its results go."""
    found = []
    for call in fake.calls:
        words = call["arguments"]
        kept = [value for name, value in zip(words, words[1:]) if name in ("--vary", "--results") and value]
        found += [kept] if call["call"] == "run" else []
    return found


@pytest.fixture
def weekly(job: Job) -> Job:
    job.jenkinsfile, job.name = MATRIX, "shardload/matrix/citus"
    return job


def test_two_series_one_of_them_without_toast_then_the_data_of_the_nightly_job(weekly: Job) -> None:
    fake = install(weekly)
    build = weekly.end_of(weekly.start({**PARAMETERS, **VARIED}))
    assert build.result == "SUCCESS", build.log
    index, storage, size, small = VARIED.values()
    assert runs_of(fake) == [
        [index, storage, size, "results/matrix"],
        [index, "schema.document-storage=no-toast", small, "results/without-toast"],
    ]
    assert fake.names[-5:] == ["run", "run", "load --recreate", "results", "results"]
    assert fake.arguments("load --recreate") == [
        *("load", "--recreate", *DISCARDED, "--target", "citus", "--workload", "document-store"),
        *("--seed", "", "--options", ""),
    ]
    assert build.record["parameters_declared"] == PARAMETERS
    assert build.record["locks"] == build.record["locks_released"] != []
    assert build.record["credentials"] == ["shardload-citus-SHARDLOAD_PG_PASSWORD"]
    assert {"results/matrix/junit.xml", "results/without-toast/junit.xml"} <= set(build.record["archived"])


def test_a_system_without_toast_varies_what_it_has(weekly: Job) -> None:
    weekly.name = "shardload/matrix/ferretdb"
    fake = install(weekly, outputs={"targets --lock": ["shardload-local-agent"]})
    build = weekly.end_of(
        weekly.start({**PARAMETERS, "INDEX": "schema.index=hashed,ascending", "STORAGE": "", "DOCUMENT_SIZE": ""})
    )
    assert build.result == "SUCCESS", build.log
    assert runs_of(fake) == [["schema.index=hashed,ascending", "results/matrix"]]
    assert build.statuses["Without TOAST"] == "SKIPPED"


def test_an_abort_restores_the_data_within_the_locks_and_archives_what_there_is(weekly: Job) -> None:
    fake = install(weekly, seconds={"run": 300})
    process = weekly.start({**PARAMETERS, **VARIED})
    build = weekly.abort_of(process, lambda: fake.has_begun("run"))
    assert build.result == "ABORTED"
    assert fake.names[-4:] == ["run", "load --recreate", "results", "results"]
    assert fake.calls[-3]["environment"] == {"SHARDLOAD_PG_PASSWORD": SECRET}
    order = [line for line in build.log.splitlines() if "--recreate" in line or line.startswith("Lock released")]
    assert "--recreate" in order[0] and order[1].startswith("Lock released"), build.log
    assert build.post == [("Cluster", "always"), *END]
    assert "results/matrix/run" in build.record["archived"]


def test_an_invalid_run_keeps_no_other_series_from_running(weekly: Job) -> None:
    fake = install(weekly, codes={"run": 5})
    build = weekly.end_of(weekly.start({**PARAMETERS, **VARIED}))
    assert (build.result, len(runs_of(fake))) == ("FAILURE", 2)
    assert (build.statuses["Matrix"], build.statuses["Without TOAST"]) == ("FAILURE", "FAILURE")
    assert fake.names[-3:] == ["load --recreate", "results", "results"]


def test_what_nothing_has_changed_is_not_loaded_again(weekly: Job) -> None:
    fake = install(weekly, codes={"run": 1})
    build = weekly.end_of(weekly.start({**PARAMETERS, **VARIED}))
    assert build.result == "FAILURE"
    assert fake.names[-4:] == ["run", "run", "results", "results"]


@pytest.mark.parametrize("call", ["targets --check", "load --recreate", "results"])
def test_a_failure_is_reported(weekly: Job, call: str) -> None:
    fake = install(weekly, codes={call: 1})
    build = weekly.end_of(weekly.start({**PARAMETERS, **VARIED}))
    assert build.result == "FAILURE", build.log
    assert fake.names[-2:] == ["results", "results"]
    assert build.post[-2:] == END
    assert build.record["junit"]["passed"] == 2
    assert build.record["description"] == "run 20261122-120000-citus-smoke &lt;ok&gt;"
    assert {"results/matrix/junit.xml", "results/without-toast/junit.xml"} <= set(build.record["archived"])
