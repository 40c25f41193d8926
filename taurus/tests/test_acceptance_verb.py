"""The verb acceptance: order, results, time limits, interruption, exit codes; commands as real processes."""

from __future__ import annotations

import io
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from shardload.cli import build_parser
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.terminal import Terminal
from shardload.verbs.acceptance import loads, verb
from shardload.verbs.acceptance.calls import Commands, Failed, Interrupted
from shardload.verbs.acceptance.model import (
    FAILED,
    NOT_APPLICABLE,
    NOT_RUN,
    PASSED,
    Check,
    NotApplicable,
    Result,
    closure,
)
from shardload.verbs.acceptance.registry import CHECKS
from tests.conftest import PATIENCE_SECONDS, TAURUS, Checkout
from tests.fakes.fake_caller import scene


def raising(error: BaseException) -> Callable[..., str]:
    def run(*_: object) -> str:
        raise error

    return run


def outcomes(tmp_path: Path, *checks: Check, interrupted: bool = False) -> dict[str, tuple[str, str]]:
    made = scene(tmp_path)
    results = verb.perform(checks, made, lambda *_: None, lambda: interrupted, Terminal(io.StringIO()))
    return {each.check.name: (each.status, each.why) for each in results}


def test_nothing_is_skipped_silently(tmp_path: Path) -> None:
    told = outcomes(
        tmp_path,
        Check("a", "", lambda _: "fine"),
        Check("b", "", raising(Failed("wrong", 4)), ("a",)),
        Check("c", "", lambda _: "never", ("b",)),
        Check("d", "", raising(NotApplicable("no address was given"))),
        Check("e", "", lambda _: "never", systems=("Citus",)),
        Check("f", "", lambda _: "fine", systems=("Citus", "PostgreSQL")),
        Check("g", "", raising(ValueError("not a number"))),
        Check("h", "", raising(Interrupted())),
        Check("i", "", lambda _: "what b left", after=("b",)),
    )
    assert told == {
        "a": (PASSED, "fine"),
        "b": (FAILED, "wrong"),
        "c": (NOT_RUN, "it needs b, which is failed"),
        "d": (NOT_APPLICABLE, "no address was given"),
        "e": (NOT_APPLICABLE, "it is for Citus, not for PostgreSQL 18.6"),
        "f": (PASSED, "fine"),
        "g": (FAILED, "the check itself failed: ValueError: not a number"),
        "h": (NOT_RUN, "interrupted"),
        "i": (PASSED, "what b left"),
    }
    assert outcomes(tmp_path, Check("a", "", lambda _: "fine"), interrupted=True) == {"a": (NOT_RUN, "interrupted")}


def result(status: str, why: str = "", code: int | None = None) -> Result:
    return Result(CHECKS[0], status, why, 0, code)


@pytest.mark.parametrize(
    ("results", "interrupted", "code"),
    [
        ([result(PASSED), result(NOT_APPLICABLE)], False, 0),
        ([result(PASSED), result(FAILED)], False, 3),
        ([result(FAILED, code=5), result(NOT_RUN, "it needs a")], False, 3),
        ([result(FAILED), result(FAILED, code=4)], True, 4),
        ([result(PASSED), result(NOT_RUN, "interrupted")], True, 2),
        ([result(NOT_RUN, "it needs a")], False, 3),
        ([result(PASSED)], True, 2),
    ],
)
def test_the_worst_check_decides(results: list[Result], interrupted: bool, code: int) -> None:
    assert verb.code_of(results, interrupted) == code


def test_the_registry_is_sound() -> None:
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)
    for place, check in enumerate(CHECKS):
        assert {*check.needs, *check.after} <= set(names[:place]), check.name
        assert check.proves
    assert [check.name for check in closure(["explain"], CHECKS)] == ["target", "tables", "load", "run", "explain"]
    assert [check.name for check in closure(["grafana", "target"], CHECKS)] == ["target", "grafana"]


def test_a_server_is_known_by_what_it_calls_itself_and_by_its_topology(tmp_path: Path) -> None:
    assert scene(tmp_path).system == "PostgreSQL 18.6"
    sharded = scene(tmp_path, server="MongoDB 8.0.4", section={"options": {"topology": "sharded"}})
    assert sharded.system == "MongoDB 8.0.4; MongoDB sharded"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("-t", "noop", "--only", ","), "--only: names no check"),
        (("-t", "noop", "-o", "target.url=x"), "-o target.url: would not hold for every check"),
        (("-t", "noop", "--jenkins", "ci.example"), '--jenkins: "ci.example" is not the address of a service'),
        (("-t", "noop", "--grafana", "http://me:pw@g.example"), "--grafana: a user or password in a URL would appear"),
        (("-t", "noop", "--foreign-target", "noop"), "--foreign-target noop: is the target itself"),
        (("-t", "noop", "--page", "x/y/a.html"), "--page: cannot write to the folder of x/y/a.html"),
        (("-t", "noop", "--page", "a.txt"), "--page: a.txt does not end with .html"),
    ],
)
def test_wrong_use_starts_nothing(arguments: tuple[str, ...], line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "reserve_run", raising(AssertionError("it was begun")))
    with pytest.raises(Problem) as raised:
        call(*arguments)
    assert line in str(raised.value)
    assert "pw@" not in str(raised.value)


