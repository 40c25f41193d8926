"""From the generators' files to Taurus's data points, and the steps' judge."""

from __future__ import annotations

import csv
import json
import logging
import math
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from bzt.modules.aggregator import DataPoint, KPISet
from bzt.modules.reporting import FinalStatus
from bzt.utils import BetterDict
from hdrh.histogram import HdrHistogram

from shardload.bzt_modules.executor import Silence
from shardload.bzt_modules.gate import Gate
from shardload.bzt_modules.live import LiveResults
from shardload.bzt_modules.passfail import LiveCriterion
from shardload.config.values.criteria import parse
from shardload.config.values.schedule import LoadKeys
from shardload.results.figures import Figures
from shardload.results.steps import StepJudge
from shardload.results.tail import FileTail, LiveTail, Second


class Files:
    """A bundle's files of one stream, written by hand."""

    def __init__(self, bundle: Path, stream: str = "generator-0") -> None:
        self.folder = bundle / "latencies"
        self.folder.mkdir(exist_ok=True)
        self.bundle, self.stream, self.seq, self.bytes = bundle, stream, 0, 0

    def second(
        self, segment: str, counts: dict[str, dict], nanos: int = 40_000, series: str = "response", **more: Any
    ) -> None:
        for name, entry in counts.items():
            made = HdrHistogram(64, 60_000_000_000, 3)
            made.record_value(min(nanos, 60_000_000_000), entry.get("started", 0))
            self.histogram(f"Tag={segment}/{name}/{series},{self.seq}.000,1.000,0.040,{made.encode().decode()}\n")
        self.line({"segments": {segment: counts} if counts else {}, **more})

    def histogram(self, text: str) -> None:
        with open(self.folder / f"{self.stream}.hlog", "a") as file:
            file.write(text)
        self.bytes += len(text)

    def line(self, more: dict) -> None:
        line = {
            "generator": 0, "seq": self.seq, "from_ns": self.seq * 10**9, "to_ns": (self.seq + 1) * 10**9,
            "epoch_ms": 1_790_000_000_000 + 1000 * (self.seq + 1), "workers": 8, "hlog_bytes": self.bytes, **more,
        }  # fmt: skip
        with open(self.folder / f"{self.stream}.jsonl", "a") as file:
            file.write(json.dumps(line) + "\n")
        self.seq += 1


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def points(reader: LiveResults) -> list[DataPoint]:
    return list(reader.points([]))


def sums(reader: LiveResults) -> dict[str, KPISet]:
    """Return what Taurus's reporters get at the end, by label."""
    return list(reader.points([50.0, 95.0, 99.0], is_over=True))[-1][DataPoint.CUMULATIVE]


def test_microseconds_survive(files: Files) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open")
    files.second("hold", {"insert": {"started": 100, "done": 100}}, nanos=40_000)
    (point,) = points(reader)
    kpis = sums(reader)["insert"]
    assert kpis[KPISet.PERCENTILES]["99.0"] == 40_063e-9, "the end of the slot that begins at 40 us"
    assert kpis[KPISet.AVG_RESP_TIME] == pytest.approx(40_032e-9)
    assert kpis[KPISet.STDEV_RESP_TIME] == pytest.approx(0, abs=1e-9)
    assert point[DataPoint.TIMESTAMP] == 1_790_000_001


def test_counts_errors_and_the_sum_of_all(files: Files) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open")
    entry: dict = {
        "started": 10,
        "done": 5,
        "missing": 2,
        "failed": 1,
        "unknown": 2,
        "errors": {"40001": 1, "timeout": 2},
    }
    files.second("hold", {"insert": entry, "update": {"started": 30, "done": 30}})
    insert, overall = sums(reader)["insert"], sums(reader)[""]
    assert (insert[KPISet.SAMPLE_COUNT], insert[KPISet.SUCCESSES], insert[KPISet.FAILURES]) == (10, 7, 3)
    assert dict(insert[KPISet.RESP_CODES]) == {"40001": 1, "timeout": 2}
    assert overall[KPISet.SAMPLE_COUNT] == 40
    assert overall[KPISet.CONCURRENCY] == 8


