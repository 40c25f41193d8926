"""The verb history: keeping runs, and what the child is asked and shown."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from shardload.config.problem import Problem
from shardload.terminal import OWN, Terminal
from shardload.verbs.history.keep import build_of, drop_stale, keep
from shardload.verbs.history.verb import table
from tests.conftest import Checkout

JENKINS = {"BUILD_NUMBER": "7", "JOB_NAME": "shardload/citus", "BUILD_URL": "https://ci.example/job/7/"}
# What a CI that runs these tests has set.
CI = ("BUILD_NUMBER", "JOB_NAME", "BUILD_URL", "GITHUB_RUN_ID", "CI_JOB_URL")


def bundle(folder: Path, name: str, **run: object) -> Path:
    """Make a bundle as a run leaves it, large files among them."""
    made = folder / name
    (made / "latencies").mkdir(parents=True)
    (made / "run.json").write_text(json.dumps(run))
    for file in ("environment", "summary", "outcome", "verification"):
        (made / f"{file}.json").write_text(f'{{"is": "{file}"}}')
    for file in ("latencies/generator-0.hlog", "report.html", "hosts.json"):
        (made / file).write_text("large")
    return made


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    made = tmp_path / "kept"
    made.mkdir()
    return made


def test_only_the_small_files_of_a_run_are_kept(tmp_path: Path, runs: Path) -> None:
    assert keep(bundle(tmp_path, "one", a=1), runs, {}) is True
    kept = {path.name for path in (runs / "one").iterdir()}
    assert kept == {"run.json", "environment.json", "summary.json", "outcome.json", "verification.json"}
    assert (runs / "one" / "run.json").read_text() == '{"a": 1}'
    assert [path.name for path in runs.iterdir()] == ["one"], "nothing of the way is left"


def test_a_link_is_not_kept_as_the_file_that_it_leads_to(tmp_path: Path, runs: Path) -> None:
    made = bundle(tmp_path, "one")
    (tmp_path / "secret").write_text("password")
    (made / "outcome.json").unlink()
    (made / "outcome.json").symlink_to(tmp_path / "secret")
    with pytest.raises(Problem, match=r"outcome\.json is a link"):
        keep(made, runs, {})
    assert list(runs.iterdir()) == []


def test_a_run_is_kept_with_its_build_and_only_once(tmp_path: Path, runs: Path) -> None:
    made = bundle(tmp_path, "one")
    assert keep(made, runs, JENKINS) is True
    assert keep(made, runs, {**JENKINS, "BUILD_NUMBER": "8"}) is False
    assert json.loads((runs / "one" / "build.json").read_text()) == {
        "system": "jenkins",
        "number": "7",
        "url": "https://ci.example/job/7/",
    }
    assert keep(runs / "one", runs, {}) is False, "a folder of runs may be the checkout's own"


def test_another_or_a_damaged_run_of_the_name_is_not_replaced(tmp_path: Path, runs: Path) -> None:
    keep(bundle(tmp_path, "one", a=1), runs, {})
    other = bundle(tmp_path / "elsewhere", "one", a=2)
    with pytest.raises(Problem, match=r"kept/one is another run of the same name$"):
        keep(other, runs, {})
    for name in ("run.json", "summary.json"):
        (runs / "one" / name).unlink()
        with pytest.raises(Problem, match=r"kept/one is not whole: remove it, then add the run again$"):
            keep(other, runs, {})
    (tmp_path / "one" / "summary.json").unlink()
    with pytest.raises(Problem, match=r"^one has no summary.json: shardload report one judges it$"):
        keep(tmp_path / "one", runs, {})


def test_jobs_that_add_one_run_at_once_do_not_disturb_each_other(tmp_path: Path, runs: Path) -> None:
    """Mutation: copy into the run's own folder."""
    many = [bundle(tmp_path, f"run-{number}") for number in range(5)]
    results: list[bool] = []
    problems: list[Exception] = []
    ready = threading.Barrier(8)

    def add() -> None:
        ready.wait()
        for one in many:
            try:
                results.append(keep(one, runs, {}))
            except Exception as problem:
                problems.append(problem)

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert results.count(True) == 5 and len(results) == 40
    assert sorted(path.name for path in runs.iterdir()) == [f"run-{number}" for number in range(5)]
    assert all(len(list(path.iterdir())) == 5 for path in runs.iterdir())


def test_what_a_killed_job_left_is_removed_after_a_day(runs: Path) -> None:
    for name in (".adding-old", ".adding-new", "run"):
        (runs / name).mkdir()
    os.utime(runs / ".adding-old", (1000, 1000))
    os.utime(runs / ".adding-new", (2000, 2000))
    drop_stale(runs, 1000 + 86_401)
    assert sorted(path.name for path in runs.iterdir()) == [".adding-new", "run"]


