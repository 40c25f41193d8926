"""Runs on load hosts with a fake child: the order of what it is asked, how such runs end, and what is shown."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator

import pytest

from shardload.config.hosts import KEY_STORE
from tests.conftest import Checkout, leftovers
from tests.test_run import kill_parent

HOSTS = ["127.0.0.2:1099", "127.0.0.3:1099"]


@pytest.fixture
def hosts(checkout: Checkout) -> Iterator[Checkout]:
    store = checkout.root / KEY_STORE
    store.parent.mkdir(parents=True)
    store.touch()
    library = checkout.root / ".shardload" / "jmeter" / "lib"
    (library / "ext").mkdir(parents=True)
    jars = ("ext/ApacheJMeter_core.jar", "ext/shardload-jmeter.jar", "log4j-slf4j-impl-2.22.1.jar", "rhino-1.7.jar")
    for name in jars:
        (library / name).touch()
    yield checkout


def arguments(checkout: Checkout, **changes: str | None) -> list[str]:
    listed = f"execution.0.distributed={json.dumps(HOSTS)}"
    return ["--target", "noop", *checkout.options(throughput="1000", **changes), "-o", listed]


def run(checkout: Checkout, fault: str = "none", **changes: str | None) -> tuple[int, str]:
    return checkout.run("run", *arguments(checkout, **changes), FAKE_HOSTS=fault)


def verbs(checkout: Checkout) -> list[str]:
    """Return what the child was asked, the looks at the hosts once, without the metrics of the run."""
    asked = [request["verb"] for request in checkout.requests if not request["verb"].startswith("metrics-")]
    return [verb for number, verb in enumerate(asked) if [verb] != asked[number - 1 : number]]


def test_a_run_on_two_hosts(hosts: Checkout) -> None:
    code, output = run(hosts)
    assert code == 0, output
    assert verbs(hosts) == [
        "check", "size", "hosts-open", "connections", "schema", "load", "begin", "hosts-start", "hosts-status",
        "hosts-close", "verify", "hosts", "finish",
    ]  # fmt: skip
    outcome = hosts.read("outcome.json")
    assert (outcome["lost_generators"], outcome["losses"], outcome["generators"]) == ([], [], [])
    load = hosts.read("run.json")["load"]
    assert (load["generator"], load["generators"], load["workers"]) == (0, 2, 8)
    assert hosts.read("run.json")["hosts"]["list"] == HOSTS
    names = {path.name for path in (hosts.bundle / "taurus").iterdir()}
    assert not names & {"shardload.properties", "jmeter.log", "jmeter.out"}, "no JMeter on this machine"
    assert "host 0   127.0.0.2:1099  4 CPUs, Java 17.0.9, clock +2.5 ms (within 0.2 ms)" in output
    assert "the clocks differ" in output
    assert "1,000.0 of 1,000.0/s" in output, "the sum of all"
    assert hosts.read("summary.json")["verdict"] == {"code": 0}


def test_plain_bzt_does_the_same(hosts: Checkout) -> None:
    listed = ["-o", f"execution.0.distributed={json.dumps(HOSTS)}"]
    code, output = hosts.run(*hosts.files(), *hosts.options(throughput="1000"), *listed, plain_bzt=True)
    assert code == 0, output
    assert verbs(hosts)[-5:] == ["hosts-status", "hosts-close", "verify", "hosts", "finish"]


def test_the_child_has_jmeter_but_not_the_plugin(hosts: Checkout) -> None:
    run(hosts)
    home = hosts.root / ".shardload"
    jars = [home / "jmeter/lib" / name for name in ("rhino-1.7.jar", "ext/ApacheJMeter_core.jar")]
    expected = [home / "app/lib/*", *jars]
    assert (hosts.pids / "class-path").read_text().split(":") == [str(path) for path in expected]
    (hosts.pids / "class-path").unlink()
    hosts.run("run", "--target", "noop", *hosts.options(throughput="1000"))
    assert (hosts.pids / "class-path").read_text() == str(home / "app/lib/*")


@pytest.mark.parametrize(
    ("fault", "code", "lines"),
    [
        (
            "busy",
            2,
            ["shardload: 127.0.0.2:1099: busy with another run", "shardload: 127.0.0.3:1099: dead: connection refused"],
        ),
        ("versions", 1, ["shardload: 127.0.0.3:1099: runs JMeter 5.5, the controller 5.6.3"]),
    ],
)
def test_refused_hosts_leave_nothing_behind(hosts: Checkout, fault: str, code: int, lines: list[str]) -> None:
    ended, output = run(hosts, fault)
    assert (ended, output.splitlines()) == (code, lines)
    assert verbs(hosts) == ["check", "size", "hosts-open"], "nothing was loaded"
    assert leftovers(hosts) == ["keys"]


def test_a_start_that_fails_is_told_and_the_bundle_finished(hosts: Checkout) -> None:
    code, output = run(hosts, "start")
    assert code == 5, output
    assert "shardload: 127.0.0.3:1099: ended during the start\n127.0.0.2:1099: was stopped\n" in output
    assert hosts.read("outcome.json")["lost_generators"] == [0, 1]
    assert verbs(hosts)[-6:] == ["hosts-start", "hosts-stop", "hosts-close", "verify", "hosts", "finish"]


def test_a_lost_host_ends_the_run(hosts: Checkout) -> None:
    code, output = run(hosts, "lost:1", hold_for="30s")
    assert code == 5, output
    outcome = hosts.read("outcome.json")
    assert outcome["lost_generators"] == [1]
    assert outcome["losses"] == [{"generator": 1, "host": HOSTS[1], "last_ns": 1_900_000_000}]
    assert outcome["notes"] == [f"generator 1 ({HOSTS[1]}) was lost"], "once"
    assert outcome["stopped_by"] is None and "hosts-stop" not in verbs(hosts), "the child has ordered it"
    assert f"shardload collect {hosts.bundle.name} DIR..." in output, output


def test_a_run_can_go_on_without_a_lost_host(hosts: Checkout) -> None:
    code, output = run(hosts, "continue:1")
    assert code == 5, output
    assert hosts.read("outcome.json")["lost_generators"] == [1]
    assert output.count("generator 1 (127.0.0.3:1099) was lost") == 1


def test_a_lost_meeting_point_ends_the_run_as_a_part_that_died(hosts: Checkout) -> None:
    code, output = run(hosts, "redis:1", hold_for="30s")
    assert code == 2, output
    assert [line for line in output.splitlines() if "Redis" in line] == ["shardload: Redis does not answer"], "once"
    assert hosts.read("outcome.json")["notes"] == ["shardload: Redis does not answer", "closed"]
    assert verbs(hosts)[-5:] == ["hosts-stop", "hosts-close", "verify", "hosts", "finish"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_all_hosts(hosts: Checkout, number: signal.Signals) -> None:
    process = hosts.start("run", *arguments(hosts, hold_for="60s"))
    hosts.wait_for("checkout/runs/*/latencies/merged.jsonl")
    code, output = kill_parent(hosts, process, number)
    assert code == 2, output
    (stop,) = [request for request in hosts.requests if request["verb"] == "hosts-stop"]
    assert stop["reason"] == "signal"
    assert (hosts.pids / "closed").exists()
    assert hosts.read("outcome.json")["lost_generators"] == []


def test_a_signal_during_the_start_stops_what_was_started(hosts: Checkout) -> None:
    process = hosts.start("run", *arguments(hosts, hold_for="60s"), FAKE_HOSTS="slow-start:4")
    hosts.wait_for_requests("hosts-start")
    code, output = kill_parent(hosts, process, signal.SIGTERM)
    assert code == 2, output
    assert verbs(hosts)[-6:] == ["hosts-start", "hosts-stop", "hosts-close", "verify", "hosts", "finish"]
    assert hosts.read("outcome.json")["lost_generators"] == []


def test_a_signal_during_a_start_that_does_not_end_ends_the_child(hosts: Checkout) -> None:
    process = hosts.start("run", *arguments(hosts), module="tests.fakes.impatient", FAKE_HOSTS="slow-start:600")
    hosts.wait_for_requests("hosts-start")
    code, output = kill_parent(hosts, process, signal.SIGTERM)
    assert code == 5, output
    assert hosts.read("outcome.json")["interrupted"] is True
    assert verbs(hosts)[-4:] == ["hosts-start", "verify", "hosts", "finish"], "a new child finishes"


@pytest.mark.parametrize(
    ("fault", "told"),
    [("dies:1", "the Java child ended (code 9) during hosts-status"), ("stuck:1", "the Java child did not answer")],
)
def test_a_child_that_is_gone_leaves_the_hosts_to_stop_by_themselves(hosts: Checkout, fault: str, told: str) -> None:
    process = hosts.start("run", *arguments(hosts, hold_for="60s"), module="tests.fakes.impatient", FAKE_HOSTS=fault)
    code, output = hosts.end_of(process)
    assert code == 5, output
    assert f"shardload: {told}" in output
    assert hosts.read("outcome.json")["lost_generators"] == [0, 1]
    assert verbs(hosts)[-4:] == ["hosts-status", "verify", "hosts", "finish"]


def test_enough_failed_steps_stop_all_hosts(hosts: Checkout) -> None:
    listed = f"execution.0.distributed={json.dumps(HOSTS)}"
    code, output = hosts.run(
        "run", "--target", "noop", "--profile", "max-capacity", "-o", listed,
        "-o", "execution.0.warm-up=0s", "-o", "execution.0.ramp-up=20s", "-o", "execution.0.throughput=6000",
        "-o", "execution.0.limits={p99: 0.4ms}", FAKE_SERVICE_MS="0.5",
    )  # fmt: skip
    assert code == 0, output
    assert hosts.read("outcome.json")["stopped_by"] == "failed-steps"
    (stop,) = [request for request in hosts.requests if request["verb"] == "hosts-stop"]
    assert stop["reason"] == "failed-steps"


def test_a_series_opens_the_hosts_for_each_run(hosts: Checkout) -> None:
    code, output = hosts.run("run", *arguments(hosts), "--repeat", "2")
    assert code == 0, output
    asked = [request["verb"] for request in hosts.requests]
    assert asked.count("hosts-open") == asked.count("hosts-close") == 2


def test_verbs_without_load_ask_no_host(hosts: Checkout) -> None:
    path = hosts.root / "taurus" / "targets" / "noop.yml"
    path.write_text(path.read_text() + "  load-hosts: [nowhere.invalid]\n")
    for verb in ("schema", "load", "verify", "calibrate"):
        code, output = hosts.run(verb, "--target", "noop")
        assert code == 0, output
    assert not [request for request in hosts.requests if "hosts" in request["config"]]
    code, output = hosts.run("targets")
    line = next(line for line in output.splitlines() if line.startswith("noop "))
    assert code == 0 and "nowhere.invalid" in line
    asked = next(request for request in hosts.requests if request["verb"] == "targets")
    assert set(asked["targets"]["noop"]) == {"driver", "options"}, "the child checks targets, not load hosts"
