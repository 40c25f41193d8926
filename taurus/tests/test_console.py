"""What the console shows of a run: on terminals of several widths, in a log file, and to other programs."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator

import numpy
import pytest

from shardload.bzt_modules.console import JsonView, LiveView, View, view_of
from shardload.bzt_modules.finish import shortest
from shardload.config.places import STARTED_IN
from shardload.config.values.schedule import LoadKeys, Segment, read_load_keys
from shardload.results import histogram
from shardload.results.tail import Second
from shardload.terminal import OWN, Progress, Terminal, cut, wrapped
from tests.conftest import Screen

OPEN = LoadKeys(concurrency=8, throughput=12_345, ramp_up=0, steps=None, hold_for=30, warm_up=5).segments()
CLOSED = LoadKeys(concurrency=8, throughput=None, ramp_up=0, steps=None, hold_for=5, warm_up=0).segments()
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@pytest.fixture(autouse=True)
def live() -> Iterator[None]:
    yield
    Terminal.is_quiet, Terminal.default = False, None


def terminal_of(monkeypatch: pytest.MonkeyPatch, columns: int) -> Terminal:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal(Screen())


def second(number: int, segment: str = "hold", series: str = "response", **counted: int) -> Second:
    """One second in which 12 000 of 12 345 arrivals were answered, and 3 failed."""
    counts = {"started": 12_003, "done": 12_000, "failed": 3, "on_time": 12_000, **counted}
    entry = {**counts, "max_ns": {series: 98_765_432}}
    times = histogram.empty()
    slots = numpy.arange(len(times))
    times[slots[1000]] = counts["done"]
    ledger = {
        "from_ns": number * 10**9, "to_ns": (number + 1) * 10**9, "due": {segment: 12_345},
        "segments": {segment: {"insert": entry}},
    }  # fmt: skip
    return Second(ledger, {series: {(segment, "insert"): times}, "dropped": {}})


def text_of(terminal: Terminal) -> list[str]:
    assert isinstance(terminal.stream, io.StringIO)
    return ESCAPES.sub("", terminal.stream.getvalue()).replace("\r", "").splitlines()


def run(terminal: Terminal, segments: list[Segment]) -> list[str]:
    """Show all seconds of the segments, and return the lines."""
    view = LiveView(terminal, segments, "open")
    number = 0
    for segment in segments:
        for _ in range(int(segment.seconds)):
            view.hear(second(number, segment.name))
            number += 1
    view.end()
    return text_of(terminal)


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_no_line_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    lines = run(terminal_of(monkeypatch, columns), OPEN)
    assert max(map(len, lines)) < max(columns, 81), "one that wraps would stay behind when the block is drawn again"
    if columns >= 80:
        assert all(len(line) < columns for line in lines)
        assert lines[-1].endswith("errors 90"), "whole"


def test_at_80_columns_every_figure_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch, 80)
    view = LiveView(terminal, OPEN, "open")
    view.hear(second(0, "warm-up"))
    block = text_of(terminal)[-3:]
    assert block[0].startswith("warm-up   ━") and block[0].endswith("0:34 left")
    assert block[1].startswith("rate      █") and block[1].endswith("12,000 of 12,345/s")
    assert re.fullmatch(r"response  p50 \S+ \S+  p99 \S+ \S+  max 98\.8 ms  errors 3", block[2])
    for number in range(1, 6):
        view.hear(second(number, "warm-up" if number < 5 else "hold"))
    segment = next(line for line in text_of(terminal) if " p50 " in line and not line.startswith("response"))
    assert re.fullmatch(r"warm-up   12,000 of 12,345/s p50 +\S+ \S+ p99 +\S+ \S+ max 98\.8 ms errors 15", segment)


def test_refused_calls_are_in_the_rate_and_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutations: shown as 0 in each run; left out of the rate."""
    terminal = terminal_of(monkeypatch, 80)
    view = LiveView(terminal, OPEN, "open")
    view.hear(second(0, "warm-up", done=11_000, refused=1_000))
    block = text_of(terminal)[-2:]
    assert block[0].endswith("12,000 of 12,345/s") and block[1].endswith("refused 1,000  errors 3")


def queueing(number: int, segment: str = "hold", **counted: int) -> Second:
    """One second of an overload with four workers."""
    busy = second(number, segment, "response", **counted)
    busy.ledger.update(workers=4, backlog=42_100 + number)
    return busy


