"""What the Jenkinsfile does, with a fake ./shardload: stages, locks, credentials, arguments, results."""

from __future__ import annotations

import json

import pytest
from shardload.options.common import DEFAULT_PROFILE, DEFAULT_WORKLOAD

from tests.fake import MISSED, Fake, install
from tests.pipeline import DEFAULTS, SECRET, Job

DATA = ["--target", "citus", "--workload", "document-store", "--document-size", "", "--seed", "", "--options", ""]
RUN = [
    *("--target", "citus", "--workload", "document-store", "--profile", "smoke", "--rate", "", "--duration", ""),
    *("--document-size", "", "--seed", "", "--load-hosts", "", "--repeat", "", "--interleave-with", ""),
    *("--options", "", "--results", "results", "--allow-missed-criteria"),
]
CALLS = [
    *("targets", "targets --check", "targets --lock", "targets --credentials"),
    *("load", "run", "verify", "results"),
]
DONE = {
    **dict.fromkeys(
        ("Build", "Check", "Cluster", "Test", "Schema and load", "Load test", "Verify", "Report"), "SUCCESS"
    ),
    **dict.fromkeys(("Recreate data", "History", "Publish"), "SKIPPED"),
}
LOCKS = ["shardload-10.9.0.1", "shardload-local-agent"]
END = [(None, "always"), (None, "cleanup")]
ARCHIVED = ["results/description.html", "results/junit.xml", "results/run"]
NOTHING_STARTED = ARCHIVED[:-1]


def test_a_build_calls_each_command_once_within_locks_and_credentials(job: Job) -> None:
    fake = install(job)
    build = job.build()
    assert (build.result, build.statuses) == ("SUCCESS", DONE)
    assert fake.names == CALLS
    assert fake.arguments("load") == ["load", *DATA]
    assert fake.arguments("verify") == ["verify", *DATA]
    assert fake.arguments("run") == ["run", *RUN]
    assert build.record["locks"] == LOCKS == build.record["locks_released"]
    assert build.record["credentials"] == ["shardload-citus-SHARDLOAD_PG_PASSWORD"]
    inside = {call["call"]: bool(call["environment"]) for call in fake.calls}
    assert [name for name, has_secret in inside.items() if has_secret] == ["load", "run", "verify"]
    assert build.post == END
    assert build.record["archived"] == ARCHIVED
    assert build.record["junit"]["passed"] == 1
    assert build.record["description"] == "run 20261122-120000-citus-smoke &lt;ok&gt;"


def test_the_options_of_the_pipeline(job: Job) -> None:
    install(job)
    record = job.build().record
    assert record["agent"] == "shardload"
    for option in ("disableConcurrentBuilds", "skipDefaultCheckout", "buildDiscarder", "timestamps"):
        assert any(option in each for each in record["options"]), option
    assert any("disableRestartFromStage" in each for each in record["options"]), "the lists would be empty"
    assert not any("timeout" in each for each in record["options"]), "it would cut off what post has to do"


def test_the_first_build_does_what_the_defaults_of_the_command_line_say(job: Job) -> None:
    fake = install(job)
    build = job.end_of(job.start(None))
    assert (build.result, build.statuses) == ("SUCCESS", DONE)
    given = dict(zip(fake.arguments("run")[1:-1:2], fake.arguments("run")[2:-1:2]))
    assert {name: value for name, value in given.items() if value} == {"--target": "citus", "--results": "results"}
    assert build.record["parameters_declared"] == DEFAULTS
    assert (DEFAULTS["WORKLOAD"], DEFAULTS["PROFILE"]) == (DEFAULT_WORKLOAD, DEFAULT_PROFILE)
    assert {value for name, value in DEFAULTS.items() if name not in ("WORKLOAD", "PROFILE")} == {"", False, "240"}


