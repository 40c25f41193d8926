"""When a load on hosts asks the Java child, and what it makes of its answers; time and child are injected."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shardload.config.merge import Merged
from shardload.config.places import Places
from shardload.processes.child import ChildDied, ChildError, Interrupted
from shardload.processes.hosts import HostLoad, in_lines
from shardload.processes.session import Session
from shardload.terminal import Terminal
from tests.conftest import Screen

NAMES = ["one:1099", "two:1099"]
WELL = {"generators": [{"generator": 0, "host": "one:1099", "state": "running"}], "over": False, "notes": []}


class Fake:
    """A session and a clock. An answer is what the child says, or what it raises."""

    def __init__(self) -> None:
        self.config = {"hosts": {"list": NAMES}, "run": {"id": "run-1"}}
        self.answers: dict[str, Any] = {"hosts-status": WELL, "hosts-close": {"finals": [0, 1], "lost": []}}
        self.asked: list[str] = []
        self.clock = 100.0
        self.is_closed = False
        self.load = HostLoad(self, "./shardload", lambda: self.clock)  # type: ignore[arg-type]

    def call(self, verb: str, interrupted: Callable[[], bool], **request: Any) -> dict[str, Any]:
        self.asked.append(verb)
        answer = self.answers.get(verb, {})
        if answer == "never":
            while not interrupted():
                self.clock += 1
            raise Interrupted(verb)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, dict)
        return answer

    def close(self) -> None:
        self.is_closed = True


def never() -> bool:
    return False


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake()

    def sleep(seconds: float) -> None:
        made.clock += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    return made


def test_the_child_is_asked_once_a_second(fake: Fake) -> None:
    for _ in range(10):
        assert fake.load.check(never).is_over is False
        fake.clock += 0.25
    assert fake.asked == ["hosts-status"] * 3
    assert [state.host for state in fake.load.hosts] == ["one:1099"]


def test_a_child_that_does_not_answer_is_closed_and_the_generators_given_time(fake: Fake) -> None:
    fake.load.start(never)
    fake.answers["hosts-status"] = "never"
    seen = fake.load.check(never)
    assert seen.is_over and seen.trouble == "the Java child did not answer within 10 s during hosts-status"
    assert fake.is_closed
    closed_at = fake.clock
    assert fake.load.stop(None, 5).trouble is None
    assert fake.clock == pytest.approx(closed_at + 10, abs=0.2)
    assert "hosts-close" not in fake.asked
    assert fake.load.ends(False).lost == [0, 1]


def test_a_signal_cuts_a_look_short(fake: Fake) -> None:
    fake.load.start(never)
    fake.answers["hosts-status"] = "never"
    asked = iter([False, True, True])
    seen = fake.load.check(lambda: next(asked))
    assert (seen.is_over, seen.trouble, fake.is_closed) == (False, None, False)
    fake.load.stop("signal", 5)
    assert fake.asked[-2:] == ["hosts-stop", "hosts-close"]


def test_a_load_that_is_over_is_not_asked_to_stop(fake: Fake) -> None:
    fake.load.start(never)
    fake.answers["hosts-status"] = {**WELL, "over": True}
    assert fake.load.check(never).is_over
    fake.load.stop(None, 5)
    assert fake.asked == ["hosts-start", "hosts-status", "hosts-close"]
    assert fake.load.ends(True).lost == [] and fake.load.ends(True).hints == ()


def test_a_load_that_was_never_started_is_not_closed(fake: Fake) -> None:
    assert fake.load.stop(None, 5).is_over
    assert fake.asked == []


def test_the_first_trouble_is_told(fake: Fake) -> None:
    fake.load.start(never)
    fake.answers["hosts-stop"] = ChildError("stop failed", None, 2)
    fake.answers["hosts-close"] = ChildError("close failed", None, 2)
    assert fake.load.stop("signal", 5).trouble == "stop failed"
    assert fake.load.ends(True).lost == [0, 1], "nobody knows how they ended"


def test_a_death_while_closing_leaves_everybody_lost(fake: Fake) -> None:
    fake.load.start(never)
    fake.answers["hosts-close"] = ChildDied("it died")
    assert fake.load.stop("signal", 5).trouble == "it died"
    assert fake.load.ends(False).losses == [{"generator": n, "host": name} for n, name in enumerate(NAMES)]


def test_who_is_in_neither_list_is_lost_too(fake: Fake) -> None:
    fake.load.start(never)
    fake.answers["hosts-close"] = {"finals": [], "lost": [{"generator": 1, "host": "two:1099", "last_ns": 5}]}
    fake.load.stop(None, 5)
    ends = fake.load.ends(True)
    assert ends.lost == [0, 1]
    assert ends.losses == [
        {"generator": 0, "host": "one:1099"},
        {"generator": 1, "host": "two:1099", "last_ns": 5},
    ]
    assert ends.hints[1] == "  ./shardload collect run-1 DIR..."


def test_a_refusal_keeps_a_line_for_each_host() -> None:
    told = in_lines(ChildError("one: busy\n two:   dead \n", "hosts.list", 2))
    assert (str(told), told.hints, told.exit_code, told.key) == ("one: busy", ["two: dead"], 2, "hosts.list")


def test_many_hosts_are_introduced_in_one_line(fake: Fake) -> None:
    facts = [{"generator": n, "host": f"h{n}", "cpus": 4, "java": "17"} for n in range(9)]
    fake.answers["hosts-open"] = {"generators": facts, "notes": ["note"]}
    assert fake.load.open(never) == ["hosts    9 load hosts with 36 CPUs", "note"]
    fake.answers["hosts-open"] = {"generators": [{**facts[0], "clock_offset_ms": -0.01}, None]}
    assert fake.load.open(never) == ["host 0   h0  4 CPUs, Java 17, clock +0.0 ms"]


@pytest.mark.parametrize(
    ("execution", "key", "path"),
    [
        ([{"distributed": ["one"]}], "hosts.list", ("execution", 0, "distributed")),
        ({"distributed": ["one"]}, "hosts.list", ("execution", 0, "distributed")),
        ([{}], "hosts.list", ("target", "load-hosts")),
        ([{}], "hosts.redis_url", ("target", "redis", "url")),
        ([{}], "hosts.controller_address", ("target", "controller-address")),
        ([{}], "hosts.on_generator_loss", ("execution", 0, "on-generator-loss")),
        ([{}], "target.redis.password-env", ("target", "redis", "password-env")),
    ],
)
def test_an_error_about_hosts_is_placed_where_the_user_wrote_them(execution: Any, key: str, path: tuple) -> None:
    session = Session({}, Merged({"execution": execution}), Places(Path()), Terminal(io.StringIO()), None)
    assert session._path_of(key) == path


def test_a_look_leaves_the_figures_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutation: clear the block after every verb; it would flicker once a second."""
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    terminal = Terminal(screen)
    session = Session({}, Merged({}), Places(Path()), terminal, None)
    session._child = SimpleNamespace(call=lambda *_: {}, close=lambda: None)  # type: ignore[assignment]
    terminal.block(["figures"])
    screen.truncate(0)
    session.call("hosts-status")
    assert screen.getvalue() == ""
    session.call("hosts-close")
    assert "waiting for the last figures" in screen.getvalue()
