"""Every ./shardload of workflows, .gitlab-ci.yml and docs/jenkins.md is a command line of the parser."""

from __future__ import annotations

import pytest

from tests.commands import FILES, NOTHING, VALUES, commands_of

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


def test_every_variable_is_one_word_to_the_shell() -> None:
    assert [f"{command.file}: {command.text}" for command in COMMANDS if not command.is_quoted] == []
