"""The controller's metrics of a run with a fake child: which request it gets when; no run fails because of metrics."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any

import pytest

from shardload.bzt_modules.metrics import RunMetrics
from shardload.config.hosts import KEY_STORE
from shardload.config.metrics import controller_host
from shardload.config.places import Places
from shardload.processes.child import ChildDied, Interrupted
from shardload.results.tail import Second
from tests.conftest import Checkout


def told(checkout: Checkout) -> dict[str, dict]:
    """Return the last request of each of our verbs."""
    return {one["verb"]: one for one in checkout.requests if one["verb"].startswith("metrics-")}


def hosts_requests(checkout: Checkout) -> list[dict[str, Any]]:
    return [request for request in checkout.requests if request["verb"] == "hosts"]


def test_start_and_end_are_those_of_the_load(checkout: Checkout) -> None:
    before = time.time()
    store = ["-o", "target.metrics.url=http://127.0.0.1:1"]
    code, output = checkout.run("run", "--target", "noop", *checkout.options(throughput="1000"), *store)
    assert code == 0, output
    assert "metrics  http://127.0.0.1:41233/metrics (the controller's; .shardload/metrics has all addresses)" in output
    asked = told(checkout)
    assert list(asked) == ["metrics-open", "metrics-started", "metrics-ended", "metrics-close"]
    start, end = (asked[verb]["epoch_ms"] / 1000 for verb in ("metrics-started", "metrics-ended"))
    assert before < start < time.time()
    assert end - start == pytest.approx(3.5, abs=0.6), "as long as the schedule, whatever the machine did meanwhile"
    assert asked["metrics-close"]["linger_seconds"] == 15
    assert asked["metrics-close"]["directory"] == str(checkout.bundle)
    assert checkout.read("run.json")["metrics"]["listen"] == "127.0.0.1"
    properties = (checkout.bundle / "taurus" / "shardload.properties").read_text()
    assert '"metrics":{"listen":"127.0.0.1","port":0' in properties, "the generator serves its own"
    (asked_for,) = hosts_requests(checkout)
    assert (asked_for["directory"], asked_for["hurried"]) == (str(checkout.bundle), False)
    assert asked_for["store"] == checkout.read("run.json")["store"] == {"url": "http://127.0.0.1:1"}


def test_a_run_that_is_cut_off_ended_when_it_was_heard_last(checkout: Checkout) -> None:
    code, output = checkout.run("run", "--target", "noop", *checkout.options(), FAKE_GENERATOR="die:2")
    assert code == 5, output
    asked = told(checkout)
    assert asked["metrics-ended"]["epoch_ms"] - asked["metrics-started"]["epoch_ms"] == pytest.approx(2000, abs=2)


def test_without_metrics_and_figures_of_the_machines_the_child_is_not_asked(checkout: Checkout) -> None:
    off = ["-o", "target.metrics.listen=off", "-o", "target.host-metrics=off"]
    code, output = checkout.run("run", "--target", "noop", *checkout.options(), *off)
    assert code == 0, output
    assert hosts_requests(checkout) == []
    assert told(checkout) == {}
    assert "metrics  http" not in output
    assert "metrics" not in checkout.read("run.json")
    assert not (checkout.root / ".shardload" / "metrics").exists()


@pytest.mark.parametrize("verb", ["metrics-open", "metrics-started", "metrics-ended"])
def test_what_fails_is_noted_once_and_the_run_is_as_good(checkout: Checkout, verb: str) -> None:
    code, output = checkout.run("run", "--target", "noop", *checkout.options(), FAKE_CHILD=f"{verb}-error")
    assert code == 0, output
    line = f"no more metrics of the controller: {verb} does not work"
    assert output.count(line) == 1
    assert checkout.read("outcome.json")["notes"] == [line]
    assert list(told(checkout))[-1] == verb, "it is not asked again"


def test_a_child_that_dies_of_it_is_replaced_as_ever(checkout: Checkout) -> None:
    code, output = checkout.run("run", "--target", "noop", *checkout.options(), FAKE_CHILD="metrics-started-dies")
    assert code == 2, output
    assert "the Java child ended (code 7)" in output
    assert "the Java child ended (code 7)" in checkout.read("outcome.json")["died"], "the verdict is made from it"
    verbs = [request["verb"] for request in checkout.requests]
    assert verbs[-3:] == ["hosts", "finish", "metrics-close"]
    assert list((checkout.root / ".shardload" / "metrics").iterdir()) == [], (
        "the new child removes what the old one left"
    )


def test_a_signal_during_the_load_waits_for_nobody(checkout: Checkout) -> None:
    process = checkout.start("run", "--target", "noop", *checkout.options(hold_for="60s"), FAKE_CHILD="scraped-metrics")
    checkout.wait_for_requests("metrics-started")
    process.send_signal(signal.SIGTERM)
    code, output = checkout.end_of(process)
    assert code == 2, output
    assert told(checkout)["metrics-close"]["linger_seconds"] == 0
    assert [asked["hurried"] for asked in hosts_requests(checkout)] == [True], "nor for the store of the machines"


def test_a_signal_ends_the_wait_for_the_last_scrape(checkout: Checkout) -> None:
    """The child would wait for 15 s; the run keeps the code that it had earned."""
    process = checkout.start("run", "--target", "noop", *checkout.options(), FAKE_CHILD="scraped-metrics")
    checkout.wait_for_requests("metrics-close")
    os.kill(process.pid, signal.SIGINT)
    code, output = checkout.end_of(process)
    assert code == 0, output
    assert list((checkout.root / ".shardload" / "metrics").iterdir()) == []


def test_load_hosts_and_the_controller_at_another_address(checkout: Checkout) -> None:
    store = checkout.root / KEY_STORE
    store.parent.mkdir(parents=True)
    store.touch()
    overrides = ["-o", f"execution.0.distributed={json.dumps(['127.0.0.2:1099', '127.0.0.3:1099'])}"]
    overrides += ["-o", "target.metrics.listen=203.0.113.7:9464"]
    code, output = checkout.run("run", "--target", "noop", *checkout.options(throughput="1000"), *overrides)
    assert code == 0, output
    asked = told(checkout)
    assert list(asked) == ["metrics-open", "metrics-started", "metrics-ended", "metrics-close"]
    assert asked["metrics-open"]["listen"] == "127.0.0.1", "the given one is that of a load host"


def test_the_controller_listens_where_the_generators_do_if_it_can() -> None:
    assert [controller_host(host) for host in ("0.0.0.0", "127.0.0.7", "localhost")] == [
        "0.0.0.0", "127.0.0.7", "localhost",
    ]  # fmt: skip
    assert [controller_host(host) for host in ("203.0.113.7", "nowhere.invalid")] == ["127.0.0.1"] * 2


class FakeSession:
    """A session whose child answers as the test has set up."""

    def __init__(self) -> None:
        self.config = {"metrics": {"listen": "127.0.0.1", "port": 0}}
        self.is_alive = True
        self.asked: list[tuple[str, dict]] = []
        self.now = 0.0
        self.failure: Exception | None = None

    def call(self, verb: str, interrupted: Any, **request: Any) -> dict:
        self.asked.append((verb, request))
        if self.failure:
            raise self.failure
        while self.now and not interrupted():
            self.now += 1
        if interrupted():
            raise Interrupted(verb)
        return {"address": "127.0.0.1:1"}

    def note(self, text: str) -> None:
        """Show a line."""


class TestRunMetrics:
    def setup_method(self) -> None:
        self.session = FakeSession()
        self.notes: list[str] = []
        self.metrics = RunMetrics(self.session, Places.find().root, self.notes.append, lambda: self.session.now)  # type: ignore[arg-type]

    def hear(self, **ledger: Any) -> None:
        self.metrics.hear(Second(ledger))

    def test_the_start_is_computed_from_the_first_second(self) -> None:
        self.hear(epoch_ms=1_790_000_001_020, to_ns=1_020_000_000)
        self.hear(epoch_ms=1_790_000_002_500, to_ns=2_000_000_000)
        self.hear(final=True, start_epoch_ms=1_790_000_000_003, actual_end_ns=2_250_000_000)
        self.metrics.end()
        assert self.session.asked == [
            ("metrics-started", {"epoch_ms": 1_790_000_000_000}),
            ("metrics-ended", {"epoch_ms": 1_790_000_002_250}),
        ]

    def test_each_second_of_a_longer_warm_up_is_passed_on(self) -> None:
        self.hear(epoch_ms=1_790_000_001_000, to_ns=1_000_000_000)
        for seconds, prolonged in ((2, 1), (3, 2), (4, 2)):
            self.hear(epoch_ms=0, to_ns=seconds * 10**9, prolonged_ns=prolonged * 10**9)
        start = {"epoch_ms": 1_790_000_000_000}
        assert self.session.asked == [
            ("metrics-started", start),
            ("metrics-started", {**start, "prolonged_seconds": 1.0}),
            ("metrics-started", {**start, "prolonged_seconds": 2.0}),
        ]

    def test_a_last_line_alone_has_both(self) -> None:
        self.hear(final=True, start_epoch_ms=1_790_000_000_003, actual_end_ns=250_000_000)
        assert [request["epoch_ms"] for _, request in self.session.asked] == [1_790_000_000_003, 1_790_000_000_253]

    def test_what_never_began_has_no_end(self) -> None:
        self.metrics.end()
        assert self.session.asked == []

    def test_a_child_that_does_not_answer_is_given_up_and_noted(self) -> None:
        self.session.now = 1.0
        self.metrics.open(Places.find())
        assert self.notes == [
            "no more metrics of the controller: the Java child did not answer within 10 s during metrics-open"
        ]
        self.metrics.close(lambda: False)
        assert len(self.session.asked) == 1

    def test_a_dead_child_is_not_our_news(self) -> None:
        self.session.failure = ChildDied("dead")
        self.hear(epoch_ms=1_790_000_001_000, to_ns=1_000_000_000)
        self.session.is_alive = False
        self.metrics.end()
        assert (self.notes, len(self.session.asked)) == ([], 1)


@pytest.mark.parametrize("fault", ["hosts-error", "hosts-dies"])
def test_the_figures_of_the_machines_fail_no_run(checkout: Checkout, fault: str) -> None:
    code, output = checkout.run("run", "--target", "noop", *checkout.options(), FAKE_CHILD=fault)
    assert code == 0, output
    assert output.count("shardload: the figures of the machines are missing: ") == 1
    (note,) = checkout.read("outcome.json")["notes"]
    assert note.startswith("shardload: the figures of the machines are missing: ")
    assert [request["verb"] for request in checkout.requests if request["verb"] == "finish"] == ["finish"]