def test_backlog_and_busy_workers_are_those_of_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutations: the calls of the last second alone; the backlog of the first one."""
    lines = [Terminal(io.StringIO()), terminal_of(monkeypatch, 80)]
    for terminal in lines:
        view = LiveView(terminal, OPEN, "open")
        view.hear(queueing(0, "warm-up", started=12_007))
        for number in range(1, 10):
            view.hear(queueing(number, "warm-up" if number < 5 else "hold"))
    plain, block = (text_of(terminal)[-1] for terminal in lines)
    assert plain.endswith("errors 15  backlog 42,109, workers 4/4")
    assert block == "now       backlog 42,109, workers 4/4"
    view = LiveView(terminal := Terminal(io.StringIO()), CLOSED, "closed")
    for number in range(10):
        view.hear(queueing(number))
    assert text_of(terminal)[-1].endswith("  workers 0/4"), "without arrivals none waits"


def test_segments_are_shown_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """In an overload the backlog of the warm-up is dropped when the hold begins, after the ramp."""
    segments = LoadKeys(concurrency=4, throughput=100, ramp_up=2, steps=None, hold_for=5, warm_up=2).segments()
    view = LiveView(terminal := Terminal(io.StringIO()), segments, "open")
    for number in range(2):
        view.hear(second(number, "warm-up"))
    for number in range(2, 4):
        view.hear(Second({**second(number, "warm-up").ledger, "due": {"ramp": 100}}))
    last = second(4)
    last.ledger["segments"]["warm-up"] = {"insert": {"dropped": 300}}
    view.hear(last)
    assert text_of(terminal) == []
    view.hear(second(5))
    assert [line.split()[0] for line in text_of(terminal)] == ["warm-up", "ramp"]


def test_a_run_of_several_leaves_no_line_and_is_below_what_is_told_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch, 80)
    view = LiveView(terminal, OPEN, "open", lambda: ["run 3 of 4: B (slow)"])
    for number in range(36):
        view.hear(queueing(number, "warm-up" if number < 5 else "hold"))
    view.end()
    lines = text_of(terminal)
    assert len(lines) == 36 * 5, "only the block, each second"
    assert [line.split()[0] for line in lines[-5:]] == ["run", "hold", "rate", "response", "now"]


@pytest.mark.parametrize(("columns", "ramp"), [(80, "friday-eveni "), (200, "friday-evening--ramp ")])
def test_long_names_of_stages_stay_in_their_column(monkeypatch: pytest.MonkeyPatch, columns: int, ramp: str) -> None:
    stages = [{"throughput": 12_345, "for": 2, "ramp": 2, "name": "friday-evening-"}, {"throughput": 9, "for": 2}]
    segments = read_load_keys({"concurrency": 8, "stages": stages}).segments()
    lines = run(terminal_of(monkeypatch, columns), segments)
    assert all(len(line) < columns for line in lines)
    shown = [line for line in lines if " p50 " in line and not line.startswith("response")]
    assert [line.split()[0] for line in shown] == [ramp.strip(), "friday-evening-"[: len(ramp) - 1], "stage-2"]
    assert {line.index(" 12,000.0 of " if columns == 200 else " 12,000 of ") for line in shown} == {len(ramp) - 1}
    assert all(line.endswith("errors 6") for line in shown)
    assert {line.index("█") for line in lines if line.startswith("rate")} == {len(ramp)}


def test_all_figures_of_a_line_cover_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = run(Terminal(io.StringIO()), OPEN)
    assert [line.split()[:2] for line in lines] == [
        ["warm-up", "12,000.0"], ["0:10", "hold"], ["0:20", "hold"], ["0:30", "hold"], ["hold", "12,000.0"],
    ]  # fmt: skip
    assert [re.findall(r"errors (\d+)", line) for line in lines] == [["15"], ["15"], ["30"], ["30"], ["90"]], (
        "5 s of the warm-up, 5 s of the hold, twice 10 s, the whole hold"
    )


def test_what_the_warm_up_left_is_no_bound_of_the_hold() -> None:
    """The warm-up's backlog is dropped in the first second of the hold."""
    terminal = Terminal(io.StringIO())
    view = LiveView(terminal, OPEN, "open")
    for number in range(5):
        view.hear(second(number, "warm-up"))
    first = second(5)
    first.ledger["segments"]["warm-up"] = {"insert": {"dropped": 9_000}}
    view.hear(first)
    for number in range(6, 10):
        view.hear(second(number))
    assert text_of(terminal)[-1].startswith("  0:10 hold")
    assert "p50" in text_of(terminal)[-1] and ">=" not in text_of(terminal)[-1]


def test_a_percentile_of_too_few_calls_is_not_shown() -> None:
    """As docs/results.md has it: p99 needs 1000 calls, p50 twenty."""
    view = LiveView(terminal := Terminal(io.StringIO()), OPEN[:1], "open")
    view.hear(second(0, "warm-up", done=999, started=1002, on_time=999))
    view.end()
    assert re.search(r"p50 +[\d.]+ us  p99 +-  ", text_of(terminal)[-1]), text_of(terminal)[-1]