def test_the_jenkinsfile_replaces_defaults_of_the_job_but_not_its_target(job: Job) -> None:
    fake = install(job)
    job.more["job_parameters"] = {"PROFILE": "steady", "TARGET": "ferretdb"}
    build = job.end_of(job.start(None))
    assert build.result == "SUCCESS"
    assert build.record["parameters_after"] == {**DEFAULTS, "TARGET": "ferretdb"}
    assert fake.arguments("run")[1:3] == ["--target", "citus"]


def test_data_are_made_anew_only_if_asked_for(job: Job) -> None:
    fake = install(job)
    build = job.build(RECREATE_DATA=True)
    assert build.statuses == {**DONE, "Recreate data": "SUCCESS"}
    assert fake.arguments("load --recreate") == ["load", "--recreate", *DATA]
    assert fake.names.index("load --recreate") < fake.names.index("load")


@pytest.mark.parametrize("series", [{"REPEAT": "3"}, {"COMPARE_WITH": "ferretdb"}])
def test_a_series_loads_and_verifies_by_itself(job: Job, series: dict[str, str | bool]) -> None:
    fake = install(job)
    job.credentials["shardload-ferretdb-SHARDLOAD_PG_PASSWORD"] = "another secret"
    build = job.build(RECREATE_DATA=True, **series)
    assert build.result == "SUCCESS"
    skipped = ("Recreate data", "Schema and load", "Verify", "History", "Publish")
    assert [name for name, status in build.statuses.items() if status == "SKIPPED"] == list(skipped)
    if "COMPARE_WITH" in series:
        assert fake.arguments("targets --check")[-2:] == ["citus", "ferretdb"]
        assert fake.arguments("targets --lock")[-2:] == ["citus", "ferretdb"]
        assert sorted(build.record["credentials"]) == [
            "shardload-citus-SHARDLOAD_PG_PASSWORD", "shardload-ferretdb-SHARDLOAD_PG_PASSWORD",
        ]  # fmt: skip
    (run,) = [call for call in fake.calls if call["call"] == "run"]
    assert run["environment"] == {"SHARDLOAD_PG_PASSWORD": SECRET}, "the job's own secret counts"


def test_history_and_publishing_depend_on_the_controller(job: Job) -> None:
    fake = install(job)
    job.environment = {"SHARDLOAD_RUNS": "/srv/runs", "SHARDLOAD_STORE_URL": "http://store.example:8428"}
    build = job.build()
    assert build.statuses == {**DONE, "History": "SUCCESS", "Publish": "SUCCESS"}
    assert fake.arguments("history") == [
        *("history", "citus", "--add-from", "results", "--fail-on-regression", "10%", "--page", "results/history"),
    ]
    assert fake.arguments("publish") == ["publish", "results", "--url", "http://store.example:8428"]


def test_a_missed_criterion_is_unstable(job: Job) -> None:
    install(job, junit=MISSED)
    job.environment = {"SHARDLOAD_RUNS": "/srv/runs"}
    build = job.build()
    assert build.result == "UNSTABLE"
    assert build.record["junit"]["failed"] == 1
    assert build.statuses["History"] == "SUCCESS", "it goes on"
    assert build.record["archived"] == ARCHIVED


# The call that fails, how it ends, the result, the last stage that runs, and what post does.
FAILURES = [
    ("targets", 1, "FAILURE", "Build", ["results"]),
    ("targets --check", 1, "FAILURE", "Check", ["results"]),
    ("targets --lock", 1, "FAILURE", "Check", ["results"]),
    ("targets --credentials", 1, "FAILURE", "Check", ["results"]),
    ("load", 1, "FAILURE", "Schema and load", ["results"]),
    ("run", 1, "FAILURE", "Load test", ["results"]),
    ("run", 2, "FAILURE", "Load test", ["results"]),
    ("run", 4, "FAILURE", "Load test", ["results"]),
    ("run", 5, "FAILURE", "Load test", ["results"]),
    ("verify", 4, "FAILURE", "Verify", ["results"]),
    ("results", 1, "FAILURE", "Report", []),
    ("history", 3, "UNSTABLE", "Publish", []),
    ("history", 1, "FAILURE", "History", []),
    ("publish", 1, "FAILURE", "Publish", []),
]


