"""The verb server-metrics: what it asks of the Java child, and how it ends."""

from __future__ import annotations

import signal

import pytest

from shardload.config.problem import Problem
from shardload.verbs.verbs import parse_listen
from tests.conftest import Checkout


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("127.0.0.1:9465", "127.0.0.1", 9465), ("0.0.0.0:0", "0.0.0.0", 0), ("[::1]:9465", "::1", 9465)],
)
def test_where_to_listen(text: str, host: str, port: int) -> None:
    assert parse_listen(text) == (host, port)


@pytest.mark.parametrize("text", ["", "9465", ":9465", "host", "host:", "host:65536", "::1:9465", "host:9465/metrics"])
def test_what_is_no_place_to_listen(text: str) -> None:
    with pytest.raises(Problem, match="is not of the form HOST:PORT"):
        parse_listen(text)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_a_signal_comes_which_is_no_failure(checkout: Checkout, number: signal.Signals) -> None:
    process = checkout.start("server-metrics", "--target", "noop", "--listen", "127.0.0.1:9999")
    assert process.stdout is not None
    assert next(process.stdout) == "serving http://127.0.0.1:9999/metrics for noop (1 server)\n"
    assert next(process.stdout) == "warning: not reported: db1:5432 io: forbidden\n"
    process.send_signal(number)
    code, output = checkout.end_of(process)
    assert (code, output) == (0, "")
    assert checkout.wait_until_gone() == []
    (checked, served) = checkout.requests
    assert checked["verb"] == "check"
    assert served["data_directory"].endswith("/data/noop")
    assert served["config"]["target"]["name"] == "noop"


def test_an_embedded_server_is_not_started(checkout: Checkout) -> None:
    process = checkout.start("server-metrics", "--target", "embedded-postgresql")
    checkout.wait_for_requests("server-metrics")
    process.send_signal(signal.SIGINT)
    assert checkout.end_of(process)[0] == 0
    assert [request["verb"] for request in checkout.requests] == ["check", "server-metrics"]


def test_a_refusal_of_the_child_is_one_line(checkout: Checkout) -> None:
    code, output = checkout.run("server-metrics", "--target", "noop", FAKE_CHILD="server-metrics-error")
    assert code == 1
    assert output.splitlines()[0] == "shardload: server-metrics does not work"
