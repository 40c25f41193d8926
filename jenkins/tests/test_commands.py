"""Every ./shardload of Jenkinsfiles, workflows, .gitlab-ci.yml and docs/jenkins.md is a command line of the parser."""

from __future__ import annotations

import re

import pytest
from shardload.cli import build_parser
from shardload.options.empty import without_empty

from tests.checkout import ROOT
from tests.commands import ALWAYS_GIVEN, FILES, GITLAB, VALUES, Command, commands_of

COMMANDS = [command for path in FILES for command in commands_of(path)]
NOTHING = {name: value if name in ALWAYS_GIVEN else "" for name, value in VALUES.items()}


def verb(command: Command) -> str:
    return command.text.split()[0]


def parse(command: Command, values: dict[str, str]) -> str:
    """Return what the parser says, or nothing if it takes the command line."""
    parser = build_parser()
    try:
        parser.parse_args(without_empty(command.words(values), parser))
    except SystemExit as end:
        return "" if end.code == 0 else f"{command.file}: {command.text}"
    return ""


def test_the_commands_are_found() -> None:
    found = {path.name: [verb(command) for command in commands_of(path)] for path in FILES}
    for name in ("Jenkinsfile", "load-test.yml", ".gitlab-ci.yml"):
        assert {"targets", "load", "run", "verify", "results", "history", "publish"} <= set(found[name]), name
    assert "run" in found["matrix.Jenkinsfile"]
    assert {"targets", "run", "results", "history"} <= set(found["jenkins.md"])
    assert found["ci.yml"] == ["test"]


@pytest.mark.parametrize("values", [VALUES, NOTHING], ids=["all given", "as on a first build"])
def test_the_parser_takes_them_all(values: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    refused = [parse(command, values) for command in COMMANDS if verb(command) != "test"]
    assert [line for line in refused if line] == [], capsys.readouterr().err


def test_a_command_line_that_the_parser_refuses_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse(Command("x", 'run --target "$TARGET" --thruput "$THROUGHPUT"'), VALUES)
    assert "--thruput" in capsys.readouterr().err


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
