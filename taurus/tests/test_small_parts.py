"""Quantities, mixes, properties, places and the terminal."""

from __future__ import annotations

import io
import json
import re
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from shardload.config.effective import properties
from shardload.config.places import discard, reserve_run
from shardload.config.problem import Problem, unknown
from shardload.config.values.mixes import check_mix, combine
from shardload.config.values.quantities import nanos, percent, seconds, show_nanos, show_seconds
from shardload.terminal import OWN, Progress, Terminal, bar, complain, sparkline
from tests.conftest import Screen

ROOT = Path(__file__).resolve().parents[2]
# The cases that the Java side is tested with too.
SHARED = json.loads((ROOT / "java-samplers/src/test/resources/shared/durations.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "value"), SHARED["read"].items())
def test_durations(text: str, value: int) -> None:
    assert nanos(text) == value
    assert seconds(text) == value / 1e9


@pytest.mark.parametrize("value", [90, 0.5, 0])
def test_a_bare_number_is_seconds(value: float) -> None:
    assert seconds(value) == value


@pytest.mark.parametrize("text", [*SHARED["refused"], None, True, [], -1, float("inf")])
def test_no_durations(text: object) -> None:
    with pytest.raises(Problem):
        seconds(text)


def test_shares() -> None:
    assert percent("1%") == 1 and percent("0.5 %") == 0.5
    for wrong in ("1", "101%", "x%", 0.01):
        with pytest.raises(Problem):
            percent(wrong)


def test_shown() -> None:
    assert [show_seconds(value) for value in (0, 59.4, 60, 3661)] == ["0:00", "0:59", "1:00", "1:01:01"]
    assert show_nanos(None) == "-"
    assert [[value, show_nanos(value)] for value, _ in SHARED["shown"]] == SHARED["shown"]


def test_mix_of_tenths_is_exactly_100() -> None:
    assert sum(check_mix({"a": 0.7, "b": 2.1, "c": 3.5, "d": 93.7}).values()) == 100
    assert check_mix({"a": 100, "b": 0}) == {"a": 100}


@pytest.mark.parametrize("mix", [{}, None, [], {"a": 99.9}, {"a": 101}, {"a": -1, "b": 101}, {"a": True}, {"a": "x"}])
def test_wrong_mixes(mix: object) -> None:
    with pytest.raises(Problem):
        check_mix(mix)


def test_combined_mix_is_weighted_and_sums_to_100() -> None:
    third = combine([(Decimal(1), {"a": Decimal(100)}), (Decimal(2), {"b": Decimal(100)})])
    assert third == {"a": Decimal("33.3333"), "b": Decimal("66.6667")}


def test_properties_survive_java() -> None:
    assert properties({"key": '{"a":"\\u00e4 ä €"}'}) == 'key={"a":"\\\\u00e4 \\u00e4 \\u20ac"}\n'
    assert properties({"key": "😀"}) == "key=\\ud83d\\ude00\n"


def test_two_controllers_of_one_second_have_two_run_ids(tmp_path: Path) -> None:
    now = datetime(2026, 11, 21, 6, 1, 2)
    ours, theirs = (reserve_run(tmp_path / where, "noop", "smoke", now) for where in ("ours", "theirs"))
    assert ours.name != theirs.name, "in one store the second run would delete the first one's series"


def test_run_ids_are_unique(tmp_path: Path) -> None:
    now = datetime(2026, 11, 21, 6, 1, 2)
    first, second = (reserve_run(tmp_path / "runs", "noop", "smoke", now) for _ in range(2))
    for run in (first, second):
        assert re.fullmatch("20261121-060102-[a-z]{4}-noop-smoke", run.name)
    assert first.name != second.name
    assert list(first.iterdir()) == []
    discard(first)
    assert second.exists()
    discard(second)
    assert not (tmp_path / "runs").exists()


def test_unknown_names_the_nearest_or_all() -> None:
    assert unknown("key", "rump-up", ["ramp-up", "steps"]) == 'unknown key "rump-up"; did you mean "ramp-up"?'
    assert unknown("key", "xyz", ["b", "a"]) == 'unknown key "xyz"; known are a, b'


def test_plain_lines_have_no_escapes() -> None:
    stream = io.StringIO()
    terminal = Terminal(stream)
    terminal.block(["live"])
    terminal.line(terminal.paint("text", "red"))
    assert stream.getvalue() == "text\n"


def test_no_colour_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert Terminal(Screen()).paint("text", "red") == "text"
    monkeypatch.delenv("NO_COLOR")
    assert Terminal(Screen()).paint("text", "red") == f"{OWN}[31mtext{OWN}[0m"


def test_only_own_codes_reach_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    foreign = "a\x1b[2J\x9b31m\x07\x7f\r\u202e\u2066\tb"
    shown = "a\ufffd[2J\ufffd31m\ufffd\ufffd\ufffd\ufffd\ufffd\tb"
    screen = Screen()
    terminal = Terminal(screen)
    terminal.line(terminal.paint(foreign, "red"))
    assert screen.getvalue() == f"\x1b[31m{shown}\x1b[0m\n"
    terminal.block([foreign])
    assert screen.getvalue().endswith(f"\x1b[J{shown}\n\x1b[1F")
    complain(foreign)
    complain("9" * 50_000 + " is no /path/of/" + "x" * 255)
    line = f"shardload: {'9' * 60}... is no /path/of/{'x' * 255}"
    assert capsys.readouterr() == ("", f"shardload: {shown}\n{line}\n")


def test_progress_tells_rate_and_time_left_every_ten_seconds() -> None:
    stream, now = io.StringIO(), [0.0]
    progress = Progress(Terminal(stream), lambda: now[0])
    for second in range(31):
        now[0] = float(second)
        progress.update("load", second * 1000, 40_000, "documents")
    progress.finish()
    assert stream.getvalue().splitlines() == [
        "load      25%  10,000 of 40,000 documents, 1,000/s, 0:30 left",
        "load      50%  20,000 of 40,000 documents, 1,000/s, 0:20 left",
        "load      75%  30,000 of 40,000 documents, 1,000/s, 0:10 left",
        "load     30,000 of 40,000 documents, 1,000/s in 0:30",
    ]


def test_pictures() -> None:
    assert bar(0.5, 4) == "━━──" and bar(2, 2) == "━━"
    assert sparkline([0, 1, 2, 4], 10) == "▁▂▄█"
    assert sparkline([], 5) == "" and sparkline([0, 0], 5) == "▁▁"
