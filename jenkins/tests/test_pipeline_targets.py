"""The job of every target, with its own locks and credentials; nothing but these is executed."""

from __future__ import annotations

import re

import pytest

from tests.checkout import TARGETS, driver_of, secrets_of
from tests.fake import install
from tests.pipeline import Job

ASKED = ["targets --lock", "targets --credentials"]


@pytest.mark.parametrize("target", TARGETS)
def test_the_job_of_a_target(job: Job, target: str) -> None:
    job.name = f"shardload/{driver_of(target)}/{target}"
    job.credentials = {f"shardload-{target}-{name}": "a secret" for name in secrets_of(target)}
    fake = install(job, watched=secrets_of(target), delegated=ASKED)
    build = job.build()
    assert build.result == "SUCCESS", build.log
    assert fake.arguments("run")[:3] == ["run", "--target", target]
    assert build.record["credentials"] == sorted(job.credentials)
    (run,) = [call for call in fake.calls if call["call"] == "run"]
    assert sorted(run["environment"]) == secrets_of(target)
    locks = build.record["locks"]
    assert locks and locks == sorted(set(locks))
    assert all(re.fullmatch(r"shardload-[a-z0-9.:-]+", name) for name in locks), locks


@pytest.mark.parametrize("name", ["--help", "--lock", "-h"])
def test_a_name_that_looks_like_an_option_is_only_a_name(job: Job, name: str) -> None:
    job.name, job.credentials = "shardload/noop/noop", {}
    fake = install(job, delegated=["targets --check", *ASKED])
    build = job.build(COMPARE_WITH=name)
    assert (build.result, build.record["locks"]) == ("FAILURE", [])
    assert name in build.log.partition("shardload: ")[2].partition("\n")[0]
    assert fake.names == ["targets", "targets --check", "results"]


def test_two_files_for_one_cluster_exclude_each_other(job: Job) -> None:
    locks = {}
    for target in ("citus", "postgresql"):
        job.name = f"shardload/postgresql/{target}"
        job.credentials = {f"shardload-{target}-SHARDLOAD_PG_PASSWORD": "a secret"}
        install(job, delegated=ASKED)
        locks[target] = set(job.build(LOAD_HOSTS="10.9.0.2, 10.9.0.3:1199").record["locks"])
    assert locks["citus"] & locks["postgresql"]
    assert {"shardload-10.9.0.2", "shardload-10.9.0.3"} <= locks["citus"]
