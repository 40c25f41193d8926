"""A search as a user calls it: real processes with fakes in place of Java. A run passes up to the rate FAKE_KNEE."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
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


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """Return a checkout with a search as a Jenkins job makes it; its output is in the file told."""
    made = Checkout(tmp_path_factory.mktemp("found") / "checkout")
    labels = ("--name", "knee", "--tag", "build=7", "--note", "a try")
    code, output = made.run(*WORDS, *labels, "--results", "out", FAKE_KNEE=KNEE)
    assert code == 0, output
    (made.root / "told").write_text(output)
    yield made
    assert made.wait_until_gone() == []


def test_shows_the_load_before_the_first_run_and_then_each_run(searched: Checkout) -> None:
    first, *told = (searched.root / "told").read_text().splitlines()
    assert first.startswith("load     1,000 of 1,000 documents")
    assert told[:2] == [
        "run 1: 20/s, the start rate: good, achieved 20.0 of 20.0/s, p99 20.0 ms",
        "run 2: 40/s, twice the last good rate: bad, achieved 40.0 of 40.0/s, p99 40.0 ms: p99 40 ms",
    ]
    assert "capacity between 20/s and 28.3/s" in told and len(told) == 5 + 2, "one line for each run"
    log = (folder_of(searched) / "runs.log").read_text()
    assert log.count("data     1,000 documents loaded") == 5 and log.count("verdict ") == 5


def test_what_the_user_called_it_reaches_the_search_and_its_runs(searched: Checkout) -> None:
    """Mutation: the record without labels."""
    search, written = folder_of(searched), record_of(searched)
    assert search.name.endswith("-noop-find-capacity-knee")
    assert (written["name"], written["tags"], written["note"]) == ("knee", {"build": "7"}, "a try")
    assert ([run["rate"] for run in written["runs"]], written["exit"]) == (RATES, 0)
    for number, entry in enumerate(written["runs"], 1):
        run = json.loads((searched.root / "runs" / entry["bundle"] / "run.json").read_text())["run"]
        assert (run["series"], run["name"], run["tags"]) == (f"{search.name}/{number}", "knee", {"build": "7"})


def test_results_has_description_junit_page_and_archive(searched: Checkout) -> None:
    """Mutations: note_run left out; results without the branch for searches."""
    search, out = folder_of(searched), searched.root / "out"
    assert (out / "run").read_text() == f"{search.name}\n"
    told = "ok: capacity 20 to 28.3/s, p99 20.0 ms at 20/s, 5 runs\n"
    assert searched.run("results", "out") == (0, told)
    assert (out / "description.txt").read_text() == told
    assert searched.requests[-1]["static_into"] == str(out / "search")
    last = record_of(searched)["runs"][-1]["bundle"]
    assert members(out / f"{search.name}.tar.gz") >= {f"{search.name}/search.json", f"{last}/run.json"}
    (suite,) = ElementTree.parse(out / "junit.xml").getroot()
    (case,) = suite
    assert (suite.get("name"), case.get("name")) == ("search", "capacity")
    assert case.get("classname") == "shardload.noop.document-store.find-capacity.search"
    assert [part.tag for part in case] == ["system-out"]


def test_is_one_row_of_the_table(searched: Checkout) -> None:
    search = folder_of(searched)
    (row,) = json.loads(searched.run("runs", "--tag", "build=7", "--json")[1])
    assert (row["run"], row["kind"], row["verdict"], row["runs"]) == (search.name, "search", "ok", 5)
    assert (row["capacity"], row["p99_ns"]) == ({"low_per_second": 20, "high_per_second": 28.3}, 20_000_000)
    (_, line) = searched.run("runs")[1].splitlines()
    assert line.split() == [
        search.name, *line.split()[1:3], "noop", "document-store/find-capacity", "x5", "ok", "20-28.3", "20.0", "ms",
        "build=7",
    ]  # fmt: skip
    assert len(searched.run("runs", "--each")[1].splitlines()) == 1 + 1 + 5


def test_its_page_is_opened_and_drawn_again(searched: Checkout) -> None:
    page = folder_of(searched) / "search.html"
    assert searched.run("runs", "open", "knee", "--print") == (0, f"{page}\n")
    page.unlink()
    assert searched.run("report", "knee")[0] == 0
    assert page.read_text() == "<p>capacity between 20/s and 28.3/s</p>"
    into = searched.root / "page"
    assert searched.run("report", "knee", "--static", str(into))[0] == 0
    assert searched.requests[-1]["static_into"] == str(into)


def test_what_takes_single_runs_takes_no_search(searched: Checkout) -> None:
    name = folder_of(searched).name
    code, output = searched.run("compare", "knee")
    assert (code, output) == (
        1, f"shardload: {name} is a search, whose runs have different rates; name two of its runs\n",
    )  # fmt: skip
    code, output = searched.run("export", "knee", "--format", "json")
    assert (code, output) == (1, f"shardload: {name} is a search; export takes one run\n")
    kept = searched.root / "kept"
    code, output = searched.run("history", "--add-from", "out", "--runs", str(kept))
    assert (code, list(kept.iterdir())) == (0, []), output
    assert output.startswith(f"{name} is a search: the history does not keep its runs\n")


def test_is_removed_with_its_runs_after_asking(searched: Checkout) -> None:
    runs = shutil.copytree(searched.root / "runs", searched.root / "copy")
    code, output = searched.run("runs", "rm", "knee", SHARDLOAD_BUNDLES=str(runs))
    assert code == 1 and "no terminal to ask on" in output
    assert len(list(runs.iterdir())) == 6
    code, output = searched.run("runs", "rm", "knee", "--yes", SHARDLOAD_BUNDLES=str(runs))
    assert code == 0 and output.splitlines()[-1].startswith("removed 6 folders"), output
    assert list(runs.iterdir()) == []


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


def test_a_terminal_shows_the_run_under_way_as_the_run_would(checkout: Checkout) -> None:
    """Mutations: no look at the run; the second run without what the first one showed."""
    leader, follower = pty.openpty()
    words = [word.replace("hold-for=1s", "hold-for=4s") for word in WORDS]
    process = subprocess.Popen(
        [sys.executable, "-m", "shardload", *words, "-o", "search.max-rate=20"],
        cwd=checkout.root, stdout=follower, stderr=follower, stdin=subprocess.DEVNULL,
        env={**checkout.environment, "FAKE_KNEE": KNEE, "TERM": "xterm", "COLUMNS": "80", "NO_COLOR": "1"},
    )  # fmt: skip
    os.close(follower)
    output = b""
    with contextlib.suppress(OSError):  # Linux: the other side is closed
        while part := os.read(leader, 4096):
            output += part
    os.close(leader)
    assert process.wait(60) == 0
    lines = re.sub(r"\x1b\[\d*[A-Z]", "", output.decode()).replace("\r", "").splitlines()
    first, second = (
        lines.index(line) for line in ("run 1: 20/s, the start rate", "run 2: 20/s, a repeat, to confirm the good rate")
    )
    for begin, known in (first, "so far unknown"), (second, "so far at least 20/s"):
        shown = lines[begin:second] if begin == first else lines[second:]
        assert re.fullmatch(rf"{known}, at most 59:\d\d left", shown[1]), shown[1]
        assert "starting" in shown and "verifying" in shown
        assert any(re.fullmatch(r"hold      ━+─* +0:0\d left", line) for line in shown), shown
        assert any(re.fullmatch(r"rate      \S+ +20\.0 of 20\.0/s", line) for line in shown), shown
    assert "run 1: 20/s, the start rate: good, achieved 20.0 of 20.0/s, p99 20.0 ms" in lines
    assert f"page     {folder_of(checkout).relative_to(checkout.root)}/search.html" in lines


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
