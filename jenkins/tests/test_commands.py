"""Every ./shardload of workflows, .gitlab-ci.yml and docs/jenkins.md is a command line of the parser."""

from __future__ import annotations

import re

import pytest

from tests.checkout import ROOT
from tests.commands import FILES, GITLAB, NOTHING, VALUES, Command, commands_of

COMMANDS = [command for path in FILES for command in commands_of(path)]


def test_the_commands_are_found() -> None:
    found = {path.name: [command.verb for command in commands_of(path)] for path in FILES}
    for name in ("load-test.yml", ".gitlab-ci.yml"):
        assert {"targets", "load", "run", "verify", "results", "history", "publish"} <= set(found[name]), name
    assert {"targets", "run", "results", "history"} <= set(found["jenkins.md"])
    assert found["ci.yml"] == ["test"]


@pytest.mark.parametrize("values", [VALUES, NOTHING], ids=["all given", "as on a first build"])
def test_the_parser_takes_them_all(values: dict[str, str]) -> None:
    refused = {command: command.refusal(values) for command in COMMANDS if command.verb != "test"}
    assert {command: said for command, said in refused.items() if said} == {}


def test_a_command_line_that_the_parser_refuses_is_found() -> None:
    assert "--thruput" in Command("x", 'run --target "$TARGET" --thruput "$THROUGHPUT"').refusal(VALUES)


def test_every_variable_is_one_word_to_the_shell() -> None:
    assert [f"{command.file}: {command.text}" for command in COMMANDS if not command.is_quoted] == []
    assert not Command("x", "run --profile $PROFILE").is_quoted
    assert not Command("x", 'run --profile "a$PROFILE"').is_quoted


def test_the_parts_of_the_tests_are_those_of_the_launcher() -> None:
    script = (ROOT / "taurus" / "tests" / "run.sh").read_text(encoding="utf-8")
    parts = re.search(r'^test_parts="(.*)"$', script, re.MULTILINE)
    assert parts is not None
    expected = [part for part in parts[1].split() if part not in ("long", "real", "all")]
    for path in (ROOT / ".github" / "workflows" / "ci.yml", GITLAB):
        given = re.search(r"(?:part|PART): \[(.*)\]", path.read_text(encoding="utf-8"))
        assert given is not None
        assert given[1].split(", ") == expected, path
