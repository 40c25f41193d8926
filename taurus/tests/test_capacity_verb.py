"""A search as a user calls it: real processes with fakes in place of Java. A run passes up to the rate FAKE_KNEE."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.conftest import Checkout
from tests.test_ci_results import members

KNEE = "25"
# 20 is good, 40 and 28.3 are bad; one repeat confirms each end.
RATES = [20, 40, 28.3, 20, 28.3]
WORDS = (
    "run", "--target", "noop", "--profile", "find-capacity", "--rate", "20",
    *(part for option in (
        "search.precision=50%", "search.repeats=1", "execution.0.limits={errors: 1%}", "execution.0.concurrency=4",
        "execution.0.warm-up=1s", "execution.0.hold-for=1s",
    ) for part in ("-o", option)),
)  # fmt: skip


def folder_of(checkout: Checkout) -> Path:
    (file,) = (checkout.root / "runs").glob("*/search.json")
    return file.parent


def record_of(checkout: Checkout) -> dict[str, Any]:
    return dict(json.loads((folder_of(checkout) / "search.json").read_text()))


def test_a_search_is_handed_over_listed_and_removed_as_a_whole(checkout: Checkout) -> None:
    """What a Jenkins job does, and then a user who finds the search again.

    Turned red by each of these: the record without labels; note_run left out; results without the branch for searches.
    """
    labels = ("--name", "knee", "--tag", "build=7", "--note", "a try")
    code, output = checkout.run(*WORDS, *labels, "--results", "out", FAKE_KNEE=KNEE)
    assert code == 0, output
    first, *told = output.splitlines()
    assert first.startswith("load     1,000 of 1,000 documents"), "the load shows itself before the first run"
    assert told[:2] == ["run 1: 20/s, the start rate", "  good: 20/s, achieved 20.0/s, p99 20.0 ms"]
    assert "capacity between 20/s and 28.3/s" in told

    search, written = folder_of(checkout), record_of(checkout)
    assert search.name.endswith("-noop-find-capacity-knee")
    assert (written["name"], written["tags"], written["note"]) == ("knee", {"build": "7"}, "a try")
    assert ([run["rate"] for run in written["runs"]], written["exit"]) == (RATES, 0)
    bundles = [checkout.root / "runs" / run["bundle"] for run in written["runs"]]
    for number, bundle in enumerate(bundles, 1):
        run = json.loads((bundle / "run.json").read_text())["run"]
        assert (run["series"], run["name"], run["tags"]) == (f"{search.name}/{number}", "knee", {"build": "7"})

    assert (checkout.root / "out" / "run").read_text() == f"{search.name}\n"
    assert checkout.run("results", "out") == (0, f"{DESCRIPTION}\n")
    out = checkout.root / "out"
    assert (out / "description.txt").read_text() == f"{DESCRIPTION}\n"
    assert checkout.requests[-1]["static_into"] == str(out / "search")
    assert members(out / f"{search.name}.tar.gz") >= {f"{search.name}/search.json", f"{bundles[4].name}/run.json"}
    (suite,) = ElementTree.parse(out / "junit.xml").getroot()
    (case,) = suite
    assert (suite.get("name"), case.get("classname")) == (
        "search",
        "shardload.noop.document-store.find-capacity.search",
    )
    assert (case.get("name"), [part.tag for part in case]) == ("capacity", ["system-out"])

    (row,) = json.loads(checkout.run("runs", "--tag", "build=7", "--json")[1])
    assert (row["run"], row["kind"], row["verdict"], row["runs"]) == (search.name, "search", "ok", 5)
    assert (row["capacity"], row["p99_ns"]) == ({"low_per_second": 20, "high_per_second": 28.3}, 20_000_000)
    (_, line) = checkout.run("runs")[1].splitlines()
    assert line.split() == [
        search.name, *line.split()[1:3], "noop", "document-store/find-capacity", "x5", "ok", "20-28.3", "20.0", "ms",
        "knee", "build=7",
    ]  # fmt: skip
    assert len(checkout.run("runs", "--each")[1].splitlines()) == 1 + 1 + 5
    assert checkout.run("runs", "open", "knee", "--print") == (0, f"{search / 'search.html'}\n")
    (search / "search.html").unlink()
    assert checkout.run("report", "knee")[0] == 0
    assert (search / "search.html").read_text() == "<p>capacity between 20/s and 28.3/s</p>"
    assert checkout.run("report", "knee", "--static", str(out / "page"))[0] == 0
    assert checkout.requests[-1]["static_into"] == str(out / "page")
    code, output = checkout.run("compare", "knee")
    assert (code, output) == (
        1,
        f"shardload: {search.name} is a search, whose runs have different rates; name two of its runs\n",
    )
    code, output = checkout.run("history", "--add-from", "out", "--runs", str(checkout.root / "kept"))
    assert (code, list((checkout.root / "kept").iterdir())) == (0, []), output
    assert output.startswith(f"{search.name} is a search: the history does not keep its runs\n")

    assert "no terminal to ask on" in checkout.run("runs", "rm", "knee")[1]
    assert search.exists()
    code, output = checkout.run("runs", "rm", "knee", "--yes")
    assert code == 0 and output.splitlines()[-1].startswith("removed 6 folders"), output
    assert list((checkout.root / "runs").iterdir()) == []


DESCRIPTION = "ok: capacity 20 to 28.3/s, p99 20.0 ms at 20/s, 5 runs"


def test_json_has_the_lines_of_the_runs_and_then_the_answer(checkout: Checkout) -> None:
    """Mutation: the lines for people on standard output as well."""
    more = ("--json", "-o", "search.max-rate=20")
    ended = subprocess.run(
        [sys.executable, "-m", "shardload", *WORDS, *more],
        cwd=checkout.root, env={**checkout.environment, "FAKE_KNEE": KNEE}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    kinds = [line["type"] for line in lines]
    assert [kind for kind in kinds if kind != "second"] == ["run", "end", "run", "end", "search"]
    assert lines[0] == {"type": "run", "number": 1, "rate": 20.0, "why": "the start rate"}
    assert kinds[1] == "second" and kinds.count("second") >= 4
    answer = lines[-1]
    assert (answer["ended"], answer["exit_code"], answer["low"]["rate"], answer["high"]) == ("max-rate", 0, 20.0, None)
    assert answer["folder"] == str(folder_of(checkout)) and "runs" not in answer
    assert "run 2: 20/s, a repeat, to confirm the good rate" in ended.stderr
    assert "capacity at least 20/s: no run failed up to max-rate" in ended.stderr


def test_quiet_prints_the_answer_alone(checkout: Checkout) -> None:
    code, output = checkout.run(*WORDS, "--quiet", "-o", "search.max-rate=20", FAKE_KNEE=KNEE)
    assert code == 0
    page = folder_of(checkout) / "search.html"
    assert output.splitlines() == ["capacity at least 20/s: no run failed up to max-rate", f"page     {page}"]


def test_no_load_refuses_before_the_first_run_and_reaches_each_run(checkout: Checkout) -> None:
    code, output = checkout.run(*WORDS, "--no-load", FAKE_DATA="partial", FAKE_KNEE=KNEE)
    assert code == 1 and output.startswith("shardload: --no-load: only 400 of 1,000 documents are there\n"), output
    assert not (checkout.root / "runs").exists()
    code, output = checkout.run(*WORDS, "--no-load", "-o", "search.max-rate=20", FAKE_KNEE=KNEE)
    assert code == 0, output
    verbs = [request["verb"] for request in checkout.requests]
    assert verbs.count("data-state") == 1 + 1 + 2, "the search that was refused, this one and its two runs"


@pytest.mark.parametrize("fault", ["size-error", "schema-error", "load-error"])
def test_what_the_server_refuses_leaves_nothing(checkout: Checkout, fault: str) -> None:
    code, output = checkout.run(*WORDS, "--results", "out", FAKE_CHILD=fault, FAKE_KNEE=KNEE)
    assert code == 1 and f"{fault.partition('-')[0]} does not work" in output
    assert not (checkout.root / "runs").exists()
    assert checkout.run("results", "out") == (0, "nothing was started\n")


def test_a_signal_while_the_data_are_loaded_begins_no_run(checkout: Checkout) -> None:
    process = checkout.start(*WORDS, FAKE_CHILD="slow-load")
    checkout.wait_for_requests("load")
    process.send_signal(signal.SIGINT)
    code, output = checkout.end_of(process)
    assert (code, output.splitlines()[-1]) == (
        2, "the search was interrupted before its first run; the next one continues the load",
    ), output  # fmt: skip
    assert not (checkout.root / "runs").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_was_found_so_far(checkout: Checkout, number: signal.Signals) -> None:
    process = checkout.start(*WORDS, "--results", "out", FAKE_KNEE="1000000")
    checkout.wait_for_requests("begin", 2)
    process.send_signal(number)
    code, output = checkout.end_of(process)
    assert code == 2, output
    text = "capacity at least 20/s (not confirmed): the search was interrupted"
    assert text in output.splitlines()
    written = record_of(checkout)
    assert (written["state"], written["ended"], written["exit"]) == ("interrupted", "interrupted", 2)
    assert [run["rate"] for run in written["runs"]] == [20]
    assert (folder_of(checkout) / "search.html").read_text() == f"<p>{text}</p>"
    assert checkout.run("results", "out") == (0, "interrupted: capacity at least 20/s, p99 20.0 ms at 20/s, 1 run\n")
    (case,) = next(iter(ElementTree.parse(checkout.root / "out" / "junit.xml").getroot()))
    assert [(part.tag, part.text) for part in case] == [("error", text)]
    both = [path.name for path in (checkout.root / "runs").glob("*/run.json") for path in [path.parent]]
    assert len(both) == 2 and {f"{name}/run.json" for name in both} < members(
        checkout.root / "out" / f"{folder_of(checkout).name}.tar.gz"
    ), "the run that was cut off is kept too"


def test_a_search_that_finds_nothing_is_a_failure_and_an_invalid_one_an_error(checkout: Checkout) -> None:
    search = checkout.root / "runs" / "s"
    search.mkdir(parents=True)
    out = checkout.root / "out"
    out.mkdir()
    (out / ".shardload-results").touch()
    (out / "run").write_text("s\n")
    high = {"rate": 50.0, "confirmed": True, "good": 0, "bad": 4}
    for code, part, line in (
        (3, "failure", "missed"),
        (4, "failure", "wrong"),
        (5, "error", "invalid"),
        (None, "error", "interrupted"),
    ):
        record: dict[str, Any] = {
            "exit": code,
            "text": "why" if code else None,
            "low": None,
            "high": high,
            "runs": [],
            "target": "t",
        }
        (search / "search.json").write_text(json.dumps(record))
        assert checkout.run("results", "out") == (0, f"{line}: capacity below 50/s, 0 runs\n")
        (case,) = next(iter(ElementTree.parse(out / "junit.xml").getroot()))
        text = "why" if code else "the search was cut off before its end"
        assert [(found.tag, found.get("message")) for found in case] == [(part, text)]
