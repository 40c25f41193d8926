"""The load test for GitHub and GitLab: the parameters of the Jenkinsfile, and no text of a user in a script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobs.parameters import read_parameters
from tests.checkout import ROOT, TARGETS, read_yaml, secrets_of, validate
from tests.commands import GITLAB, WORKFLOWS, commands_of

LOAD_TEST = ROOT / ".github" / "workflows" / "load-test.yml"
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}")
SECRETS = {variable for target in TARGETS for variable in secrets_of(target)}


def workflow(path: Path) -> dict[str, Any]:
    # YAML 1.1, which PyYAML reads, takes the bare key "on" for a truth value.
    return dict(yaml.safe_load(path.read_text(encoding="utf-8").replace("\non:\n", '\n"on":\n')))


def jobs_of(path: Path) -> list[dict[str, Any]]:
    return list(workflow(path)["jobs"].values())


def steps_of(path: Path) -> list[dict[str, Any]]:
    return [step for job in jobs_of(path) for step in job["steps"]]


@pytest.fixture(scope="module")
def inputs() -> dict[str, dict[str, Any]]:
    return dict(workflow(LOAD_TEST)["on"]["workflow_dispatch"]["inputs"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_follow_their_schema(path: Path) -> None:
    assert validate(path, "--builtin-schema", "vendor.github-workflows") == (0, "ok -- validation done\n")


def test_the_file_of_gitlab_follows_its_schema() -> None:
    assert validate(GITLAB, "--builtin-schema", "vendor.gitlab-ci") == (0, "ok -- validation done\n")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_and_rights_are_small(path: Path) -> None:
    used = [step["uses"] for step in steps_of(path) if "uses" in step]
    assert len(used) >= 3
    assert [action for action in used if not PINNED.fullmatch(action)] == []
    # The release that a commit belongs to stands beside it.
    assert len(re.findall(r"@[0-9a-f]{40} +# v\d+\.\d+\.\d+$", path.read_text(), re.MULTILINE)) == len(used)
    assert workflow(path)["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job and "permissions" not in job for job in jobs_of(path))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_expression_is_expanded_in_a_script(path: Path) -> None:
    scripts = [step["run"] for step in steps_of(path) if "run" in step]
    assert scripts
    assert [script for script in scripts if "${{" in script] == []


def test_the_inputs_are_the_parameters_of_the_jenkinsfile(inputs: dict[str, dict[str, Any]]) -> None:
    parameters = read_parameters(ROOT / "Jenkinsfile")
    assert list(inputs) == ["TARGET", *(parameter.name for parameter in parameters)]
    for parameter in parameters:
        given = inputs[parameter.name]
        assert given["default"] == parameter.default, parameter.name
        assert given["description"] == parameter.description, parameter.name
        assert given["type"] == {"booleanParam": "boolean", "string": "string"}[parameter.kind]


def test_gitlab_has_the_parameters_of_the_jenkinsfile() -> None:
    given = read_yaml(GITLAB)["variables"]
    parameters = read_parameters(ROOT / "Jenkinsfile")
    assert list(given) == ["TARGET", *(parameter.name for parameter in parameters)]
    for parameter in parameters:
        default = str(parameter.default).lower() if isinstance(parameter.default, bool) else parameter.default
        assert given[parameter.name]["value"] == default, parameter.name
        assert given[parameter.name]["description"] == parameter.description, parameter.name


def test_every_target_can_be_chosen(inputs: dict[str, dict[str, Any]]) -> None:
    assert inputs["TARGET"]["options"] == TARGETS, "the options of TARGET in .github/workflows/load-test.yml"
    assert read_yaml(GITLAB)["variables"]["TARGET"]["options"] == TARGETS, "the options of TARGET in .gitlab-ci.yml"


def test_inputs_and_secrets_reach_the_commands_as_variables(inputs: dict[str, dict[str, Any]]) -> None:
    (job,) = jobs_of(LOAD_TEST)
    for name in inputs:
        assert job["env"][name] == f"${{{{ inputs.{name} }}}}"
    assert "secrets." not in str(job["env"]), "checkout, Maven and pip need no secret"
    expected = {name: f"${{{{ secrets.{name} }}}}" for name in SECRETS}
    with_secrets = [step for step in job["steps"] if "secrets." in str(step)]
    assert [step["name"] for step in with_secrets] == ["Recreate data", "Load test", "Settle"]
    assert all(step["env"] == expected for step in with_secrets), "the secrets in .github/workflows/load-test.yml (env)"
    used = {variable for command in commands_of(LOAD_TEST) for variable in command.variables}
    assert used <= job["env"].keys()


def test_what_gitlab_uses_is_declared_or_a_setting_of_the_project() -> None:
    used = {variable for command in commands_of(GITLAB) for variable in command.variables}
    assert used - read_yaml(GITLAB)["variables"].keys() == {"PART", "SHARDLOAD_STORE_URL"}


def test_results_are_kept_whatever_happened() -> None:
    ends = [step for step in steps_of(LOAD_TEST) if step.get("if") == "always()"]
    assert [step.get("name") or step["uses"].partition("@")[0] for step in ends] == [
        "Report",
        "actions/upload-artifact",
    ]
    artifacts = read_yaml(GITLAB)["load-test"]["artifacts"]
    assert artifacts["when"] == "always"
    assert artifacts["paths"] == ["results/"]
    assert artifacts["reports"] == {"junit": "results/junit.xml"}


def test_a_missed_criterion_warns_and_everything_else_fails() -> None:
    assert read_yaml(GITLAB)["load-test"]["allow_failure"] == {"exit_codes": [3]}
    (run,) = [step["run"] for step in steps_of(LOAD_TEST) if step.get("name") == "Load test"]
    assert run.endswith(
        'if [ "$code" = 3 ]; then\n'
        "  echo '::warning title=Load test::criteria missed, or the target rate was not reached'\n"
        'else\n  exit "$code"\nfi\n'
    )


def test_one_load_test_of_a_target_at_a_time() -> None:
    assert workflow(LOAD_TEST)["concurrency"] == {"group": "load-test-${{ inputs.TARGET }}"}
    assert read_yaml(GITLAB)["load-test"]["resource_group"] == "load-test/$TARGET"