def test_the_build_of_each_system() -> None:
    assert build_of({}) == {} == build_of({"BUILD_NUMBER": "7"})
    assert build_of({"BUILD_NUMBER": "7", "JOB_NAME": "a"}) == {"system": "jenkins", "number": "7", "url": ""}
    github = {"GITHUB_RUN_ID": "99", "GITHUB_RUN_NUMBER": "4", "GITHUB_SERVER_URL": "https://github.com"}
    assert build_of({**github, "GITHUB_REPOSITORY": "us/load"}) == {
        "system": "github",
        "number": "4",
        "url": "https://github.com/us/load/actions/runs/99",
    }
    gitlab = {"CI_JOB_URL": "https://gitlab.example/j/5", "CI_JOB_ID": "5"}
    assert build_of(gitlab) == {"system": "gitlab", "number": "5", "url": "https://gitlab.example/j/5"}


def figure(value: float, change: float | None = None, regression: bool = False, bound: str = "exact") -> dict[str, Any]:
    return {"value": value, "change_percent": change, "regression": regression, "bound": bound}


def point(name: str, code: int = 0, number: str = "", runs: int = 1, **figures: object) -> dict[str, Any]:
    build = {"system": "jenkins", "number": number, "url": ""} if number else None
    verdict = {"code": code, "name": {0: "ok", 3: "missed", 2: "interrupted"}[code], "reasons": []}
    all_figures = {"rps": None, "p99_ns": None, "capacity_per_second": None, **figures}
    started = "2026-11-22T01:05:49.123Z"
    about = {"name": name, "runs": [name] * runs, "started": started, "build": build}
    return {**about, "verdict": verdict, "figures": all_figures}


def curve(*points: dict[str, Any]) -> dict[str, Any]:
    return {"target": "citus", "workload": "document-store", "profile": "steady", "points": list(points)}


def plain(made: dict[str, Any], width: int) -> list[str]:
    with open(os.devnull, "w") as nowhere:
        return list(table(made, Terminal(nowhere), width))


def test_a_table_has_the_newest_run_first_and_fits_80_columns() -> None:
    long_name = "20261122-010549-embedded-postgresql-a-profile-with-a-long-name"
    made = curve(
        point(long_name, rps=figure(499.96, -0.04), p99_ns=figure(20e6, 3.14)),
        point("b", 3, "12", rps=figure(425, -15.2, True), p99_ns=figure(5e9, None, bound="at_least")),
        point("c", 2, "13", 3),
    )
    assert plain(made, 80) == [
        "citus, document-store, steady: 5 runs",
        "time (UTC)        verdict        RPS   change       p99  change  build",
        "2026-11-22 01:05  interrupted      -                  -          #13 (3 runs)",
        "2026-11-22 01:05  missed       425.0  -15.2%!  >=5.00 s          #12",
        "2026-11-22 01:05  ok           500.0   -0.0%    20.0 ms  +3.1%   20261122-01054…",
    ]
    assert all(len(line) <= 80 for line in plain(made, 80))
    assert plain(made, 200)[-1].endswith(f"  {long_name}")


def test_a_table_of_capacities_fits_80_columns_too() -> None:
    made = curve(
        *(
            point("x", number="123", rps=figure(99_999.5, -10.5), p99_ns=figure(123e6, 10.1), capacity_per_second=one)
            for one in (figure(99_999.5, -10.5, True), figure(100_000, None, bound="at_least"))
        )
    )
    assert plain(made, 80)[1:] == [
        "time (UTC)        verdict     p99   change  capacity/s   change  build",
        "2026-11-22 01:05  ok       123 ms  +10.1%    >=100,000           #123",
        "2026-11-22 01:05  ok       123 ms  +10.1%      100,000  -10.5%!  #123",
    ]


def test_colours_are_only_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    made = curve(point("x", 3, rps=figure(425, -15.2, True)))
    assert "\x1b" not in "".join(plain(made, 80))
    with open(os.devnull, "w") as nowhere:
        terminal = Terminal(nowhere)
        terminal.has_colour = True
        coloured = list(table(made, terminal, 80))[-1]
    assert f"{OWN}[33mmissed {OWN}[0m" in coloured and f"{OWN}[31m-15.2%!{OWN}[0m" in coloured


def ask(checkout: Checkout, *arguments: str, kept: str = "") -> tuple[int, str]:
    checkout.environment.update(dict.fromkeys(CI, ""))
    return checkout.run("history", *arguments, SHARDLOAD_RUNS=kept)


def test_the_folder_is_named_by_variable_or_option(checkout: Checkout, runs: Path) -> None:
    message = "shardload: history needs the folder where runs are kept: set SHARDLOAD_RUNS, or give --runs DIR\n"
    assert ask(checkout) == (1, message)
    assert ask(checkout, kept="/nowhere/at-all") == (1, "shardload: there is no folder /nowhere/at-all\n")
    code, output = ask(checkout, "--runs", str(runs), kept="/nowhere")
    assert (code, output) == (0, f"no runs in {runs} yet\n")
    (request,) = checkout.requests
    assert request["directory"] == str(runs) and request["percent"] == 10
    assert "added" not in request and "citus" in request["known"]["targets"]