@pytest.mark.parametrize(("call", "code", "result", "last", "after"), FAILURES)
def test_a_failure_in_a_stage(job: Job, call: str, code: int, result: str, last: str, after: list[str]) -> None:
    fake = install(job, codes={call: code})
    job.environment = {"SHARDLOAD_RUNS": "/srv/runs", "SHARDLOAD_STORE_URL": "http://store.example:8428"}
    build = job.build()
    assert build.result == result, build.log
    ran = [name for name, status in build.statuses.items() if status not in ("SKIPPED", "NOT_RUN")]
    assert ran[-1] == last
    assert fake.names[fake.names.index(call) + 1 :] == (["publish"] if result == "UNSTABLE" else after)
    assert build.post[-2:] == END
    assert fake.names.count("results") == 1
    assert "results/junit.xml" in build.record["archived"]
    assert build.record["junit"]["passed"] == 1, "also of what results did before it failed"
    assert build.record["description"] == "run 20261122-120000-citus-smoke &lt;ok&gt;"
    assert build.record["locks"] == build.record["locks_released"]


def test_nothing_of_the_build_before_is_reported(job: Job) -> None:
    install(job)
    job.workspace.joinpath("results").mkdir()
    job.workspace.joinpath("results", "old").touch()
    job.change(("checkout scm", "error 'the repository does not answer'"))
    build = job.build()
    assert (build.result, build.record["archived"]) == ("FAILURE", NOTHING_STARTED)


def test_a_build_waits_for_a_cluster_that_another_one_uses(job: Job) -> None:
    fake = install(job)
    job.more["locks_held"] = ["shardload-local-agent"]
    build = job.build()
    assert build.record["locks_awaited"] == ["shardload-local-agent"]
    assert "load" not in fake.names and "run" not in fake.names
    assert fake.names[-1] == "results", "the description says that nothing was started"


def test_a_credential_that_is_missing_is_reported(job: Job) -> None:
    fake = install(job)
    job.credentials = {}
    build = job.build()
    assert build.result == "FAILURE"
    assert fake.names[-2:] == ["targets --credentials", "results"]
    assert (build.post, build.record["archived"]) == (END, NOTHING_STARTED)


def test_a_report_has_a_time_limit_of_its_own(job: Job) -> None:
    fake = install(job, seconds={"results": 300})
    job.more["timeout_grace_seconds"] = 1
    limited = "  if (!isReported) {\n    timeout(time: "
    job.change((limited + "limit(), unit: 'MINUTES')", limited + "2, unit: 'SECONDS')"))
    build = job.build()
    assert build.result == "ABORTED"
    assert fake.names[-2:] == ["results", "results"]
    assert (build.post, build.record["archived"]) == (END, ARCHIVED)


@pytest.mark.parametrize("call", ["load", "run"])
def test_an_abort_settles_within_the_locks_then_archives(job: Job, call: str) -> None:
    fake = install(job, seconds={call: 300})
    build = job.abort(lambda: fake.has_begun(call))
    assert build.result == "ABORTED"
    assert fake.names[-2:] == ["verify", "results"]
    assert fake.calls[-2]["environment"] == {"SHARDLOAD_PG_PASSWORD": SECRET}
    assert build.post == [("Cluster", "aborted"), *END]
    order = [line for line in build.log.splitlines() if "shardload verify" in line or line.startswith("Lock released")]
    assert "shardload verify" in order[-2] and order[-1].startswith("Lock released"), build.log
    assert "results/junit.xml" in build.record["archived"]


def test_an_abort_settles_both_targets_of_a_comparison(job: Job) -> None:
    job.credentials["shardload-ferretdb-SHARDLOAD_PG_PASSWORD"] = "another secret"
    fake = install(job, seconds={"run": 300}, codes={"verify": 4})
    build = job.abort(lambda: fake.has_begun("run"), COMPARE_WITH="ferretdb")
    assert build.result == "ABORTED"
    assert [call["arguments"][2] for call in fake.calls if call["call"] == "verify"] == ["citus", "ferretdb"]
    assert fake.names[-1] == "results", "a failure to settle does not keep the report away"


