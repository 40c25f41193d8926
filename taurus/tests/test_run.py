"""The executor in the real Taurus, with a fake child and a fake generator."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from shardload import __version__
from shardload.processes.child import command
from tests.conftest import Checkout, leftovers, open_to_others


def kill_parent(checkout: Checkout, process: subprocess.Popen[str], number: int) -> tuple[int, str]:
    os.kill(process.pid, number)
    return checkout.end_of(process)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """Return a checkout after a run, whose output is in the file told; a user's own JVM_ARGS and HEAP are set."""
    made = Checkout(tmp_path_factory.mktemp("ran") / "checkout")
    options = [*made.options(throughput="1000", retries="2"), "-o", "schema.index=btree"]
    code, output = made.run("run", *options, "-o", "modules.shardload.heap=321m", HEAP="-Xmx1m", JVM_ARGS="-Dx=y")
    assert code == 0, output
    (made.pids / "told").write_text(output)
    yield made
    assert made.wait_until_gone() == []


def test_run_ends_with_0_and_a_whole_bundle(whole: Checkout) -> None:
    names = {path.name for path in whole.bundle.iterdir()}
    assert names == {
        "child.log", "config.yml", "junit.xml", "latencies", "outcome.json", "report.html", "run.json", "summary.json",
        "taurus",
    }  # fmt: skip
    assert whole.read("outcome.json") == {
        "interrupted": False,
        "stopped_by": None,
        "lost_generators": [],
        "losses": [],
        "generators": [{"generator": 0, "exit_code": 0}],
        "criteria": [],
        "notes": [],
    }
    assert [request["verb"] for request in whole.requests[:14]] == [
        "check", "start-embedded", "size", "connections", "schema", "load", "metrics-open", "begin", "metrics-started",
        "metrics-ended", "verify", "hosts", "finish", "metrics-close",
    ]  # fmt: skip
    assert whole.requests[10]["walk"] is True
    checked, begun = (list(whole.requests[number]["config"]["mix"]) for number in (0, 7))
    assert checked[: len(begun)] == begun, "the plan numbers transactions in this order"
    output = (whole.pids / "told").read_text()
    assert "1,000.0 of 1,000.0/s" in output
    assert f"shardload {__version__}, commit unknown\n" in output
    assert open_to_others(whole.bundle) == []
    assert [name for name in leftovers(whole) if name != "runs"] == [], "Taurus's waiting room is gone"
    assert list((whole.root.parent / "home").iterdir()) == [], "no ~/.bzt-rc"


def test_quiet_prints_only_the_shortest_closing_lines(checkout: Checkout) -> None:
    """The fake judge has a verdict and a report. Mutation: the head of the run."""
    code, output = checkout.run("run", "--quiet", *checkout.options(hold_for="1s", throughput="2000"))
    assert (code, output.splitlines()) == (0, ["verdict 0", f"report {checkout.bundle}/report.html"])


def test_run_json_is_the_effective_configuration(whole: Checkout) -> None:
    config = whole.read("run.json")
    assert config["shardload"] == {"version": __version__, "commit": "unknown"}, "the checkout of the test has no git"
    assert config["run"]["id"] == whole.bundle.name
    assert config["run"]["profile"] == "smoke"
    assert config["target"]["name"] == "embedded-postgresql"
    assert config["mix"]["find-by-id-and-filter4-and-filter5-list"] == 0.7
    assert config["mix"]["insert"] == 20
    assert config["load"]["retries"] == 2
    assert config["load"]["rate_profile"] is True
    assert [segment["name"] for segment in config["load"]["segments"]] == ["warm-up", "ramp", "hold"]
    assert config["schedule_hash"] == "abc"
    assert config["workload"]["data"]["documents"] == 1234, "the child's number"
    kept = yaml.safe_load((whole.bundle / "config.yml").read_text())
    assert kept["execution"][0]["retries"] == 2
    assert kept["schema"]["index"] == "btree"
    sized = next(request for request in whole.requests if request["verb"] == "schema")
    assert sized["config"]["workload"]["data"]["documents"] == 1234
    properties = (whole.bundle / "taurus" / "shardload.properties").read_text()
    assert '"documents":1234' in properties, "what the generator goes by"


def test_jmeter_starts_with_its_heap_and_exact_timers(whole: Checkout) -> None:
    """A user's own JVM_ARGS and HEAP are for another JMeter."""
    slack = Path("/proc/self/timerslack_ns")
    given = (whole.pids / "jmeter").read_text().split()
    assert given[0] == ("1" if os.access(slack, os.W_OK) else "none")
    assert [one for one in given if one.startswith(("-Xm", "-Djava.awt"))] == [
        "-Xms321m",
        "-Xmx321m",
        "-Djava.awt.headless=true",
    ]
    assert "-Dx=y" not in given