def test_cumulative_percentiles_are_those_of_all_values(files: Files) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open")
    for nanos, count in ((1_000_000, 98), (9_000_000, 2)):
        files.second("hold", {"insert": {"started": count, "done": count}}, nanos=nanos)
    percentiles = sums(reader)[""][KPISet.PERCENTILES]
    assert percentiles["95.0"] == pytest.approx(1e-3, rel=0.001)
    assert percentiles["99.0"] == pytest.approx(9e-3, rel=0.001)


def test_a_percentile_among_dropped_arrivals_is_not_known(files: Files) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open")
    files.second("hold", {"insert": {"started": 98, "done": 98, "dropped": 2}}, nanos=1_000_000)
    percentiles = sums(reader)[""][KPISet.PERCENTILES]
    assert percentiles["95.0"] == pytest.approx(1e-3, rel=0.001)
    assert math.isnan(percentiles["99.0"])


def test_final_stats_writes_the_sums(files: Files, tmp_path: Path) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open")
    for _ in range(3):
        files.second("hold", {"insert": {"started": 10, "done": 9, "failed": 1, "dropped": 1, "errors": {"40001": 1}}})
    aggregator, reporter = Gate(), FinalStatus()
    aggregator.reader, aggregator.track_percentiles = reader, [50.0, 99.0]
    aggregator.add_listener(reporter)
    assert len(list(aggregator.datapoints(True))) == 4
    reporter.parameters = BetterDict.from_dict({"dump-csv": str(tmp_path / "c"), "dump-xml": str(tmp_path / "x")})
    reporter.engine = SimpleNamespace(provisioning=None, reporters=[])
    reporter.post_process()
    overall, insert = csv.DictReader((tmp_path / "c").open())
    assert (overall["label"], overall["concurrency"], insert["label"]) == ("", "8", "insert")
    assert overall["throughput"] == insert["throughput"] == "30" and insert["rc_40001"] == "3"
    assert (overall["avg_rt"], overall["perc_50.0"], overall["perc_99.0"]) == ("0.00004", "0.00004", "nan")
    assert ElementTree.parse(tmp_path / "x").findtext("TestDuration") == "2.0"


def test_warm_up_stays_out(files: Files) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open", warm_up_seconds=1)
    heard: list[Second] = []
    reader.observers.append(heard.append)
    files.second("warm-up", {"insert": {"started": 100, "done": 100}})
    files.second("hold", {"insert": {"started": 5, "done": 5}})
    assert sums(reader)[""][KPISet.SAMPLE_COUNT] == 5
    assert len(heard) == 2


def test_a_stall_is_judged(files: Files) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open", 0, 10)
    judged = criterion("hits of insert<1 for 1s", reader)
    files.second("hold", {"insert": {"started": 5, "done": 5}})
    points(reader)
    assert not judged.is_triggered
    files.second("hold", {})
    points(reader)
    assert judged.is_triggered


def test_nothing_after_the_end_is_no_stall(files: Files) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open", 0, 1)
    files.second("hold", {"insert": {"started": 5, "done": 5}})
    files.second("hold", {})
    files.second("hold", {})
    assert len(points(reader)) == 1


def test_closed_model_takes_service_times(files: Files) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "closed")
    files.second("hold", {"insert": {"started": 5, "done": 5}}, nanos=7_000, series="service")
    assert sums(reader)[""][KPISet.PERCENTILES]["50.0"] == pytest.approx(7e-6, rel=0.01)


def test_half_lines_wait_for_their_rest(files: Files) -> None:
    path = files.folder / "generator-0.jsonl"
    files.second("hold", {"insert": {"started": 5, "done": 5}})
    whole = path.read_bytes()
    path.write_bytes(whole[:50])
    tail = FileTail(path, files.folder / "generator-0.hlog")
    assert list(tail.read()) == []
    path.write_bytes(whole)
    (second,) = tail.read()
    assert second.histograms["response"]["hold", "insert"].sum() == 5
    assert list(tail.read()) == []


