"""The verb runs: the table, its filters, removal and opening, and the names that other verbs take."""

from __future__ import annotations

import fcntl
import io
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from shardload.cli import main
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.results.lookup import abbreviated, hold, is_held
from shardload.terminal import Terminal
from shardload.verbs.compare import find_run
from shardload.verbs.runs import verb
from shardload.verbs.runs.rows import read_since, rows_of

VERDICTS = {"ok": 0, "missed": 3, "invalid": 5}


class Runs:
    """A checkout with bundles as a run leaves them, without their measurements."""

    def __init__(self, root: Path) -> None:
        self.places = Places(root)
        self.folder = self.places.runs

    def add(
        self,
        run_id: str,
        target: str = "citus",
        verdict: str | None = "ok",
        rate: float = 812.25,
        series: str | None = None,
        begun: bool | None = None,
        **labels: Any,
    ) -> Path:
        bundle = self.folder / run_id
        bundle.mkdir(parents=True)
        run = {"id": run_id, "profile": "steady", **labels, **({"series": series} if series else {})}
        config = {"run": run, "target": {"name": target}, "workload": {"name": "document-store"}}
        (bundle / "run.json").write_text(json.dumps(config))
        if verdict is not None:
            headline = {"achieved_per_second": rate, "latency_ns": {"p99": 12_340_000}}
            judged = {"verdict": {"code": VERDICTS[verdict], "name": verdict}, "headline": headline}
            (bundle / "summary.json").write_text(json.dumps(judged))
        if begun is not None:
            (bundle / "journal").mkdir()
            (bundle / "journal" / "begun.json").write_text(json.dumps({"run": run_id, "settled": begun}))
        return bundle

    def add_series(self, name: str, members: int, **labels: Any) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True)
        bundles = [
            self.add(f"20261122-0{number}0000-noop-steady", "noop", series=f"{name}/{number}", **labels)
            for number in range(1, members + 1)
        ]
        runs = [{"number": index, "bundle": path.name, "exit": 0} for index, path in enumerate(bundles, 1)]
        content = {"id": name, **labels, "state": "complete", "workload": "document-store", "profile": "steady"}
        content |= {"sides": [{"label": "A", "target": "noop"}], "runs": runs}
        (folder / "series.json").write_text(json.dumps(content))
        return folder


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.setenv("SHARDLOAD_ROOT", str(tmp_path))
    found = Runs(tmp_path)
    found.add("20261120-060000-citus-steady", tags={"build": "16"}, verdict="missed")
    found.add("20261121-060000-citus-steady-new-index", name="new-index", tags={"build": "17", "team": "a"}, rate=12345)
    found.add_series("20261122-000000-noop-series", 3)
    found.add("20261123-060000-ferretdb-steady", "ferretdb", verdict=None)
    return found


def listed(*words: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["runs", *words]) == 0
    return capsys.readouterr().out.splitlines()


