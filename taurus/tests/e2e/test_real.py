"""Whole runs with the real Taurus, JMeter, child and PostgreSQL."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import open_to_others
from tests.e2e.conftest import ROOT, RealCheckout, Recorded, options
from tests.e2e.exports import assert_exports_equal_the_summary
from tests.e2e.judges import live_faults
from tests.e2e.machine import assert_sampled

pytestmark = pytest.mark.e2e
RESULTS_PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
LEDGER_PARTS = ("done", "missing", "refused", "failed", "unknown")
# What a busy machine may do to a run: it misses a part of the rate, or holds up the generator.
BUSY = ("target rate not reached", "generator-bound: ")


def assert_closed(ledger: dict) -> None:
    assert ledger["scheduled"] == ledger["started"] + ledger["dropped"]
    assert ledger["started"] == sum(ledger[part] for part in LEDGER_PARTS)


def assert_sound(real: RealCheckout, code: int, output: str) -> dict:
    """Expect closed ledgers and exit code 0, but for what a busy machine may do."""
    return assert_sound_bundle(real.latest, code, output)


def assert_sound_bundle(bundle: Path, code: int, output: str) -> dict:
    summary = json.loads((bundle / "summary.json").read_text())
    assert_closed(summary["ledger"])
    assert_closed(summary["warmup_ledger"])
    assert not any("not compared with the plan" in finding for finding in summary["findings"]), output
    reasons = [reason for reason in summary["verdict"]["reasons"] if not reason.startswith(BUSY)]
    assert reasons == [] and code == summary["verdict"]["code"], output
    throughput = summary["throughput"]
    assert code == 0 or throughput["achieved"] > (throughput["offered"] or 0) / 4, output
    return summary


def assert_code(code: int, expected: int, output: str) -> None:
    """Expect an exit code; the output explains another one. A busy machine may make a sound run invalid."""
    assert code == expected or (code == 5 and "generator-bound: " in output), output


def stop(real: RealCheckout, number: int, *arguments: str) -> tuple[int, str]:
    """Start a long run, send its controller a signal in the hold, and return how it ended."""
    process = real.start("run", *arguments, *real.short(hold_for="120s"))
    real.wait_for("checkout/runs/*/latencies/generator-0.jsonl")
    time.sleep(3)
    os.kill(process.pid, number)
    return real.end_of(process)


def test_noop(real: RealCheckout) -> None:
    code, output = real.run("run", "--target", "noop", "--results", "out", "--seed", "", *real.short(hold_for="4s"))
    summary = assert_sound(real, code, output)
    assert summary["ledger"]["scheduled"] == 100 * 4 + 50
    assert (real.latest / "report.html").stat().st_size > 10_000
    assert str(real.latest / "report.html") in output
    assert open_to_others(real.latest) == []
    assert_handed_over(real, summary)


def assert_handed_over(real: RealCheckout, summary: dict) -> None:
    """Expect everything that is kept of a run; its JUnit results are as its verdict."""
    code, output = real.run("results", "out", "--grafana", "http://grafana.example")
    assert code == 0, output
    folder = real.root / "out"
    text = (folder / "description.txt").read_text()
    assert text.startswith(f"{summary['verdict']['name']}: ") and " RPS, p99 response " in text
    assert f"var-run={real.latest.name}&amp;from=" in (folder / "description.html").read_text()
    suites = ElementTree.parse(folder / "junit.xml").getroot().findall("testsuite")
    assert [suite.get("name") for suite in suites] == ["criteria", "ledger", "verification", "measurement"]
    bad = [case for suite in suites for case in suite.findall("testcase") if case.find("failure") is not None]
    bad += [case for suite in suites for case in suite.findall("testcase") if case.find("error") is not None]
    assert bool(bad) == (summary["verdict"]["code"] != 0)
    page = (folder / "report" / "index.html").read_text()
    assert "<svg" in page and "<script" not in page
    with tarfile.open(folder / f"{real.latest.name}.tar.gz") as packed:
        assert f"{real.latest.name}/latencies/generator-0.hlog" in packed.getnames()


@pytest.mark.alone
def test_max_capacity_reports_ten_steps_and_the_capacity(real: RealCheckout) -> None:
    rising = {"warm-up": "1s", "ramp-up": "10s", "throughput": "2000", "stop-after-failed-steps": "10"}
    limits = ("-o", "execution.0.limits={errors: 1%, p99: 10s}")
    steps_of = options({f"execution.0.{key}": value for key, value in rising.items()})
    code, output = real.run("run", "-t", "noop", "-p", "max-capacity", *steps_of, *limits)
    summary = assert_sound(real, code, output)
    steps = summary["steps"]
    assert [step["name"] for step in steps] == [f"step-{number}" for number in range(1, 11)]
    # On a busy machine a step may miss the last 20 ms of its second.
    held = [number for number, step in enumerate(steps, 1) if step["passed"]]
    assert_code(code, 0, output)
    assert not any(step["cut"] for step in steps)
    assert summary["capacity"]["offered_per_second"] == pytest.approx(200 * max(held))
    assert summary["capacity"]["at_least"] == (len(held) == 10)
    # The last step ends with the run, too late for the controller to judge it.
    assert set(live_faults(real.latest)) - {"step-10"} == {s["name"] for s in steps[:9] if not s["passed"]}


def test_postgresql_is_loaded_used_and_verified_twice(recorded: Recorded) -> None:
    real = recorded.real
    bundles = sorted((real.root / "runs").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    assert len(bundles) == 2
    for bundle, (code, output, before, after) in zip(bundles, recorded.runs):
        summary = assert_sound_bundle(bundle, code, output)
        assert summary["verification"]["verdict"] == "clean"
        assert summary["ledger"]["done"] > 200
        ledger = (bundle / "latencies" / "generator-0.jsonl").read_text().splitlines()
        assert_sampled([json.loads(line) for line in ledger], before, after, seconds=7)
        assert "documents, 0 wrong" in output
    assert_exports_equal_the_summary(real)
    assert open_to_others(real.root / "runs") == []
    # Where root starts the server, it runs as another user, who has to reach its programs and its data.
    data = real.root / ".shardload" / "data"
    folders = [data, data / "embedded-postgresql", *(path for path in data.glob("postgresql-*/**/*") if path.is_dir())]
    assert [path for path in folders if path.stat().st_mode & 0o005 != 0o005] == []


def first_column(heading: str) -> list[str]:
    """Return the names in the first column of the table under a heading."""
    section = RESULTS_PAGE.split(f"{heading}\n", 1)[1].split("\n#", 1)[0]
    return [name for row in re.findall(r"^\| (`.*?) \|", section, re.M) for name in re.findall(r"`(.+?)`", row)]


def described(path: str) -> bool:
    return any(
        path.startswith(name) if name.endswith("/") else re.fullmatch(re.escape(name).replace("N", r"\d+"), path)
        for name in first_column("## The files of a bundle")
    )


def begins_as_described(finding: str) -> bool:
    starts = [re.sub(r"\b(N|M|NAME)\b", r"\\S+", re.escape(name)) for name in first_column("### Findings")]
    return any(re.match(start, finding) for start in starts)


def test_the_page_explains_the_bundle_of_a_run(recorded: Recorded) -> None:
    """Turned red by a key that the Python misspells, by a row taken from the files, and one from the findings.

    On a busy machine the run may miss its rate or be generator-bound: its bundle is as complete.
    """
    bundle = recorded.real.latest
    files = [str(path.relative_to(bundle)) for path in bundle.rglob("*") if path.is_file()]
    assert [path for path in files if not described(path)] == []
    summary = json.loads((bundle / "summary.json").read_text(encoding="utf-8"))
    assert summary["findings"]
    assert [finding for finding in summary["findings"] if not begins_as_described(finding)] == []
    printed = run_python(bundle)
    assert f"{summary['run_id']} | {summary['verdict']['name']}" in printed
    assert f"insert {summary['transactions']['insert']['ledger']['done']} done" in printed


def run_python(bundle: Path) -> str:
    """Return what the page's lines print."""
    (script,) = re.findall(r"```python\n(.*?)```", RESULTS_PAGE, re.S)
    assert len([line for line in script.splitlines() if line]) == 10
    command = [sys.executable, "-c", script, str(bundle)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.long
def test_sigterm_finishes_the_bundle_and_the_next_runs_go_on(real: RealCheckout) -> None:
    code, output = stop(real, signal.SIGTERM)
    assert_code(code, 2, output)
    assert "the run was interrupted" in output
    summary = json.loads((real.latest / "summary.json").read_text())
    assert_closed(summary["ledger"])
    assert summary["verification"]["verdict"] == "not run"
    assert (real.latest / "report.html").exists()
    # The next one, which has the only such file then, loses its generator.
    shutil.rmtree(real.latest / "latencies")
    process = real.start("run", *real.short(hold_for="120s"))
    real.wait_for("checkout/runs/*/latencies/generator-0.jsonl")
    time.sleep(3)
    os.kill(real.pid_of("ApacheJMeter.jar"), signal.SIGKILL)
    code, output = real.end_of(process)
    assert code == 5, output
    assert json.loads((real.latest / "outcome.json").read_text())["lost_generators"] == [0]
    assert "generator 0 was lost (JMeter was ended by SIGKILL)" in output
    code, output = real.run("run", *real.closed)
    assert assert_sound(real, code, output)["verification"]["verdict"] == "clean"
    assert_code(code, 0, output)
    assert_exports_equal_the_summary(real)


def test_kill_9_of_the_parent_ends_all_and_verify_settles(real: RealCheckout) -> None:
    code, output = stop(real, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert real.wait_until_gone() == []
    before = set((real.root / "runs").iterdir())
    code, output = real.run("run", *real.closed)
    assert code == 1, output
    refusal, *suggestions = output.strip().splitlines()
    assert refusal.startswith("shardload: ") and "is dirty" in refusal
    commands = [shlex.split(line)[1:] for line in suggestions if line.startswith("    ")]
    assert len(suggestions) == 2 * len(commands), "each command has a line before it that says what for"
    assert [command[0] for command in commands] == ["verify", "load"], "the one that loses nothing comes first"
    assert set((real.root / "runs").iterdir()) == before
    code, output = real.run(*commands[0])
    assert code == 0, output
    code, output = real.run("run", *real.closed)
    assert assert_sound(real, code, output)["verification"]["verdict"] == "clean"
    assert_code(code, 0, output)