def test_a_segment_has_the_rate_of_the_summary() -> None:
    """In flight at its end counts as far as as much was in flight when it began: ``Counts.achieved`` in Java."""
    stream = io.StringIO()
    view = LiveView(Terminal(stream), OPEN, "open")
    for number in range(5):
        view.hear(second(number, "warm-up"))
    for number in range(5, 35):
        view.hear(second(number, on_time=11_990, carried_in=4))
    assert not stream.getvalue().splitlines()[-1].startswith("hold"), "what is in flight may still come"
    late = second(35, started=0, done=12, on_time=0, failed=0)
    late.ledger["due"] = {}
    view.hear(late)
    view.end()
    # 30 s of 11 990 in time; 10 in flight per second, and 4 of them found at its beginning.
    assert "hold      11,994.0 of 12,345.0/s" in stream.getvalue().splitlines()[-1]


def test_what_was_answered_late_has_a_line_of_its_own() -> None:
    """A stage after an overload answers what came before it, so it answers more than it was offered."""
    stream = io.StringIO()
    view = LiveView(Terminal(stream), OPEN, "open")
    for number in range(5):
        view.hear(second(number, "warm-up"))
    for number in range(5, 35):
        view.hear(second(number, on_time=12_000, carried_in=4000))
    view.end()
    segment, answered = stream.getvalue().splitlines()[-2:]
    assert segment.startswith("hold      12,000.0 of 12,345.0/s")
    assert answered == "          answered 16,000.0/s, whenever due"


def test_a_segment_that_was_cut_short_is_divided_by_the_seconds_that_there_were() -> None:
    stream = io.StringIO()
    view = LiveView(Terminal(stream), OPEN, "open")
    for number in range(5):
        view.hear(second(number, "warm-up"))
    for number in range(5, 9):
        view.hear(second(number))
    view.end()
    assert "hold      12,000.0 of 12,345.0/s" in stream.getvalue().splitlines()[-1]


def test_the_closed_model_offers_nothing() -> None:
    stream = io.StringIO()
    view = LiveView(Terminal(stream), CLOSED, "closed")
    for number in range(5):
        view.hear(second(number, series="service"))
    view.end()
    (line,) = stream.getvalue().splitlines()
    assert line.startswith("hold      12,000.0/s  ") and " of " not in line


def test_a_line_that_is_cut_keeps_its_colours_whole() -> None:
    assert cut(f"{OWN}[31mabcdef{OWN}[0m", 3) == f"{OWN}[31mabc{OWN}[0m"
    assert cut(f"ab{OWN}[31mcd{OWN}[0mef", 5) == f"ab{OWN}[31mcd{OWN}[0me"
    assert cut("abc", 3) == "abc"


def test_json_has_a_line_per_second() -> None:
    stream = io.StringIO()
    view = JsonView(stream, OPEN, "open")
    view.hear(second(7, dropped=200))
    view.hear(Second({"final": True}, {}))
    (line,) = (json.loads(text) for text in stream.getvalue().splitlines())
    assert {key: line[key] for key in list(line)[:10]} == {
        "type": "second", "from_seconds": 7.0, "to_seconds": 8.0, "left_seconds": 27.0, "segment": "hold",
        "due": 12_345, "done": 12_000, "refused": 0, "errors": 3, "dropped": 200,
    }  # fmt: skip
    assert line["response_p99_ns"] is None, "among the dropped"
    assert line["response_p50_ns"] > 0 and line["response_max_ns"] == 98_765_432


def test_quiet_shows_neither_seconds_nor_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    Terminal.is_quiet = True
    terminal = terminal_of(monkeypatch, 80)
    view = view_of(terminal, OPEN, "open", "quiet")
    assert type(view) is View
    view.hear(second(0))
    view.end()
    progress = Progress(terminal)
    progress.update("load", 5, 10, "documents")
    progress.finish()
    terminal.block(["working"])
    assert text_of(terminal) == []
    terminal.detail("run       of no interest")
    terminal.line("verdict   ok")
    assert text_of(terminal) == ["verdict   ok"]


STEPS = [
    "verdict   ok (exit 0)",
    "steps     2 passed, 0 failed",
    "capacity  200/s (step-2)",
    "rate      achieved 200.0/s",
]
REST = ["p99       4.50 ms, limit 50.0 ms", "errors    0 of 200 calls", "bound by  nothing", "note      one"]