def test_histograms_beyond_the_ledger_wait(files: Files) -> None:
    files.second("hold", {"insert": {"started": 5, "done": 5}})
    files.histogram("Tag=hold/insert/response,1.000,1.000,0.040,torn")
    (second,) = LiveTail(files.bundle, "generator-0").read()
    assert second.histograms["response"]["hold", "insert"].sum() == 5


def test_final_line_ends_a_generator(files: Files) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open")
    files.line({"final": True, "stop_reason": "schedule", "actual_end_ns": 10**9})
    assert points(reader) == []
    assert reader.final["stop_reason"] == "schedule"


def test_after_its_last_line_a_generator_is_not_silent(files: Files) -> None:
    """It may wait for who reads its metrics."""
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open")
    silence = Silence("generator 0", time.monotonic())
    files.second("hold", {})
    points(reader)
    assert silence.look(time.monotonic() + 4, reader.last_heard) is None
    files.line({"final": True, "stop_reason": "schedule", "actual_end_ns": 10**9})
    points(reader)
    assert silence.look(time.monotonic() + 1000, reader.last_heard) is None


def criterion(text: str, reader: LiveResults) -> LiveCriterion:
    """Return a criterion that listens to the results, without the rest of Taurus."""
    made = LiveCriterion(parse(text), reader.series, SimpleNamespace(log=logging.getLogger()))
    reader.judges.append(made.hear)
    return made


@pytest.mark.parametrize(
    ("text", "is_missed"),
    [
        ("p99>50ms for 2s", True),
        ("avg-rt>50ms for 2s", True),
        ("p99 of insert>50ms for 2s", True),
        ("p99>5s for 2s", False),
        ("p99>20us for 2s", True),
        ("fail>50% for 2s", False),
    ],
)
def test_latency_criteria_see_a_standstill(files: Files, text: str, is_missed: bool) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open", 0, 10)
    files.second("hold", {"insert": {"started": 5, "done": 5}}, due={"hold": 5})
    for number in (1, 2, 3):
        files.second("hold", {}, due={"hold": 5}, oldest_unfinished_ns=number * 10**9)
    judged = criterion(text, reader)
    points(reader)
    assert judged.is_triggered is is_missed


@pytest.mark.parametrize(
    ("text", "is_missed"),
    [
        ("refused>29% for 2s", True),
        ("refused>30% for 2s", False),
        ("refused>5 within 2s", True),
        ("succ<8 for 2s", True),
    ],
)
def test_refused_calls_are_judged_live(files: Files, text: str, is_missed: bool) -> None:
    """Mutation: those of a time are averaged, not added."""
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open", 0, 10)
    for _ in range(4):
        files.second("hold", {"insert": {"started": 10, "done": 7, "refused": 3}}, due={"hold": 10})
    judged = criterion(text, reader)
    points(reader)
    assert judged.is_triggered is is_missed


def failing(files: Files, failed: int, done: int) -> None:
    """Write a second in which some calls were answered after 40 ms and the others refused at once."""
    made = HdrHistogram(64, 60_000_000_000, 3)
    made.record_value(1000, failed)
    files.histogram(f"Tag=hold/insert/failed,{files.seq}.000,1.000,0.040,{made.encode().decode()}\n")
    made = HdrHistogram(64, 60_000_000_000, 3)
    made.record_value(40_000_000, done)
    if done:
        files.histogram(f"Tag=hold/insert/response,{files.seq}.000,1.000,0.040,{made.encode().decode()}\n")
    files.line({"segments": {"hold": {"insert": {"started": failed + done, "done": done, "failed": failed}}}})


