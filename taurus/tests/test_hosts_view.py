"""What the console shows of load hosts."""

from __future__ import annotations

import io
from typing import Any

import pytest

from shardload.bzt_modules.console import LiveView, bad_hosts, host_lines
from shardload.bzt_modules.executor import Silence
from shardload.config.values.schedule import LoadKeys
from shardload.processes.load import HostState
from shardload.results.tail import Second
from shardload.terminal import Terminal
from tests.conftest import Screen

SEGMENTS = LoadKeys(concurrency=8, throughput=100, ramp_up=0, steps=None, hold_for=60, warm_up=0).segments()


def state(generator: int = 0, state: str = "running", **figures: Any) -> HostState:
    good = {"rate": 1234.5, "cpu_percent": 23, "gc_percent": 0.1, "hiccup_p99_ms": 1.2, "clock_offset_ms": 0.3}
    return HostState.read({"generator": generator, "host": f"h{generator}:1099", "state": state, **good, **figures})


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("LINES", "30")
    return Terminal(Screen())


def test_a_few_hosts_are_all_shown(terminal: Terminal) -> None:
    lines = host_lines([state(0), state(1, lag_seconds=3.25, cpu_percent=71)], terminal)
    assert lines == [
        "host 0    h0:1099  running    1,234.5/s  CPU  23 %  GC  0.1 %  hiccup   1.2 ms  lag  0.0 s  clock +0.3 ms",
        "host 1    h1:1099  running    1,234.5/s  CPU  71 %  GC  0.1 %  hiccup   1.2 ms  lag  3.2 s  clock +0.3 ms",
    ]
    assert host_lines([], terminal) == []


def test_a_lost_host_has_no_figures(terminal: Terminal) -> None:
    lost = state(1, "lost", silent_seconds=6.4)
    assert host_lines([lost], terminal) == ["host 1    h1:1099  lost     silent for 6 s"]


@pytest.mark.parametrize(
    ("figures", "is_well"),
    [
        ({}, True),
        ({"lag_seconds": 2.0, "cpu_percent": 60, "clock_offset_ms": -500, "clock_uncertainty_ms": 20}, True),
        ({"lag_seconds": 2.1}, False),
        ({"cpu_percent": 60.1}, False),
        ({"clock_offset_ms": -501}, False),
        ({"clock_uncertainty_ms": 21}, False),
        ({"state": "lost"}, False),
        ({"state": "failed"}, False),
        ({"state": "ended"}, True),
        ({"rate": None, "gc_percent": None}, True),
    ],
)
def test_who_needs_attention(figures: dict[str, Any], is_well: bool) -> None:
    assert state(**figures).is_well is is_well


def test_of_many_hosts_only_those_that_need_attention_are_shown(terminal: Terminal) -> None:
    many = [state(number) for number in range(9)]
    assert host_lines(many, terminal) == ["hosts     9, all well"]
    many[3], many[7] = state(3, lag_seconds=4), state(7, "lost")
    assert [line.split()[1] for line in host_lines(many, terminal)] == ["7", "3"]
    assert [bad.generator for bad in bad_hosts(many)] == [7, 3]


def test_lines_fit_the_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block is drawn again in place, which a line that wraps and a block that scrolls would break."""
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "10")
    lines = host_lines([state(number) for number in range(8)], terminal)
    assert max(map(len, lines)) < 60
    assert len(lines) == 5 and lines[-1] == "hosts     4 more"
    lines = host_lines([state(number, "lost") for number in range(20)], terminal)
    assert len(lines) == 5 and lines[-1] == "hosts     16 more need attention"


def second(number: int) -> Second:
    ledger = {"from_ns": number * 10**9, "to_ns": (number + 1) * 10**9, "due": {"hold": 100}, "segments": {}}
    return Second(ledger, {})


def test_the_block_has_the_hosts_below_the_figures_also_while_no_second_comes(terminal: Terminal) -> None:
    view = LiveView(terminal, SEGMENTS, "open")
    view.hear(second(0))
    assert isinstance(terminal.stream, Screen)
    terminal.stream.truncate(0)
    view.show_hosts([state(0)])
    drawn = terminal.stream.getvalue().splitlines()
    assert [line.split()[0].strip("\x00\x1b[J") for line in drawn[:4]] == ["hold", "rate", "response", "host"]
    terminal.stream.truncate(0)
    view.hear(second(1))
    assert "host 0    h0:1099" in terminal.stream.getvalue(), "they stay"


def test_without_a_terminal_only_bad_hosts_have_lines() -> None:
    stream = io.StringIO()
    view = LiveView(Terminal(stream), SEGMENTS, "open")
    view.show_hosts([state(0), state(1, lag_seconds=9)])
    for number in range(25):
        view.hear(second(number))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 4, "two times in 25 s, with the one that lags"
    assert [("h1:1099" in line, "h0:1099" in line) for line in lines] == [(False, False), (True, False)] * 2


def test_silence_is_noted_once_and_its_end_once() -> None:
    silence = Silence("generator 0", 100.0)
    assert silence.look(129.0, None) is None
    assert silence.look(131.0, None) == "generator 0 has been silent for 31 s"
    assert silence.look(132.0, None) is None
    assert silence.look(133.0, 132.5) == "generator 0 reports again"
    assert silence.look(137.0, 132.5) is None
    assert silence.look(138.0, 132.5) == "generator 0 has been silent for 6 s"