def test_quiet_has_of_the_closing_lines_verdict_rate_and_p99() -> None:
    """Mutation: rate and capacity together."""
    assert shortest([*STEPS, *REST]) == [STEPS[0], STEPS[2], REST[0]]
    assert shortest([STEPS[0], STEPS[3], *REST]) == [STEPS[0], STEPS[3], REST[0]]


def test_a_path_below_the_users_folder_is_short_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 columns the terminal would break it; in a log file it holds wherever the reader is."""
    path = f"{STARTED_IN}/runs/20261126-052652-qbzj-embedded-postgresql-smoke/report.html"
    plain, terminal = Terminal(io.StringIO()), terminal_of(monkeypatch, 80)
    for each in (plain, terminal):
        each.line(f"report    {path}")
    assert text_of(plain) == [f"report    {path}"]
    assert text_of(terminal) == ["report    runs/20261126-052652-qbzj-embedded-postgresql-smoke/report.html"]


def test_a_long_line_breaks_between_words_below_its_text() -> None:
    note = "note      server shares this machine: it competes with the generator for the same cores"
    assert wrapped(note, 80).splitlines() == [
        "note      server shares this machine: it competes with the generator for the",
        "          same cores",
    ]
    more = " " * 10 + note[10:]
    assert wrapped(more, 60).splitlines()[1].startswith(" " * 10 + "generator")
    assert wrapped(f"{OWN}[31m{note}{OWN}[0m", 80) == f"{OWN}[31m{wrapped(note, 80)}{OWN}[0m"
    path = "report    /" + "a" * 90
    assert wrapped(path, 80) == path, "can be copied"
    command = "    ./shardload verify --target mine -o workload.data.documents=100000 -o workload.seed=7"
    assert wrapped(command, 80) == command
    assert wrapped("shardload: a message that is too long", 20).splitlines() == [
        "shardload: a message",
        "that is too long",
    ]


def prolonged(number: int, segment: str, by: int = 2) -> Second:
    """Return a second of a run whose warm-up of five seconds was prolonged."""
    longer = second(number, segment)
    longer.ledger.update(warm_up_ns=(5 + by) * 10**9, prolonged_ns=by * 10**9, jit_percent=8.4)
    return longer


PROLONGED = [
    *(second(number, "warm-up") for number in range(4)), prolonged(4, "warm-up", 1), prolonged(5, "warm-up"),
    prolonged(6, "warm-up"), *(prolonged(number, "hold") for number in range(7, 37)),
]  # fmt: skip


def test_a_prolonged_warm_up_is_shown_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutations: the rate of the hold over two seconds fewer; the line stays; the time left goes on."""
    terminal = terminal_of(monkeypatch, 100)
    view = LiveView(terminal, OPEN, "open")
    for one in PROLONGED[:6]:
        view.hear(one)
    block = text_of(terminal)[-4:]
    assert block[0].startswith("warm-up") and block[0].endswith("0:30 left")
    assert block[3] == "warm-up prolonged to 0:07: the JIT compiler takes 8 % of the generator's CPU"
    for one in PROLONGED[6:]:
        view.hear(one)
    view.end()
    lines = text_of(terminal)
    assert "prolonged" not in "".join(lines[-4:])
    rows = [line for line in lines if re.match(r"(warm-up|hold) +\d.* of ", line)]
    assert [re.sub(r" +p50.*", "", row) for row in rows] == [
        "warm-up   12,000.0 of 12,345.0/s", "hold      12,000.0 of 12,345.0/s",
    ]  # fmt: skip


def test_a_log_has_one_line_of_a_prolonged_warm_up() -> None:
    terminal = Terminal(io.StringIO())
    view = LiveView(terminal, OPEN, "open")
    for one in PROLONGED:
        view.hear(one)
    text = text_of(terminal)
    assert [line for line in text if "prolonged" in line] == [
        "  0:05 warm-up prolonged to 0:06: the JIT compiler takes 8 % of the generator's CPU"
    ]
    assert [line[:16] for line in text if line.startswith("  0:")][1:4] == [
        "  0:10 hold     ",
        "  0:20 hold     ",
        "  0:30 hold     ",
    ]


def test_json_has_the_seconds_of_the_clock_and_the_segment_that_it_was() -> None:
    stream = io.StringIO()
    view = JsonView(stream, OPEN, "open")
    for one in PROLONGED[3:9]:
        view.hear(one)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["to_seconds"] for line in lines] == [4, 5, 6, 7, 8, 9]
    assert [line["segment"] for line in lines] == ["warm-up"] * 4 + ["hold"] * 2
    assert [line["left_seconds"] for line in lines] == [31, 30.001, 30.001, 30, 29, 28]