def test_refusals_do_not_look_fast(files: Files) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open", 0, 10)
    failing(files, 90, 10)
    for label in ("insert", ""):
        kpis = sums(reader)[label]
        assert kpis[KPISet.SAMPLE_COUNT] == 100
        assert kpis[KPISet.AVG_RESP_TIME] == pytest.approx(0.04, rel=0.001)
        assert kpis[KPISet.PERCENTILES]["50.0"] == pytest.approx(0.04, rel=0.001)


@pytest.mark.parametrize("text", ["p99<1ms for 2s", "avg-rt<1ms for 2s", "stdev-rt<1ms for 2s"])
def test_seconds_in_which_everything_failed_say_nothing_of_latencies(files: Files, text: str) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open", 0, 10)
    for _ in range(4):
        failing(files, 90, 0)
    judged = criterion(text, reader)
    points(reader)
    assert not judged.is_triggered


def test_what_is_unfinished_says_nothing_of_one_transaction_while_others_go_on(files: Files) -> None:
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open", 0, 10)
    for number in range(4):
        files.second("hold", {"update": {"started": 5, "done": 5}}, oldest_unfinished_ns=number * 10**9)
    judged = criterion("p99 of insert>50ms for 2s", reader)
    points(reader)
    assert not judged.is_triggered


def judge(
    files: Files, p99_ms: float, on_time: list[int], nanos: int = 1_000_000, due: tuple[int, int] = (500, 1000)
) -> StepJudge:
    keys = LoadKeys(concurrency=8, throughput=1000, ramp_up=4, steps=2, hold_for=0, warm_up=0)
    judged = StepJudge(keys.segments(), {"errors_percent": 1.0, "p99_ms": p99_ms}, 2)
    for number, count in enumerate(on_time):
        step = f"step-{number + 1}"
        for _ in range(2):
            entry = {"started": count, "done": count, "on_time": count, "max_ns": {"response": nanos}}
            files.second(step, {"insert": entry}, nanos=nanos, due={step: due[number]})
    for _ in range(2):
        files.second("", {})
    for second in LiveTail(files.bundle, "generator-0").read():
        judged.hear(second)
    return judged


def test_good_steps_pass(files: Files) -> None:
    judged = judge(files, 5, [500, 1000])
    assert judged.failed == [] and not judged.has_enough


def test_98_percent_are_enough_and_97_are_not(files: Files) -> None:
    judged = judge(files, 5, [490, 970])
    assert judged.failed == ["step-2: 1940 of 2000 arrivals done in time"] and not judged.has_enough


def test_fewer_arrivals_than_on_average_are_no_fault(files: Files) -> None:
    """Poisson arrivals: 470 came where 500 were to be expected, and all of them were done."""
    assert judge(files, 5, [470, 940], due=(470, 940)).failed == []


def in_flight(files: Files, carried_in: int, late: int, failed: int = 0) -> list[str]:
    """Judge a step of 2 s and 1000 arrivals, some of which were in flight at its end or failed."""
    keys = LoadKeys(concurrency=8, throughput=500, ramp_up=2, steps=1, hold_for=0, warm_up=0)
    judged = StepJudge(keys.segments(), {}, 1)
    entry = {"started": 1000, "done": 1000 - failed, "failed": failed, "on_time": 1000 - failed - late}
    files.second("step-1", {"insert": {**entry, "carried_in": carried_in}}, due={"step-1": 1000})
    for _ in range(3):
        files.second("", {})
    for second in LiveTail(files.bundle, "generator-0").read():
        judged.hear(second)
    return judged.failed


@pytest.mark.parametrize(("refused", "fault"), [(500, []), (510, ["step-1: 51 % refused"])])
def test_a_step_of_refusals_fails(files: Files, refused: int, fault: list[str]) -> None:
    """As in Java: refused calls are answered in time, but over half of them is too many."""
    keys = LoadKeys(concurrency=8, throughput=500, ramp_up=2, steps=1, hold_for=0, warm_up=0)
    judged = StepJudge(keys.segments(), {}, 1)
    entry = {"started": 1000, "done": 1000 - refused, "refused": refused, "on_time": 1000}
    files.second("step-1", {"insert": entry}, due={"step-1": 1000})
    for _ in range(3):
        files.second("", {})
    for second in LiveTail(files.bundle, "generator-0").read():
        judged.hear(second)
    assert judged.failed == fault