def test_a_run_that_is_added_is_judged_and_its_regression_is_exit_code_3(checkout: Checkout, runs: Path) -> None:
    bundle(checkout.root / "runs", "slow")
    (checkout.root / "results").mkdir()
    (checkout.root / "results" / "run").write_text("slow\n")
    arguments = ("citus", "--add-from", "results", "--profile", "steady", "--page", "page")
    code, output = ask(checkout, *arguments, kept=str(runs))
    assert code == 0 and "REGRESSION  citus steady, slow: RPS" in output
    assert output.startswith(f"slow: added to {runs}\n") and output.endswith("page  page/index.html\n")
    (request,) = checkout.requests
    assert {key: request[key] for key in ("added", "target", "profile", "page", "bundles")} == {
        "added": ["slow"],
        "target": "citus",
        "profile": "steady",
        "page": str(checkout.root / "page"),
        "bundles": str(checkout.root / "runs"),
    }
    code, output = ask(checkout, *arguments, "--fail-on-regression", "12.5%", kept=str(runs))
    assert code == 3 and output.startswith(f"slow: is already in {runs}\n")
    assert checkout.requests[1]["percent"] == 12.5


def test_only_runs_with_a_name_and_tags_are_shown(checkout: Checkout, runs: Path) -> None:
    bundle(runs, "one", run={"name": "fast", "tags": {"build": "17", "team": "a"}})
    bundle(runs, "two", run={"tags": {"build": "17"}})
    bundle(runs, "three", run={"name": "fast"})
    for words, expected in (
        (["--tag", "build=17"], ["one", "two"]),
        (["--tag", "build=17", "--tag", "team=a"], ["one"]),
        (["--name", "fast"], ["one", "three"]),
        (["--name", "slow"], []),
    ):
        code, _ = ask(checkout, *words, kept=str(runs))
        assert code == 0 and checkout.requests[-1]["only"] == expected
    code, output = ask(checkout, "--tag", "build", kept=str(runs))
    assert (code, output) == (1, 'shardload: --tag: has the form key=value, such as "--tag build=17"\n')


def test_results_without_a_run_add_and_judge_nothing(checkout: Checkout, runs: Path) -> None:
    (checkout.root / "escaped").mkdir()
    (checkout.root / "escaped" / "run").write_text("..\n")
    for arguments in (("--add-from", "results"), ("--add-from", "taurus"), ("--add-from", "escaped")):
        code, output = ask(checkout, *arguments, "--fail-on-regression", "10", kept=str(runs / "new"))
        assert (code, output.splitlines()[0]) == (0, f"{arguments[1]} has no run: nothing is added")
        assert checkout.requests[-1]["added"] == []
    assert (runs / "new").is_dir()


def test_a_series_is_added_with_all_its_runs(checkout: Checkout, runs: Path) -> None:
    for name in ("one", "two"):
        bundle(checkout.root / "runs", name)
    series = checkout.root / "runs" / "series"
    series.mkdir()
    listed = [{"bundle": name} for name in ("one", None, "two")]
    (series / "series.json").write_text(json.dumps({"runs": listed, "sides": []}))
    code, output = ask(checkout, "--add", "series", "--runs", str(runs))
    assert code == 0, output
    assert checkout.requests[0]["added"] == ["one", "two"]
    assert sorted(path.name for path in runs.iterdir()) == ["one", "two"]


def test_json_is_all_that_stands_on_standard_output(checkout: Checkout, runs: Path) -> None:
    bundle(checkout.root / "runs", "slow")
    _code, output = ask(checkout, "--runs", str(runs), "--add", "slow", "--json")
    # Standard error is the same stream here; the line about the added run comes first.
    first, _, rest = output.partition("\n")
    assert first == f"slow: added to {runs}"
    assert json.loads(rest)["regressions"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fail-on-regression", "-5%"], '--fail-on-regression: "-5%" is not a percentage; write it as 10%'),
        (["--fail-on-regression", "nan"], '--fail-on-regression: "nan" is not a percentage; write it as 10%'),
        (["--add", "slaw"], 'unknown run "slaw"; did you mean "slow"?'),
        (["citos"], 'unknown target "citos"; did you mean "citus"?'),
    ],
)
def test_wrong_use_is_one_line(checkout: Checkout, runs: Path, arguments: list[str], message: str) -> None:
    bundle(checkout.root / "runs", "slow")
    joined = ["=".join(arguments)] if arguments[0] == "--fail-on-regression" else arguments
    assert ask(checkout, "--runs", str(runs), *joined) == (1, f"shardload: {message}\n")