def test_a_jvm_that_crashes_leaves_nothing_where_it_was_started(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    java.chmod(0o755)
    home = Path(__file__).resolve().parents[2] / "jmx" / "home"
    for script in ("jmeter", "generator"):
        given = subprocess.run(
            [home / "bin" / script], env={**os.environ, "JAVA_HOME": str(tmp_path)}, capture_output=True, text=True
        ).stdout.splitlines()
        assert f"-XX:ErrorFile={home}/crash-%p.log" in given, script
        assert "-XX:+HeapDumpOnOutOfMemoryError" not in given, script
    assert f"-XX:ErrorFile={home}/crash-%p.log" in command("java", home, "64m")


def test_plain_bzt_with_the_four_files_does_the_same(checkout: Checkout) -> None:
    code, output = checkout.run(*checkout.files(), *checkout.options(throughput="1000"), plain_bzt=True)
    assert code == 0, output
    assert checkout.bundle.name.endswith("-noop-smoke")
    assert (checkout.bundle / "taurus" / "bzt.log").stat().st_size
    assert not (checkout.bundle / "taurus" / ".bzt-rc").exists(), "it may hold tokens"
    assert open_to_others(checkout.bundle) == []
    assert [name for name in leftovers(checkout) if name != "runs"] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("plain_bzt", [False, True])
def test_a_signal_stops_the_load_and_finishes_the_bundle(
    checkout: Checkout, number: signal.Signals, plain_bzt: bool
) -> None:
    arguments = checkout.files() if plain_bzt else ["run"]
    process = checkout.start(*arguments, *checkout.options(hold_for="60s"), plain_bzt=plain_bzt)
    checkout.wait_for("checkout/runs/*/latencies/*.jsonl")
    time.sleep(1)
    code, output = kill_parent(checkout, process, number)
    assert code == 2, output
    outcome = checkout.read("outcome.json")
    assert outcome["interrupted"] is True and outcome["stopped_by"] == "signal"
    assert outcome["lost_generators"] == []
    assert outcome["notes"] == [f"stopped by {number.name}"]
    verify = next(request for request in checkout.requests if request["verb"] == "verify")
    assert verify["walk"] is False
    last = (checkout.bundle / "latencies" / "generator-0.jsonl").read_text().splitlines()[-1]
    assert json.loads(last)["stop_reason"] == "stop"
    assert (checkout.bundle / "report.html").exists()


def test_kill_9_of_the_parent_ends_generator_and_child(checkout: Checkout) -> None:
    process = checkout.start("run", *checkout.options(hold_for="60s"))
    checkout.wait_for("checkout/runs/*/latencies/*.jsonl")
    assert len(checkout.living()) == 2
    kill_parent(checkout, process, signal.SIGKILL)
    assert checkout.wait_until_gone() == []
    last = (checkout.bundle / "latencies" / "generator-0.jsonl").read_text().splitlines()[-1]
    assert json.loads(last)["stop_reason"] == "stdin-closed"


def test_a_signal_during_the_load_leaves_no_bundle(checkout: Checkout) -> None:
    process = checkout.start("run", *checkout.options(), FAKE_CHILD="slow-load")
    checkout.wait_for_requests("load")
    code, output = kill_parent(checkout, process, signal.SIGTERM)
    assert code == 2, output
    assert "nothing was measured" in output
    assert not (checkout.root / "runs").exists()


def test_a_signal_during_verification_settles_from_the_journals(checkout: Checkout) -> None:
    """Mutation: ask for the walk without listening for signals."""
    process = checkout.start("run", *checkout.options(hold_for="2s"), FAKE_CHILD="slow-verify")
    checkout.wait_for_requests("verify")
    code, output = kill_parent(checkout, process, signal.SIGTERM)
    assert code == 2, output
    assert checkout.read("outcome.json")["stopped_by"] == "signal"
    assert [request["walk"] for request in checkout.requests if request["verb"] == "verify"] == [True, False]
    assert (checkout.bundle / "report.html").exists()


def test_a_refusal_to_begin_leaves_no_bundle(checkout: Checkout) -> None:
    """Mutation: keep the bundle of a run that was refused."""
    code, output = checkout.run("run", *checkout.options(), FAKE_CHILD="begin-error")
    assert code == 1, output
    assert not (checkout.root / "runs").exists()


def test_wrong_documents_weigh_more_than_missed_criteria(checkout: Checkout) -> None:
    code, _ = checkout.run("run", *checkout.options(), FAKE_CHILD="wrong", FAKE_GENERATOR="errors")
    assert code == 4


def test_a_missed_final_criterion_ends_with_3(checkout: Checkout) -> None:
    code, _ = checkout.run("run", *checkout.options(throughput="1000"), FAKE_GENERATOR="errors")
    assert code == 3
    assert checkout.read("outcome.json")["criteria"] == [], "only what was judged live"
    assert checkout.read("summary.json")["missed"] == ["fail>1%, continue as failed"]
    texts = [item["text"] for item in checkout.read("run.json")["criteria"]]
    assert texts == ["fail>1%, continue as failed", "p99>250ms, continue as failed"]


def add_criterion(checkout: Checkout, text: str) -> None:
    path = checkout.root / "taurus" / "profiles" / "smoke.yml"
    path.write_text(path.read_text() + f"  - {text}\n")


def test_a_live_criterion_stops_the_run_in_order(checkout: Checkout) -> None:
    add_criterion(checkout, "hits<100 for 1s, stop as failed")
    code, output = checkout.run("run", *checkout.options(hold_for="30s"), FAKE_GENERATOR="stall:4:20")
    assert code == 3, output
    outcome = checkout.read("outcome.json")
    assert outcome["stopped_by"] == "criterion" and outcome["interrupted"] is False
    assert outcome["criteria"][0]["text"] == "hits<100 for 1s, stop as failed"
    assert outcome["criteria"][0]["passed"] is False


def test_a_live_criterion_on_microseconds_and_an_odd_percentile(checkout: Checkout) -> None:
    add_criterion(checkout, "p97.5 of insert>0.4ms for 2s, continue as failed")
    add_criterion(checkout, "p97.5 of insert>0.6ms for 2s, continue as failed")
    checkout.run("run", *checkout.options(throughput="1000", hold_for="3s"))
    assert [entry["passed"] for entry in checkout.read("outcome.json")["criteria"][:2]] == [False, True]


def test_a_dead_child_is_started_again_to_finish(checkout: Checkout) -> None:
    code, output = checkout.run("run", *checkout.options(throughput="1000"), FAKE_CHILD="verify-dies")
    assert code == 2, output
    outcome = checkout.read("outcome.json")
    assert "during verify: something broke; starting it again" in outcome["notes"][0]
    assert outcome["died"] == outcome["notes"][0].removesuffix("; starting it again")
    assert (checkout.bundle / "report.html").exists()


@pytest.mark.parametrize(
    ("verb", "plain_bzt"),
    [(verb, False) for verb in ("check", "start-embedded", "connections", "schema", "load", "begin")]
    + [(verb, True) for verb in ("check", "schema", "begin")],
)
def test_a_refusal_leaves_nothing_behind(checkout: Checkout, verb: str, plain_bzt: bool) -> None:
    arguments = checkout.files() if plain_bzt else ["run"]
    code, output = checkout.run(*arguments, *checkout.options(), plain_bzt=plain_bzt, FAKE_CHILD=f"{verb}-error")
    assert code == 1, output
    # The commands lead to the target of the run, by plain bzt too, and each stands on a line of its own.
    target = "noop" if plain_bzt else "embedded-postgresql"
    chosen = f"--target {target} --workload document-store"
    assert f"{verb} does not work\n" in output
    hints = output[output.index("  to settle it:\n") :].splitlines()[:4]
    assert hints[1] == f"    ./shardload verify {chosen}"
    assert hints[2:] == ["  to start afresh:", f"    ./shardload load --recreate {chosen}"]
    assert "Traceback" not in output
    assert leftovers(checkout) == []


def test_more_workers_than_the_server_gives_connections_name_the_key(checkout: Checkout) -> None:
    options = checkout.options(throughput="1000")
    code, output = checkout.run("run", *options, FAKE_CHILD="few-connections")
    assert code == 1
    assert output == "shardload: taurus/profiles/smoke.yml: execution.0.concurrency: the server accepts only 3\n"
    assert leftovers(checkout) == []
    assert "schema" not in [request["verb"] for request in checkout.requests]


def test_plain_bzt_refuses_a_misspelt_key_and_leaves_nothing(checkout: Checkout) -> None:
    path = checkout.root / "taurus" / "profiles" / "smoke.yml"
    path.write_text(path.read_text().replace("ramp-up:", "rump-up:"))
    code, output = checkout.run(*checkout.files(), plain_bzt=True)
    assert code == 1
    assert 'taurus/profiles/smoke.yml: execution.0.rump-up: unknown key "rump-up"; did you mean "ramp-up"?' in output
    assert leftovers(checkout) == []
    assert [request["verb"] for request in checkout.requests] == ["check"]


def test_a_bundle_that_cannot_be_written_is_one_line(checkout: Checkout) -> None:
    (checkout.root / "runs").write_text("a file in the way")
    code, output = checkout.run("run", *checkout.options())
    assert code == 1
    assert output.strip() == f"shardload: cannot create a bundle in {checkout.root}/runs: File exists"


@pytest.mark.parametrize("fault", ["verify-error", "verify-dies", "wrong"])
def test_both_targets_of_a_series_are_verified_whatever_the_first_says(checkout: Checkout, fault: str) -> None:
    words = ["verify", "--target", "noop", "--interleave-with", "embedded-postgresql"]
    assert checkout.run(*words)[0] == 0
    code, output = checkout.run(*words, FAKE_CHILD=fault)
    asked = [one["config"]["target"]["driver"] for one in checkout.requests if one["verb"] == "verify"]
    assert asked == ["noop", "postgresql"] * 2, output
    assert code != 0 and (code == 4) == (fault == "wrong")
    assert output.index("noop:\n") < output.index("embedded-postgresql:\n")


def test_the_second_target_is_verified_if_the_first_is_configured_wrongly(checkout: Checkout) -> None:
    file = checkout.root / "taurus" / "targets" / "noop.yml"
    file.write_text(file.read_text().replace("driver:", "drivr:"))
    code, output = checkout.run(
        "verify", "--target", "noop", "--interleave-with", "embedded-postgresql", FAKE_CHILD="wrong"
    )
    assert 'unknown key "drivr"' in output
    assert [one["verb"] for one in checkout.requests].count("verify") == 1, output
    assert code == 4, "wrong documents come before a wrong key"


def test_a_full_disk_is_one_line(checkout: Checkout) -> None:
    limited = ["sh", "-c", 'ulimit -f 4096; exec "$0" "$@"', sys.executable, "-m", "shardload", "run"]
    done = subprocess.run(
        [*limited, *checkout.options()], cwd=checkout.root, env=checkout.environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    output = done.stdout + done.stderr
    assert output.strip() == f"shardload: cannot write the bundle into {checkout.root}/runs: File too large"
    assert leftovers(checkout) == []


def test_verbs(checkout: Checkout) -> None:
    assert checkout.run("schema") == (0, "FakeSQL 1.0: tables created\n")
    code, output = checkout.run("load", "--target", "noop", "--recreate")
    assert code == 0 and output.endswith("1,000 documents loaded in 0.1 s; the data set has 1,000\n")
    code, output = checkout.run("load", "--target", "noop", FAKE_CHILD="loaded")
    assert code == 0 and output.endswith("nothing to load: the 1,000 documents of the data set were loaded before\n")
    code, output = checkout.run("load", "--target", "noop", FAKE_CHILD="keeps-nothing")
    assert code == 0 and output.endswith("nothing to load: the target keeps no data, or the data is not shardload's\n")
    assert [request.get("recreate") for request in checkout.requests if request["verb"] == "schema"][:2] == [
        False,
        True,
    ]
    assert checkout.run("verify")[0] == 0
    assert checkout.run("verify", FAKE_CHILD="wrong")[0] == 4
    code, output = checkout.run("verify", "--verification", "written")
    assert code == 0 and output.endswith("0 wrong of 1,000 documents\n  only what the run wrote\n")
    asked = [request.get("verification") for request in checkout.requests if request["verb"] == "verify"]
    assert asked == [None, None, "written"], "without the option the run's own profile decides"
    assert checkout.run("verify", "--verification", "none")[0] == 1
    assert checkout.run("calibrate")[0] == 0
    code, output = checkout.run("targets")
    assert code == 0
    shown = dict(zip((line.split()[0] for line in output.splitlines()), output.splitlines()))
    assert list(shown)[1:] == sorted(path.stem for path in (checkout.root / "taurus" / "targets").glob("*.yml"))
    assert "taurus/targets/noop.yml" in shown["noop"]
    assert "built in: mongodb" in shown["embedded-mongodb"]
    assert not (checkout.root / "runs").exists()


def test_report_of_the_latest_bundle(whole: Checkout, tmp_path: Path) -> None:
    (whole.bundle / "report.html").unlink()
    code, output = whole.run("report")
    assert code == 0 and (whole.bundle / "report.html").exists()
    # Load hosts may have been collected since: their samples of the machines count too.
    assert [request["verb"] for request in whole.requests[-2:]] == ["hosts", "finish"]
    code, output = whole.run("report", str(tmp_path))
    assert code == 1 and "unknown run" in output
    code, output = whole.run("report", whole.bundle.name, "--static", str(tmp_path / "a b"))
    assert code == 0 and output.endswith(f"static    {tmp_path / 'a b' / 'index.html'}\n")
    asked = whole.requests[-1]
    assert (asked["verb"], asked["directory"]) == ("static", str(whole.bundle))


def test_a_child_that_dies_over_the_verdict_is_in_the_verdict(checkout: Checkout) -> None:
    code, output = checkout.run("run", *checkout.options(throughput="1000"), FAKE_CHILD="finish-dies")
    assert code == 2, output
    assert "the Java child ended (code 7) during finish" in checkout.read("outcome.json")["died"], (
        "the second child makes summary.json from it, which said ok beside the exit code 2"
    )