@pytest.mark.parametrize(
    ("carried_in", "late", "failed", "achieved"),
    [(50, 50, 0, None), (30, 50, 0, None), (29, 50, 0, 979), (0, 50, 0, 950), (500, 0, 50, 950)],
)
def test_what_is_in_flight_costs_nothing_unless_it_grows(
    files: Files, carried_in: int, late: int, failed: int, achieved: int | None
) -> None:
    faults = [] if achieved is None else [f"step-1: {achieved} of 1000 arrivals done in time"]
    assert in_flight(files, carried_in, late, failed) == faults


def test_the_console_shows_what_is_not_known_as_such(files: Files) -> None:
    entry = {"started": 100, "done": 100, "dropped": 100}
    made = HdrHistogram(64, 60_000_000_000, 3)
    made.record_value(5_000_000_000, 100)
    files.histogram(f"Tag=hold/insert/dropped,0.000,1.000,5.000,{made.encode().decode()}\n")
    files.second("hold", {"insert": entry}, nanos=1_000_000)
    figures = Figures.of(LiveTail(files.bundle, "generator-0").read(), "response")
    assert (figures.latency(50), figures.latency(99)) == ("1.00 ms", ">= 5.00 s")


def test_two_slow_steps_are_enough(files: Files) -> None:
    judged = judge(files, 5, [500, 1000], nanos=6_000_000)
    assert judged.failed == ["step-1: p99 6.0 ms", "step-2: p99 6.0 ms"] and judged.has_enough


def test_without_enough_samples_the_maximum_stands_in_for_p99(files: Files) -> None:
    slow = judge(files, 5, [100, 200], nanos=6_000_000, due=(100, 200))
    assert slow.failed == [
        "step-1: p99 unknown, not enough samples: 200 of 1,000",
        "step-2: p99 unknown, not enough samples: 400 of 1,000",
    ]


def test_a_step_after_a_prolonged_warm_up_is_judged_when_it_is_over() -> None:
    """Both steps of 2 s fail, 3 s later than planned. Mutation: judge by the schedule of the configuration."""
    keys = LoadKeys(concurrency=8, throughput=1000, ramp_up=4, steps=2, hold_for=0, warm_up=5)
    judged = StepJudge(keys.segments(), {}, 2)
    after = []
    for number in range(14):
        segment = "warm-up" if number < 8 else "step-1" if number < 10 else "step-2"
        ledger = {
            "from_ns": number * 10**9, "to_ns": (number + 1) * 10**9,
            "prolonged_ns": 3 * 10**9, "warm_up_ns": 8 * 10**9,
            "due": {segment: 500}, "segments": {segment: {"insert": {"started": 500, "on_time": 100}}},
        }  # fmt: skip
        judged.hear(Second(ledger))
        after.append(len(judged.failed))
    assert after == [0] * 11 + [1, 1, 2]
    assert judged.failed[0] == "step-1: 200 of 1000 arrivals done in time"


def test_the_results_begin_when_a_prolonged_warm_up_is_over(files: Files) -> None:
    """Nothing is answered in the first second of the hold: a stall, and not the end of the warm-up."""
    reader = LiveResults(LiveTail(files.bundle, "generator-0"), "open", 1.0, 3.0)
    heard: list[float] = []
    reader.judges.append(lambda _, second: heard.append(second.end_seconds))
    for segment in ("warm-up", "warm-up", "", "hold"):
        files.second(
            segment, {"insert": {"started": 1, "done": 1}} if segment else {}, prolonged_ns=10**9, warm_up_ns=2 * 10**9
        )
    points(reader)
    assert heard == [3.0, 4.0]
