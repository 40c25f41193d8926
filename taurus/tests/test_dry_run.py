"""``run --dry-run`` and ``--no-load``: what a run would be, with nothing started and nothing written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from shardload.config import effective
from tests.conftest import FAST, Checkout, leftovers
from tests.test_check import load as checked_of

LOAD = [part for key, value in FAST.items() for part in ("-o", f"{key}={value}")]
TARGET = """\
target:
  driver: postgresql
  url: postgresql://db1.example:5432/shardload
  password-env: MY_PASSWORD
"""


def snapshot(folder: Path) -> dict[str, float]:
    """Return every file below a folder with the time of its last change, but those of the fakes."""
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if "pids" not in path.parts}


def dry(checkout: Checkout, *arguments: str, **environment: str) -> dict[str, Any]:
    checkout.environment.update(environment)
    process = checkout.start("run", "--dry-run", "--json", *arguments)
    code, output = checkout.end_of(process)
    assert code == 0, output
    return json.loads(output[output.index("{") :])


def origins(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {value["key"]: value["origin"] for value in told["configuration"]}


def test_nothing_is_started_and_nothing_written(checkout: Checkout) -> None:
    """Mutation: reserve the bundle before."""
    before = snapshot(checkout.root)
    code, output = checkout.run("run", "--dry-run", "-t", "postgresql", SHARDLOAD_PG_PASSWORD="hush-hush")
    assert code == 0, output
    assert snapshot(checkout.root) == before
    assert leftovers(checkout) == []
    assert {request["verb"] for request in checkout.requests} == {"check", "size", "data-state"}
    assert not (checkout.pids / "jmeter").exists()
    assert "hush-hush" not in output
    assert "nothing was started and nothing was written" in output


def test_every_value_has_its_origin(checkout: Checkout) -> None:
    """Mutation: take the line from the merged list, or a default for a value of the file."""
    profile = checkout.root / "taurus" / "profiles" / "smoke.yml"
    words = [
        "-t",
        "postgresql",
        "--rate",
        "150",
        "-o",
        "execution.0.warm-up=2s",
        "-o",
        "target.options={statements: simple}",
    ]
    told = dry(checkout, *words)
    found = origins(told)

    def line(text: str, file: Path = profile) -> int:
        return next(number for number, one in enumerate(file.read_text().splitlines(), 1) if text in one)

    shown = "taurus/profiles/smoke.yml"
    assert found["execution.0.concurrency"] == {"file": shown, "line": line("concurrency:")}
    assert found["reporting.1.criteria.1"] == {"file": shown, "line": line("p99>250ms")}
    assert found["execution.0.throughput"] == {"option": "--rate"}
    assert found["execution.0.warm-up"] == {"option": "-o"}
    assert found["target.options.statements"] == {"option": "-o target.options"}
    target = checkout.root / "taurus" / "targets" / "postgresql.yml"
    assert found["target.url"] == {"file": "taurus/targets/postgresql.yml", "line": line("url:", target)}
    assert found["execution.0.verification"] == found["workload.data.tenants"] == {"default": True}
    assert found["scenarios.mix.mix.insert"]["file"] == "taurus/workloads/document-store.yml"
    values = {value["key"]: value["value"] for value in told["configuration"]}
    assert (values["execution.0.throughput"], values["execution.0.verification"]) == (150, "all")
    assert not [key for key in values if key.startswith(("scenarios.insert", "settings", "cli"))]


def test_the_defaults_are_those_that_hold(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is given them all has the same effective configuration as one that is given none."""
    monkeypatch.chdir(checkout.root)
    told = dry(checkout, "-t", "noop", "-p", "steady", "-o", "execution.0.statement-timeout=")
    given = [
        f"{value['key']}={value['value']}"
        for value in told["configuration"]
        if value["origin"] == {"default": True} and value["key"].startswith(("execution.", "workload.seed"))
    ]
    assert len(given) >= 5
    plain, full = (
        effective.build(checked_of("execution.0.statement-timeout=", *more, profile="steady"), "id", None, "steady")
        for more in ([], given)
    )
    assert plain == full


def test_plan_samples_and_time_of_the_open_model(checkout: Checkout) -> None:
    criteria = "reporting.1.criteria=[fail>1% for 5s, p99.9 of delete>5ms, p99>250ms, p99 of delete>1s for 10s]"
    told = dry(checkout, "-t", "postgresql", "-o", criteria, "--rate", "0.3k", FAKE_DATA="partial")
    plan = told["plan"]
    assert plan["model"] == "open" and plan["seconds"] == 60
    arrivals = {part["name"]: part["arrivals"] for part in plan["segments"]}
    assert arrivals == pytest.approx({"warm-up": 1500, "ramp": 750, "hold": 15_000})
    assert plan["arrivals"] == pytest.approx(17_250)
    live, tail, whole, brief = told["criteria"]
    assert (brief["expected"], brief["needed"], brief["too_few"]) == (pytest.approx(150), 1000, True)
    assert (live["expected"], live["per"], live["too_few"]) == (pytest.approx(1500), "5 s", False)
    assert (tail["expected"], tail["needed"], tail["too_few"]) == (pytest.approx(750), 10_000, True)
    assert (whole["expected"], whole["needed"], whole["too_few"]) == (pytest.approx(15_000), 1000, False)
    assert told["data"]["to_load"] == 600 and "600 documents would be loaded: 400 of 1,000" in told["data"]["text"]
    times = told["time"]
    assert times["run_seconds"] == 60 and times["load_seconds"] > 0 and times["verification_seconds"] > 0
    parts = [times[f"{part}_seconds"] for part in ("load", "run", "verification", "start_and_report")]
    assert times["total_seconds"] == pytest.approx(sum(parts))


