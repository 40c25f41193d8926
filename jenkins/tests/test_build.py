"""What the Jenkinsfile does, with a fake ./shardload: order, arguments, locks, credentials, results."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from shardload.options.common import DEFAULT_PROFILE, DEFAULT_WORKLOAD

from tests.build import DEFAULTS, SECRET, Job
from tests.checkout import ROOT, TARGETS
from tests.fake import MISSED, install
from tests.parsed import JENKINSFILE, pipelines, steps_of

DATA = ["--workload", "document-store", "--document-size", "", "--seed", "", "--options", ""]
RUN = [
    *("--target", "citus", "--workload", "document-store", "--profile", "smoke", "--rate", "", "--duration", ""),
    *("--document-size", "", "--seed", "", "--load-hosts", "", "--repeat", "", "--interleave-with", ""),
    *("--options", "", "--results", "results", "--allow-missed-criteria"),
]
CHECKS = ["targets", "targets --check", "targets --lock", "targets --credentials"]
CALLS = [*CHECKS, "load", "run", "verify", "results"]
ARCHIVED = ["results/description.html", "results/junit.xml", "results/run"]
DESCRIPTION = "run 20261122-120000-citus-smoke &lt;ok&gt;"
CONTROLLER = {"SHARDLOAD_RUNS": "/srv/runs", "SHARDLOAD_STORE_URL": "http://store.example:8428"}


def options_of(arguments: list[str]) -> dict[str, str]:
    """Return the options of run with their values."""
    return dict(zip(arguments[1:-1:2], arguments[2:-1:2]))


def test_a_build_calls_each_command_once_within_locks_and_credentials(job: Job) -> None:
    fake = install(job)
    build = job.build()
    assert (build.result, build.skipped) == ("SUCCESS", ["Recreate data", "History", "Publish"])
    assert fake.names == CALLS
    assert fake.arguments("load") == ["load", "--target", "citus", *DATA]
    assert fake.arguments("verify") == ["verify", "--target", "citus", *DATA]
    assert fake.arguments("run") == ["run", *RUN]
    # Locks and credentials are options of one stage.
    assert [call["call"] for call in fake.calls if call["secret"]] == ["load", "run", "verify"]
    assert build.archived == ARCHIVED
    assert [case.get("name") for case in build.junit] == ["p99"]
    assert build.description == DESCRIPTION
    assert SECRET not in build.log and SECRET not in json.dumps([call["arguments"] for call in fake.calls])


def answer(kind: str, target: str, other: str = "") -> tuple[int, list[str]]:
    """Run a command of the stage Check on this checkout, and return its exit code and lines."""
    (script,) = [step.script for step in steps_of(pipelines()[JENKINSFILE]) if f" {kind} " in step.script]
    environment = {**os.environ, "SHARDLOAD_ROOT": str(ROOT), "PYTHONPATH": str(ROOT / "taurus")}
    environment.update(JOB_BASE_NAME=target, COMPARE_WITH=other, LOAD_HOSTS="")
    command = script.replace("./shardload", f'"{sys.executable}" -m shardload', 1)
    done = subprocess.run(["sh", "-e", "-c", command], env=environment, capture_output=True, text=True, timeout=60)
    return done.returncode, (done.stdout + done.stderr).splitlines()


@pytest.mark.parametrize("target", TARGETS)
def test_each_target_has_locks(target: str) -> None:
    code, locks = answer("--lock", target)
    assert code == 0 and locks == sorted(set(locks)) != []
    assert all(re.fullmatch(r"shardload-[a-z0-9.:-]+", name) for name in locks), locks


def test_locks_and_credentials_are_those_of_both_targets() -> None:
    assert answer("--lock", "citus") == answer("--lock", "postgresql", "citus"), "two files for one cluster"
    assert answer("--credentials", "citus", "ferretdb") == (
        0,
        ["shardload-citus-SHARDLOAD_PG_PASSWORD", "shardload-ferretdb-SHARDLOAD_FERRETDB_PASSWORD"],
    )


@pytest.mark.parametrize("name", ["--help", "--lock", "-h"])
def test_a_name_that_looks_like_an_option_is_only_a_name(name: str) -> None:
    code, lines = answer("--check", "noop", name)
    assert code == 1 and name in lines[0].partition("shardload: ")[2], lines


def code_of(entries: Any) -> list[str]:
    """Return the Groovy code in steps or stages, without what it is made of."""
    if isinstance(entries, dict):
        return [entries["code"]] if "code" in entries else code_of(list(entries.values()))
    return [text for entry in entries for text in code_of(entry)] if isinstance(entries, list) else []


def test_locks_and_credentials_are_made_of_the_lines_of_targets() -> None:
    pipeline = pipelines()[JENKINSFILE]
    script = """'./shardload targets --lock --load-hosts "$LOAD_HOSTS" -- "$JOB_BASE_NAME" "$COMPARE_WITH"'"""
    asked = """'./shardload targets --credentials -- "$JOB_BASE_NAME" "$COMPARE_WITH"'"""
    assert code_of(pipeline["stages"])[:2] == [
        f"machines.addAll(sh(returnStdout: true, script: {script}) .readLines().collect {{ [resource: it] }})",
        f"secrets.addAll(sh(returnStdout: true, script: {asked}) "
        ".readLines().collect { string(credentialsId: it, variable: it.replaceAll('.*-', '')) })",
    ]
    (cluster,) = [stage for stage in pipeline["stages"] if stage["name"] == "Cluster"]
    # A timeout here would end what its post section settles.
    assert [(option["name"], option["arguments"]) for option in cluster["options"]] == [
        ("lock", {"extra": "machines"}),
        ("withCredentials", {"bindings": "secrets"}),
    ]
    assert pipeline["agent"] == "shardload"
    assert [option["name"] for option in pipeline["options"]] == [
        *("buildDiscarder", "disableConcurrentBuilds", "disableRestartFromStage", "skipDefaultCheckout", "timestamps"),
    ]


def test_the_first_build_does_what_the_defaults_of_the_command_line_say(job: Job) -> None:
    fake = install(job)
    assert job.run({}).result == "SUCCESS"
    assert fake.names == CALLS
    given = options_of(fake.arguments("run"))
    assert {name: value for name, value in given.items() if value} == {"--target": "citus", "--results": "results"}
    declared = [entry["arguments"] for entry in pipelines()[JENKINSFILE]["parameters"]]
    assert {one["name"]: one["defaultValue"] for one in declared} == DEFAULTS
    assert (DEFAULTS["WORKLOAD"], DEFAULTS["PROFILE"]) == (DEFAULT_WORKLOAD, DEFAULT_PROFILE)
    assert {value for name, value in DEFAULTS.items() if name not in ("WORKLOAD", "PROFILE")} == {"", False, "240"}


def test_data_are_made_again_only_if_asked_for(job: Job) -> None:
    fake = install(job)
    build = job.build(RECREATE_DATA=True)
    assert build.skipped == ["History", "Publish"]
    assert fake.arguments("load --recreate") == ["load", "--recreate", "--target", "citus", *DATA]
    assert fake.names == [*CHECKS, "load --recreate", *CALLS[4:]]


@pytest.mark.parametrize("series", [{"REPEAT": "3"}, {"COMPARE_WITH": "ferretdb"}])
def test_a_series_loads_and_verifies_by_itself(job: Job, series: dict[str, str | bool]) -> None:
    fake = install(job)
    build = job.build(RECREATE_DATA=True, **series)
    assert (build.result, fake.names) == ("SUCCESS", [*CHECKS, "run", "results"])
    assert build.skipped == ["Recreate data", "Schema and load", "Verify", "History", "Publish"]
    for call in CHECKS[1:]:
        assert fake.arguments(call)[-2:] == ["citus", series.get("COMPARE_WITH", "")]


def test_history_and_publishing_depend_on_the_controller(job: Job) -> None:
    fake = install(job, junit=MISSED)
    job.environment = CONTROLLER
    build = job.build()
    assert (build.result, build.failed_cases) == ("UNSTABLE", ["p99"]), "a missed criterion keeps nothing back"
    assert fake.names == [*CALLS[:-1], "history", "publish", "results"]
    assert fake.arguments("history") == [
        *("history", "citus", "--add-from", "results", "--fail-on-regression", "10%", "--page", "results/history"),
    ]
    assert fake.arguments("publish") == ["publish", "results", "--url", "http://store.example:8428"]


# The call that fails, how it ends, the result, and what is called after it.
FAILURES = [
    *((call, 1, "FAILURE", ["results"]) for call in [*CHECKS, "load", "run", "history", "publish"]),
    *(("run", code, "FAILURE", ["results"]) for code in (2, 4, 5)),
    ("verify", 4, "FAILURE", ["results"]),
    ("history", 3, "UNSTABLE", ["publish", "results"]),
    ("results", 1, "FAILURE", []),
]


@pytest.mark.parametrize(("call", "code", "result", "after"), FAILURES)
def test_a_command_that_fails_is_the_last_one_before_the_report(
    job: Job, call: str, code: int, result: str, after: list[str]
) -> None:
    fake = install(job, codes={call: code})
    job.environment = CONTROLLER
    job.workspace.joinpath("results").mkdir()
    job.workspace.joinpath("results", "of-the-build-before").touch()
    build = job.build()
    assert build.result == result, build.log
    assert fake.names[fake.names.index(call) + 1 :] == after
    assert set(build.archived) | {"results/run"} == set(ARCHIVED)
    assert (len(build.junit), build.description) == (1, DESCRIPTION), "also of what results did before it failed"


@pytest.mark.parametrize(("call", "other"), [("load", ""), ("run", ""), ("run", "ferretdb")])
def test_an_abort_settles_within_the_locks_then_reports(job: Job, call: str, other: str) -> None:
    fake = install(job, seconds={call: 300}, codes={"verify": 4})
    build = job.build(lambda: call in fake.names, COMPARE_WITH=other)
    assert build.result == "ABORTED"
    assert fake.names[-3:] == [call, "verify", "results"], "a failure to settle does not keep the report away"
    assert fake.arguments("verify") == ["verify", "--target", "citus", "--interleave-with", other, *DATA]
    assert SECRET in fake.calls[-2]["secret"]
    assert "results/junit.xml" in build.archived


# What a shell would take for more than text.
VALUES = [
    "a; touch pwned", "$(touch pwned)", "`touch pwned`", '"; touch pwned; "', "'; touch pwned; '", "x\ntouch pwned",
    "&& touch pwned", "| touch pwned", "> pwned", "*", "schön ☃ 数", "{a,b} ~ \\ %s", "--help", "a  b\tc",
]  # fmt: skip
TEXTS = [name for name, value in DEFAULTS.items() if value == "" or name in ("WORKLOAD", "PROFILE")]


@pytest.mark.parametrize("turn", range(0, len(VALUES), 5))
def test_values_of_parameters_arrive_as_they_are_and_do_nothing(job: Job, turn: int) -> None:
    values = {name: VALUES[(turn + place) % len(VALUES)] for place, name in enumerate(TEXTS)}
    job.target = VALUES[turn]
    fake = install(job)
    before = {path.name for path in job.workspace.iterdir()} | {"results", "calls"}
    build = job.build(**values)
    assert build.result == "SUCCESS", build.log
    assert options_of(fake.arguments("run")) == {
        "--target": job.target, "--workload": values["WORKLOAD"], "--profile": values["PROFILE"],
        "--rate": values["THROUGHPUT"], "--duration": values["TEST_TIME"], "--document-size": values["DOCUMENT_SIZE"],
        "--seed": values["SEED"], "--load-hosts": values["LOAD_HOSTS"], "--repeat": values["REPEAT"],
        "--interleave-with": values["COMPARE_WITH"], "--options": values["EXTRA"], "--results": "results",
    }  # fmt: skip
    assert fake.arguments("targets --lock") == [
        *("targets", "--lock", "--load-hosts", values["LOAD_HOSTS"], "--", job.target, values["COMPARE_WITH"]),
    ]
    assert {path.name for path in job.workspace.iterdir()} == before