def names(*words: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [row["run"] for row in json.loads("\n".join(listed("--json", *words, capsys=capsys)))]


def test_the_table_has_the_newest_last_and_a_series_in_one_line(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    title, *rows = listed(capsys=capsys)
    assert title.split() == ["run", "time", "(UTC)", "target", "workload/profile", "verdict", "rate/s", "p99", "tags"]
    stamps = ["20261120-060000", "20261121-060000", "20261122-000000", "20261123-060000"]
    assert [row.split()[0][:15] for row in rows] == stamps
    assert rows[1].split() == [
        "20261121-060000-citus-steady-new-index", "2026-11-21", "06:00", "citus", "document-store/steady", "ok",
        "12,345", "12.3", "ms", "build=17", "team=a",
    ]  # fmt: skip
    assert "document-store/steady x3" in rows[2]
    assert rows[2].split()[-3:] == ["812.2", "12.3", "ms"], "the medians of its runs"
    assert "unfinished" in rows[3] and " - " in rows[3]


def test_times_are_those_of_utc(
    runs: Runs, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names of folders have the local time: here, five hours before that of UTC."""
    monkeypatch.setenv("TZ", "XYZ+5")
    time.tzset()
    try:
        _, first, *_ = listed(capsys=capsys)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert first.split()[:3] == ["20261120-060000-citus-steady", "2026-11-20", "11:00"]


def test_the_figures_of_a_series_are_medians_of_its_valid_runs(runs: Runs) -> None:
    file = runs.folder / "20261122-000000-noop-series" / "series.json"
    content = json.loads(file.read_text())
    for run, rate, code in zip(content["runs"], (100.0, 300.0, 900.0), (0, 3, 5)):
        summary = runs.folder / run["bundle"] / "summary.json"
        summary.write_text(summary.read_text().replace("812.25", str(rate)))
        run["exit"] = code
    file.write_text(json.dumps(content))
    (row,) = [row for row in rows_of(runs.folder, False) if row["kind"] == "series"]
    assert (row["achieved_per_second"], row["p99_ns"]) == (200.0, 12_340_000)
    content["sides"].append({"label": "B", "target": "other"})
    file.write_text(json.dumps(content))
    (row,) = [row for row in rows_of(runs.folder, False) if row["kind"] == "series"]
    assert row["achieved_per_second"] is None, "one figure for two sides means nothing"


@pytest.mark.parametrize("width", [80, 100, 119])
def test_a_line_is_never_wider_than_the_terminal(runs: Runs, width: int) -> None:
    """Turned red by leaving _fit out: the long target and tags take 130 columns."""
    runs.add("20261124-060000-t", "a-target-with-a-long-name-" * 3, tags={"k" * 30: "v" * 90}, name="n" * 60)
    runs.add("20261124-060000-tt", rate=1234567.0)
    lines = list(verb.table(rows_of(runs.folder, True), Terminal(io.StringIO()), width))
    assert max(map(len, lines)) <= width
    handles = [line.split()[0] for line in lines[1:]]
    assert len(set(handles)) == len(handles) == 9
    for handle in handles[:-2]:
        found = abbreviated(handle, runs.folder)
        assert found is not None and found.name.startswith(handle), "what the table shows names the run"


@pytest.mark.parametrize(
    ("words", "days"),
    [
        (["--tag", "build=17"], "1"),
        (["--tag", "build=17", "--tag", "team=b"], ""),
        (["--target", "noop"], "2"),
        (["--verdict", "missed"], "0"),
        (["--verdict", "ok"], "12"),
        (["--verdict", "unfinished"], "3"),
        (["--since", "2026-11-22"], "23"),
        (["--limit", "2"], "23"),
        (["--limit", "1", "--verdict", "ok"], "2"),
        (["--each", "--target", "noop"], "2222"),
    ],
)
def test_filters(runs: Runs, capsys: pytest.CaptureFixture[str], words: list[str], days: str) -> None:
    assert "".join(name[7] for name in names(*words, capsys=capsys)) == days


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--verdict", "mised"], '--verdict: unknown verdict "mised"; did you mean "missed"?'),
        (["--since", "x"], '--since: "x" is not a day or time span; write 2026-11-21, 7d or 2h'),
        (["--since", "2026-13-01"], '--since: "2026-13-01" is not a day of the calendar'),
        (["--limit", "0"], "--limit: 0 is not a number of runs; at least 1"),
        (["--tag", "x"], '--tag: has the form key=value, such as "--tag build=17"'),
        (["rm", "nope", "--yes"], 'unknown run "nope"'),
        (["rm", "new-index"], "runs rm: no terminal to ask on; --yes removes without asking"),
        (["rm", "2026112", "--yes"], '"2026112" is part of the name of 4 runs: '),
        (["open", "ferretdb"], "20261123-060000-ferretdb-steady has no report yet"),
    ],
)
def test_what_is_refused(runs: Runs, capsys: pytest.CaptureFixture[str], words: list[str], line: str) -> None:
    before = sorted(runs.folder.iterdir())
    assert main(["runs", *words]) == 1
    assert f"shardload: {line}" in capsys.readouterr().err
    assert sorted(runs.folder.iterdir()) == before


def test_a_time_span_counts_back_from_now() -> None:
    now = datetime(2026, 11, 23, 12)
    assert read_since("2d", now) == datetime(2026, 11, 21, 12)
    assert read_since("90m", now) == datetime(2026, 11, 23, 10, 30)


@pytest.mark.parametrize(
    ("text", "day"),
    [("new-index", "1"), ("20261121", "1"), ("ferretdb", "3"), ("noop-series", "2"), ("20261122-000000", "2")],
)
def test_a_part_of_the_name_is_enough_for_other_verbs(runs: Runs, text: str, day: str) -> None:
    assert find_run(text, runs.places).name[7] == day


def test_what_the_user_called_a_run_comes_first(runs: Runs) -> None:
    """Turned red by taking any part of the name first: both hold "new"."""
    named = runs.add("20261125-060000-citus-steady-new", name="new")
    assert find_run("new", runs.places) == named
    with pytest.raises(Problem, match="is part of the name of 3 runs"):
        find_run("citus", runs.places)
    with pytest.raises(Problem, match="unknown run"):
        find_run("20", runs.places)


def test_a_look_at_a_run_does_not_keep_the_run_from_marking_itself(tmp_path: Path) -> None:
    """A look takes the lock for a moment; a run that began in it was shown as unfinished as long as it lasted."""
    looking = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_EX)
    threading.Timer(0.2, os.close, [looking]).start()
    held = hold(tmp_path)
    assert held is not None and is_held(tmp_path)
    assert hold(tmp_path) is None, "two processes do not hold one folder"
    os.close(held)


def test_a_series_goes_with_its_runs(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "rm", "noop-series", "new-index", "--yes"]) == 0
    assert [path.name[7] for path in sorted(runs.folder.iterdir())] == ["0", "3"]
    assert "removed 5 folders" in capsys.readouterr().out


def test_nothing_is_removed_if_one_may_not_be(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    runs.add("20261126-000000-citus-dirty", begun=False)
    runs.add("20261126-000000-citus-clean", begun=True)
    before = len(list(runs.folder.iterdir()))
    assert main(["runs", "rm", "citus-clean", "citus-dirty", "--yes"]) == 1
    assert "20261126-000000-citus-dirty left its data set unsettled" in capsys.readouterr().err
    assert len(list(runs.folder.iterdir())) == before
    assert main(["runs", "rm", "citus-clean", "citus-dirty", "--yes", "--unsettled"]) == 0
    assert len(list(runs.folder.iterdir())) == before - 2


def test_a_server_without_data_leaves_nothing_unsettled(runs: Runs) -> None:
    bundle = runs.add("20261126-000000-noop-x", begun=False)
    assert verb.is_unsettled(bundle)
    (bundle / "environment.json").write_text('{"keeps_data": false}')
    assert not verb.is_unsettled(bundle)


def test_a_run_that_is_being_written_stays(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    """A process of its own holds the bundle, as a run does; killed, it leaves no mark behind."""
    bundle = runs.folder / "20261123-060000-ferretdb-steady"
    code = f"import sys\nfrom pathlib import Path\nfrom shardload.results.lookup import hold\nhold(Path({str(bundle)!r}))\nprint(1, flush=True)\nsys.stdin.read()"  # fmt: skip # noqa: E501
    writer = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.readline()
    assert is_held(bundle)
    assert names("--verdict", "running", capsys=capsys) == [bundle.name]
    assert main(["runs", "rm", bundle.name, "--yes"]) == 1
    assert f"{bundle.name} is still being written" in capsys.readouterr().err
    assert bundle.is_dir()
    writer.kill()
    writer.wait()
    assert not is_held(bundle)
    assert main(["runs", "rm", bundle.name, "--yes"]) == 0
    assert not bundle.exists()


def test_a_hold_reaches_no_child(runs: Runs) -> None:
    """A generator that outlives the run must not keep its bundle marked."""
    held = hold(runs.folder / "20261123-060000-ferretdb-steady")
    assert held is not None
    assert not os.get_inheritable(held)
    fcntl.flock(held, fcntl.LOCK_UN)
    os.close(held)


def test_a_folder_elsewhere_is_never_removed(runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = Runs(tmp_path / "kept").add("20261126-000000-citus-x")
    assert main(["runs", "rm", str(kept), "--yes"]) == 1
    assert "only runs there are removed" in capsys.readouterr().err
    assert kept.is_dir()


@pytest.mark.parametrize(("answer", "is_there"), [("y\n", False), ("n\n", True), ("\n", True), ("", True)])
def test_it_asks_on_a_terminal(runs: Runs, monkeypatch: pytest.MonkeyPatch, answer: str, is_there: bool) -> None:
    class Console(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Console(answer))
    assert main(["runs", "rm", "new-index"]) == (2 if is_there else 0)
    assert bool(list(runs.folder.glob("*new-index"))) is is_there


def test_open_prints_the_path_and_starts_the_opener(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = runs.folder / "20261121-060000-citus-steady-new-index" / "report.html"
    page.write_text("<html>")
    started: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **rest: started.append(command))
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name == "xdg-open" else None)
    monkeypatch.setattr(sys, "platform", "linux")
    assert main(["runs", "open", "new-index"]) == 0
    assert capsys.readouterr().out == f"{page}\n"
    assert started == [["/bin/xdg-open", str(page)]]
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["runs", "open", "new-index"]) == 0
    assert capsys.readouterr().out == f"{page}\n" and len(started) == 1


def test_an_empty_folder_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("SHARDLOAD_ROOT", str(tmp_path))
    assert main(["runs"]) == 0
    assert capsys.readouterr().out.startswith("no runs in ")


def test_damaged_bundles_do_not_hide_the_others(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    (runs.add("20261127-000000-x") / "run.json").write_text("{")
    (runs.add("20261128-000000-y") / "run.json").write_text('{"run": 1, "target": []}')
    assert len(listed(capsys=capsys)) == 7