def call(*arguments: str) -> int:
    return verb.acceptance(build_parser().parse_args(["acceptance", *arguments]), Places(TAURUS.parent))


def test_a_file_of_others_is_no_page(tmp_path: Path) -> None:
    theirs = tmp_path / "a.html"
    theirs.write_text("<p>mine</p>")
    with pytest.raises(Problem, match=r"a\.html exists and is not a page of acceptance"):
        call("-t", "noop", "--page", str(theirs))
    assert theirs.read_text() == "<p>mine</p>"


def test_the_list_names_every_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--list") == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [check.name for check in CHECKS]


def test_a_consent_without_recreate_is_refused(checkout: Checkout) -> None:
    code, output = checkout.run("acceptance", "-t", "noop", "--replace-foreign")
    assert code == 1
    assert "--replace-foreign: only together with --recreate" in output
    assert not (checkout.root / "runs").exists()


def test_the_page_of_a_failure_and_its_exit_code(checkout: Checkout) -> None:
    """The fake of Java makes no tables for it, so what needs them is not run."""
    code, output = checkout.run(
        "acceptance", "-t", "noop", "--only", "tables,parity", "--page", "a.html", FAKE_CHILD="targets-dies"
    )
    assert code == 3, output
    told = json.loads((checkout.root / "a.json").read_text())
    assert {each["name"]: each["status"] for each in told["checks"]} == {
        "target": "failed",
        "tables": "not run",
        "parity": "not run",
    }
    assert "1 failed, 2 not run" in (checkout.root / "a.html").read_text()


def commands(tmp_path: Path, script: str, is_interrupted: Callable[[], bool] = lambda: False) -> Commands:
    file = tmp_path / "program.py"
    file.write_text(script)
    made = Commands(tmp_path, tmp_path, is_interrupted, (sys.executable, str(file)), patience_seconds=PATIENCE_SECONDS)
    made.begin("check", PATIENCE_SECONDS)
    return made


def test_a_command_has_its_arguments_environment_and_log(tmp_path: Path) -> None:
    script = "import os, sys; print(sys.argv[1:], os.environ['EXTRA']); sys.exit(7)"
    made = commands(tmp_path, script)
    answer = made.call(["verify", "-t"], environment={"EXTRA": "given"})
    assert (answer.code, answer.output) == (7, "['verify', '-t'] given\n")
    assert (tmp_path / "check-1.log").read_text() == answer.output


# As the background job of a script, from which SIGINT is ignored down to the last child.
WAITING = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
def stop(*_):
    print("in order", flush=True)
    sys.exit(2)
signal.signal(signal.SIGTERM, stop)
print("waiting", flush=True)
while True:
    time.sleep(0.1)
"""


def test_what_takes_longer_than_its_limit_ends_in_order(tmp_path: Path) -> None:
    made = commands(tmp_path, WAITING)
    made.begin("check", 2)
    with pytest.raises(Failed, match="run did not end within the time limit"):
        made.call(["run"])
    assert "in order" in (tmp_path / "check-1.log").read_text()


def test_ctrl_c_ends_the_command_in_order(tmp_path: Path) -> None:
    log = tmp_path / "check-1.log"
    made = commands(tmp_path, WAITING, lambda: log.exists() and "waiting" in log.read_text())
    with pytest.raises(Interrupted):
        made.call(["run"])
    assert log.read_text() == "waiting\nin order\n"


def test_the_monitoring_ends_where_ctrl_c_is_ignored(tmp_path: Path) -> None:
    script = WAITING.replace("waiting", "serving http://127.0.0.1:1/metrics for mine (1 server)")
    made = scene(tmp_path / "scene")
    made.caller = commands(tmp_path, script.replace("exit(2)", "exit(0)"))
    assert loads.check_monitoring(made) == "1 server reported"


def test_a_watcher_kills_the_whole_group(tmp_path: Path) -> None:
    script = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {WAITING!r}]).wait()"
    made = commands(tmp_path, script)
    answer = made.call(["run"], watch=lambda output: "SIGKILL" if "waiting" in output else None)
    assert answer.code == -signal.SIGKILL
    log = (tmp_path / "check-1.log").read_text()
    assert log == "waiting\n"


def test_a_problem_of_the_data_ends_everything(tmp_path: Path) -> None:
    with pytest.raises(Problem):
        outcomes(tmp_path, Check("a", "", raising(Problem("theirs"))))