def test_the_p99_of_each_step_needs_samples_too(checkout: Checkout) -> None:
    words = ["-t", "noop", "-p", "max-capacity", "-o", "execution.0.throughput=100", "-o", "execution.0.ramp-up=100s"]
    (limit,) = dry(checkout, *words)["criteria"]
    assert limit["per"] == "each step" and limit["too_few"] is True
    assert (limit["expected"], limit["needed"]) == (pytest.approx(100), 1000)
    code, output = checkout.run("run", "--dry-run", *words)
    assert code == 0 and "the limit holds if the maximum is within it" in output
    assert "the criterion is missed" not in output


def test_without_steps_a_limit_judges_the_whole_run(checkout: Checkout) -> None:
    """Mutation: limits of steps alone."""
    (_, _, limit) = dry(checkout, "-t", "noop", "-o", "execution.0.limits={p99: 50ms}", "--duration", "2s")["criteria"]
    assert (limit["per"], limit["is_limit"], limit["too_few"]) == ("the run", True, True)
    assert limit["expected"] == pytest.approx(600)


def test_the_closed_model_has_no_arrivals(checkout: Checkout) -> None:
    told = dry(checkout, "-t", "noop", "-p", "closed")
    assert told["plan"]["arrivals"] is None and told["plan"]["seconds"] == 60
    assert told["criteria"][0]["expected"] is None and told["criteria"][0]["too_few"] is False
    code, output = checkout.run("run", "--dry-run", "-t", "noop", "-p", "closed")
    assert code == 0 and "as many as the workers achieve" in output


@pytest.mark.parametrize(
    ("state", "code", "text"),
    [
        ("none", 0, "1,000 documents would be loaded: no data exists yet"),
        ("complete", 0, "nothing would be loaded: all 1,000 documents were loaded before"),
        ("refused", 1, "a run would be refused: the data set is dirty"),
    ],
)
def test_what_the_server_has(checkout: Checkout, state: str, code: int, text: str) -> None:
    ended, output = checkout.run("run", "--dry-run", "-t", "postgresql", FAKE_DATA=state)
    assert ended == code and f"data     {text}" in output


def test_a_server_that_does_not_answer_is_said_so(checkout: Checkout) -> None:
    code, output = checkout.run("run", "--dry-run", "-t", "postgresql", FAKE_CHILD="data-state-error")
    assert code == 0
    assert "data     not known: cannot ask the server: data-state does not work" in output
    assert "load not known" in output


@pytest.mark.parametrize("key", ["target.options.compressor", "target.user", "target.server-ram"])
def test_what_the_server_refuses_is_refused_here_too(key: str, checkout: Checkout) -> None:
    code, output = checkout.run("run", "--dry-run", "-t", "postgresql", FAKE_CHILD=f"refuses-{key}")
    assert code == 1, output
    assert "data     a run would be refused: " in output and f"{key}: is not taken; leave it out" in output


def test_a_server_that_does_not_answer_refuses_nothing(checkout: Checkout) -> None:
    code, output = checkout.run("run", "--dry-run", "-t", "postgresql", FAKE_CHILD="refuses-target.url")
    assert code == 0 and "data     not known: cannot ask the server: " in output


def test_an_embedded_server_is_not_started(checkout: Checkout) -> None:
    """Mutation: start it to ask."""
    code, output = checkout.run("run", "--dry-run")
    assert code == 0 and "1,234 documents would be loaded: the embedded server has no data on disk yet" in output
    data = checkout.root / ".shardload" / "data" / "embedded-postgresql"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("18")
    code, output = checkout.run("run", "--dry-run")
    assert code == 0 and "not known: .shardload/data/embedded-postgresql contains data" in output
    assert "start-embedded" not in [request["verb"] for request in checkout.requests]
    checkout.run("run", *LOAD)
    code, output = checkout.run("run", "--dry-run")
    assert code == 0 and f"probably nothing would be loaded: run {checkout.bundle.name}" in output
    code, output = checkout.run("run", "--dry-run", "--seed", "7")
    assert code == 0 and "a run would probably be refused: run " in output


