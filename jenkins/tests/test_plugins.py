"""plugins.txt: pinned, each plugin once, and all that the Jenkinsfiles and the controller need."""

from __future__ import annotations

import re

import pytest

from tests.checkout import JENKINS
from tests.parsed import pipelines
from tests.plugins import ALWAYS, needed_by, problems

PLUGINS = (JENKINS / "plugins.txt").read_text(encoding="utf-8")


def all_needed() -> set[str]:
    return ALWAYS.union(*map(needed_by, pipelines().values()))


def test_all_plugins_are_pinned_and_there() -> None:
    assert problems(PLUGINS, all_needed()) == []


def test_the_list_says_where_its_versions_come_from_and_that_no_test_ran_them() -> None:
    assert re.search(r"bom-(\d+\.\d+)\.x, release [\w.]+ of \d{4}-\d\d-\d\d", PLUGINS)
    assert "NOT EXECUTED" in PLUGINS


def test_the_controller_is_of_the_line_that_the_plugins_are_tested_with() -> None:
    line = re.search(r"bom-(\d+\.\d+)\.x", PLUGINS)
    assert line is not None
    dockerfile = (JENKINS / "controller.Dockerfile").read_text(encoding="utf-8")
    assert re.search(rf"^FROM jenkins/jenkins:{re.escape(line[1])}\.\d+-lts-jdk21$", dockerfile, re.MULTILINE)
    assert "jenkins-plugin-cli --latest false" in dockerfile


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (r"^git:.*$", "git", "not pinned: git"),
        (r"^git:.*$", "git:latest", "not pinned: git:latest"),
        (r"^git:.*$", "git:https://example.com/git.hpi", "not pinned: git:https://example.com/git.hpi"),
        (r"^git:.*$", "git:5.10.1\njunit:1.0", "twice: junit"),
        (r"^lockable-resources:.*\n", "", "missing: lockable-resources"),
        (r"^timestamper:.*\n", "", "missing: timestamper"),
        (r"^cloudbees-folder:.*\n", "", "missing: cloudbees-folder"),
    ],
)
def test_each_fault_of_the_list_is_found(before: str, after: str, found: str) -> None:
    changed = re.sub(before, after, PLUGINS, flags=re.MULTILINE)
    assert problems(changed, all_needed()) == [found]


def test_a_step_of_an_unknown_plugin_is_found() -> None:
    with pytest.raises(KeyError, match="slackSend"):
        needed_by({"stages": [{"steps": [{"name": "slackSend", "arguments": {"channel": "#x"}}]}]})