def test_the_time_limit_leaves_post_all_the_time_it_needs(job: Job) -> None:
    fake = install(job, seconds={"run": 300, "verify": 4})
    job.more["timeout_grace_seconds"] = 1
    limited = "stage('Test') {\n          options { timeout(time: "
    job.change((limited + "limit(), unit: 'MINUTES')", limited + "5, unit: 'SECONDS')"))
    build = job.build()
    assert build.result == "ABORTED"
    assert fake.names[-3:] == ["run", "verify", "results"]
    (settled,) = [entry for entry in build.record["post"] if entry["condition"] == "aborted"]
    assert [step["exit"] for step in settled["steps"] if step["step"] == "sh"] == [0]


# What a shell would take for more than text.
VALUES = [
    "a; touch pwned", "$(touch pwned)", "`touch pwned`", '"; touch pwned; "', "'; touch pwned; '", "x\ntouch pwned",
    "&& touch pwned", "| touch pwned", "> pwned", "*", "schön ☃ 数", "{a,b} ~ \\ %s", "--help", "a  b\tc",
]  # fmt: skip
TEXTS = [name for name, value in DEFAULTS.items() if value == "" or name in ("WORKLOAD", "PROFILE")]


@pytest.mark.parametrize("turn", range(0, len(VALUES), 5))
def test_values_of_parameters_arrive_as_they_are_and_do_nothing(job: Job, turn: int) -> None:
    values = {name: VALUES[(turn + place) % len(VALUES)] for place, name in enumerate(TEXTS)}
    job.credentials[f"shardload-{values['COMPARE_WITH']}-SHARDLOAD_PG_PASSWORD"] = "another secret"
    fake = install(job)
    before = {path.name for path in job.workspace.iterdir()} | {"results", "calls"}
    build = job.build(**values)
    assert build.result == "SUCCESS", build.log
    arguments = fake.arguments("run")
    given = dict(zip(arguments[1:-1:2], arguments[2:-1:2]))
    assert given == {
        "--target": "citus", "--workload": values["WORKLOAD"], "--profile": values["PROFILE"],
        "--rate": values["THROUGHPUT"], "--duration": values["TEST_TIME"], "--document-size": values["DOCUMENT_SIZE"],
        "--seed": values["SEED"], "--load-hosts": values["LOAD_HOSTS"], "--repeat": values["REPEAT"],
        "--interleave-with": values["COMPARE_WITH"], "--options": values["EXTRA"], "--results": "results",
    }  # fmt: skip
    assert fake.arguments("targets --lock") == [
        *("targets", "--lock", "--load-hosts", values["LOAD_HOSTS"], "--", "citus", values["COMPARE_WITH"]),
    ]
    assert {path.name for path in job.workspace.iterdir()} == before


@pytest.mark.parametrize("value", VALUES[:3])
def test_a_time_limit_that_is_no_number_starts_nothing(job: Job, value: str) -> None:
    fake = install(job)
    build = job.build(TIMEOUT_MINUTES=value)
    assert (build.result, fake.names) == ("FAILURE", [])


def test_the_name_of_a_job_is_only_text(job: Job) -> None:
    job.name = "shardload/postgresql/$(touch pwned); touch pwned"
    job.credentials["shardload-$(touch pwned); touch pwned-SHARDLOAD_PG_PASSWORD"] = SECRET
    fake = install(job)
    assert job.build().result == "SUCCESS"
    assert fake.arguments("run")[2] == "$(touch pwned); touch pwned"
    assert not list(job.workspace.glob("*pwned*"))


def test_no_secret_is_in_an_argument_or_in_the_log(job: Job) -> None:
    fake: Fake = install(job)
    fake.outputs["run"] = [f"connecting with {SECRET}"]
    fake.install()
    build = job.build()
    assert "connecting with ****" in build.log
    assert SECRET not in build.log and SECRET not in json.dumps(build.record)
    assert all(SECRET not in word for call in fake.calls for word in call["arguments"])
