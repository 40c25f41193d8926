"""plugins.txt: pinned, each plugin once, and all that the Jenkinsfiles and the controller need."""

from __future__ import annotations

import re

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
