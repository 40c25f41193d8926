"""What the weekly matrix does, with a fake ./shardload."""

from __future__ import annotations

import pytest

from tests.build import SECRET, Job
from tests.fake import Fake, install
from tests.parsed import MATRIX, pipelines

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
ALL = {**PARAMETERS, **VARIED}
DISCARDED = ["--discard-unsettled", "results/matrix", "--discard-unsettled", "results/without-toast"]
END = ["results", "results"]


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
    job.jenkinsfile = MATRIX
    return job


def test_two_series_one_of_them_without_toast_then_the_data_of_the_nightly_job(weekly: Job) -> None:
    fake = install(weekly)
    build = weekly.run(ALL)
    assert build.result == "SUCCESS", build.log
    index, storage, size, small = VARIED.values()
    assert runs_of(fake) == [
        [index, storage, size, "results/matrix"],
        [index, "schema.document-storage=no-toast", small, "results/without-toast"],
    ]
    assert fake.names == [
        *("targets", "targets --check", "targets --lock", "targets --credentials"),
        *("run", "run", "load --recreate", *END),
    ]
    assert fake.arguments("load --recreate") == [
        *("load", "--recreate", *DISCARDED, "--target", "citus", "--workload", "document-store"),
        *("--seed", "", "--options", ""),
    ]
    declared = [entry["arguments"] for entry in pipelines()[MATRIX]["parameters"]]
    assert {one["name"]: one["defaultValue"] for one in declared} == PARAMETERS
    assert [call["call"] for call in fake.calls if call["secret"]] == ["run", "run", "load --recreate"]
    assert {"results/matrix/junit.xml", "results/without-toast/junit.xml"} <= set(build.archived)


def test_a_system_without_toast_varies_what_it_has(weekly: Job) -> None:
    fake = install(weekly)
    build = weekly.run({**PARAMETERS, "INDEX": "schema.index=hashed,ascending", "STORAGE": "", "DOCUMENT_SIZE": ""})
    assert (build.result, build.skipped) == ("SUCCESS", ["Without TOAST"])
    assert runs_of(fake) == [["schema.index=hashed,ascending", "results/matrix"]]


def test_an_abort_restores_the_data_within_the_locks_and_archives_what_there_is(weekly: Job) -> None:
    fake = install(weekly, seconds={"run": 300})
    build = weekly.run(ALL, lambda: "run" in fake.names)
    assert build.result == "ABORTED"
    assert fake.names[-4:] == ["run", "load --recreate", *END]
    assert SECRET in fake.calls[-3]["secret"]
    assert "results/matrix/run" in build.archived


def test_an_invalid_run_keeps_no_other_series_from_running(weekly: Job) -> None:
    fake = install(weekly, codes={"run": 5})
    assert weekly.run(ALL).result == "FAILURE"
    assert fake.names[-5:] == ["run", "run", "load --recreate", *END]


def test_what_nothing_has_changed_is_not_loaded_again(weekly: Job) -> None:
    fake = install(weekly, codes={"run": 1})
    assert weekly.run(ALL).result == "FAILURE"
    assert fake.names[-4:] == ["run", "run", *END]


@pytest.mark.parametrize("call", ["targets --check", "load --recreate", "results"])
def test_a_failure_is_reported(weekly: Job, call: str) -> None:
    fake = install(weekly, codes={call: 1})
    build = weekly.run(ALL)
    assert (build.result, fake.names[-2:]) == ("FAILURE", END), build.log
    assert (len(build.junit), build.description) == (2, "run 20261122-120000-citus-smoke &lt;ok&gt;")
    assert {"results/matrix/junit.xml", "results/without-toast/junit.xml"} <= set(build.archived)