def test_a_search_names_its_limits_and_its_length(checkout: Checkout) -> None:
    """Mutation: look at the criteria alone."""
    code, output = checkout.run("run", "--dry-run", "-p", "find-capacity")
    assert code == 0, output
    assert "no criteria: the limits judge the run (errors 1%, p99 50ms)" in output
    assert "a search: this is its first run; the others have other rates\n" in output
    # 12 s of start and report, 35 s of load.
    assert "\ntime     about 11:46 to 18:50 (15 to 24 runs), at most 1:00:00 after the load\n" in output


def test_the_time_of_a_search_follows_its_keys(checkout: Checkout) -> None:
    """Mutations: the time of the first run; a fixed number of runs."""
    words = ("-t", "noop", "-p", "find-capacity", "--max-duration", "5m", "-o", "search.repeats=1")
    code, output = checkout.run("run", "--dry-run", *words)
    assert code == 0, output
    assert "\ntime     about 8:38 to 14:07 (11 to 18 runs), at most 5:00 after the load\n" in output


@pytest.mark.parametrize("columns", [80, 200])
def test_the_page_fits_its_columns(checkout: Checkout, columns: int) -> None:
    limit = "p99.9 of find-by-id-and-filter4-and-filter5-list>250ms for 10s, continue as failed"
    words = ["-t", "noop", "-p", "max-capacity", "-o", f"reporting.1={{module: passfail, criteria: ['{limit}']}}"]
    code, output = checkout.run("run", "--dry-run", *words, COLUMNS=str(columns))
    assert code == 0, output
    lines = output.splitlines()
    wide = [line for line in lines if len(line) >= columns and limit not in line]
    assert wide == []
    assert any(re.search(r"^  throughput: 5000 +# max-capacity.yml:7$", line) for line in lines), output
    assert any(re.search(r"^  warm-up: 30s +# max-capacity.yml:\d+$", line) for line in lines)
    assert "# 10 other scenarios are not used" in lines
    assert not [line for line in lines if line.endswith(" ")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--dry-run", "--repeat", "2"],
            "--dry-run: one run is shown; leave out --repeat, --interleave-with and --vary",
        ),
        (["--dry-run", "--results", "x"], "--dry-run: nothing is written; leave out --results"),
        (
            ["--no-load", "--vary", "schema.index=hash,btree"],
            "--no-load: a series loads the data again before each run",
        ),
        (
            ["--dry-run", "-o", "reporting.1.criteria.0=p99 of insrt>5ms"],
            'unknown transaction "insrt"; did you mean "insert"?',
        ),
    ],
)
def test_what_a_dry_run_refuses(checkout: Checkout, words: list[str], message: str) -> None:
    code, output = checkout.run("run", "-t", "noop", *words)
    assert code == 1 and message in output, output
    assert leftovers(checkout) == []


# --- without a load


def test_without_a_load_a_run_goes_by_what_is_there(checkout: Checkout) -> None:
    code, output = checkout.run("run", "-t", "noop", "--no-load", *LOAD)
    assert code == 0, output
    verbs = [request["verb"] for request in checkout.requests]
    assert verbs.index("data-state") < verbs.index("schema")


@pytest.mark.parametrize(
    ("state", "message", "command"),
    [
        ("none", "--no-load: the data set does not exist", "to load 1,000 documents"),
        ("partial", "--no-load: only 400 of 1,000 documents are there", "to load 600 documents"),
    ],
)
def test_missing_documents_are_refused_with_the_command(
    checkout: Checkout, state: str, message: str, command: str
) -> None:
    """Mutation: ask after the tables were made."""
    words = ["-t", "postgresql", "--no-load", "-o", "workload.data.documents=1000"]
    code, output = checkout.run("run", *words, *LOAD, FAKE_DATA=state)
    assert code == 1, output
    chosen = "--target postgresql --workload document-store -o workload.data.documents=1000"
    assert output.splitlines()[-3:] == [f"shardload: {message}", f"  {command}:", f"    ./shardload load {chosen}"]
    assert "schema" not in [request["verb"] for request in checkout.requests]
    assert leftovers(checkout) == []


def test_a_dry_run_without_a_load_says_that_it_would_be_refused(checkout: Checkout) -> None:
    code, output = checkout.run("run", "--dry-run", "--no-load", "-t", "postgresql", FAKE_DATA="partial")
    assert code == 1 and "with --no-load the run is refused" in output
    assert checkout.run("run", "--dry-run", "--no-load", "-t", "postgresql")[0] == 0


def test_a_fault_without_time_to_recover_is_a_warning(checkout: Checkout) -> None:
    """Turned red by a place of another section."""
    told = dry(checkout, "-p", "faults", "--rate", "50")
    assert told["warnings"] == [
        "taurus/profiles/faults.yml: faults: the recovery from stop cannot be measured: 3 windows of 1,000 calls take "
        "60 s at 50/s, and 25 s after its end the load ends; hold-for must be 35 s longer, or throughput at least 125"
    ]
    assert dry(checkout, "-p", "faults")["warnings"] == []
