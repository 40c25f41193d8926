"""What the weekly matrix does, with a fake ./shardload."""

from __future__ import annotations

from tests.fake import Fake, install
from tests.pipeline import MATRIX, Job

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


def runs_of(fake: Fake) -> list[list[str]]:
    """Return what each run varies, and where its results go."""
    found = []
    for call in fake.calls:
        words = call["arguments"]
        kept = [value for name, value in zip(words, words[1:]) if name in ("--vary", "--results") and value]
        found += [kept] if call["call"] == "run" else []
    return found


def test_two_series_one_of_them_without_toast(job: Job) -> None:
    job.jenkinsfile, job.name = MATRIX, "shardload/matrix/citus"
    fake = install(job)
    build = job.end_of(job.start({**PARAMETERS, **VARIED}))
    assert build.result == "SUCCESS", build.log
    index, storage, size, small = VARIED.values()
    assert runs_of(fake) == [
        [index, storage, size, "results/matrix"],
        [index, "schema.document-storage=no-toast", small, "results/without-toast"],
    ]
    assert build.record["parameters_declared"] == PARAMETERS
    assert build.record["locks"] == build.record["locks_released"] != []
    assert build.record["credentials"] == ["shardload-citus-SHARDLOAD_PG_PASSWORD"]
    assert {"results/matrix/junit.xml", "results/without-toast/junit.xml"} <= set(build.record["archived"])


def test_a_system_without_toast_varies_what_it_has(job: Job) -> None:
    job.jenkinsfile, job.name = MATRIX, "shardload/matrix/ferretdb"
    fake = install(job, outputs={"targets --lock": ["shardload-local-agent"]})
    build = job.end_of(
        job.start({**PARAMETERS, "INDEX": "schema.index=hashed,ascending", "STORAGE": "", "DOCUMENT_SIZE": ""})
    )
    assert build.result == "SUCCESS", build.log
    assert runs_of(fake) == [["schema.index=hashed,ascending", "results/matrix"]]
    assert build.statuses["Without TOAST"] == "SKIPPED"


def test_an_abort_settles_and_archives_what_there_is(job: Job) -> None:
    job.jenkinsfile, job.name = MATRIX, "shardload/matrix/citus"
    fake = install(job, seconds={"run": 300})
    process = job.start({**PARAMETERS, **VARIED})
    build = job.abort_of(process, lambda: fake.has_begun("run"))
    assert build.result == "ABORTED"
    assert fake.names[-3:] == ["verify", "results", "results"]
    assert build.post == [("Cluster", "aborted"), ("Cluster", "cleanup"), (None, "always")]
    assert "results/matrix/run" in build.record["archived"]
