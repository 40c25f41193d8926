"""Targets, workloads and profiles by path and by SHARDLOAD_PATH, from any folder; bundles in a folder of one's own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from shardload.config import places as places_module
from shardload.config.merge import merge
from shardload.config.paths.find import PATH_VARIABLE, argument, find_file, list_names, name_of_argument
from shardload.config.places import BUNDLES_VARIABLE, Places
from shardload.config.problem import Problem
from shardload.processes.hints import render
from shardload.verbs.series import build_sides
from tests.conftest import FAST, TAURUS, Checkout, open_to_others

PLACES = Places(TAURUS.parent)
LOAD = [part for key, value in FAST.items() for part in ("-o", f"{key}={value}")]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder of the user's own with a target, a workload and a profile."""
    folder = tmp_path / "elsewhere" / "deep"
    for name, source in (
        ("my/cluster.yml", "targets/noop.yml"),
        ("profiles/mine.yaml", "profiles/smoke.yml"),
        ("work/own.yml", "workloads/document-store.yml"),
    ):
        file = folder.parent / name
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TAURUS / source, file)
    folder.mkdir()
    monkeypatch.setattr(places_module, "STARTED_IN", folder)
    monkeypatch.delenv(PATH_VARIABLE, raising=False)
    monkeypatch.delenv(BUNDLES_VARIABLE, raising=False)
    return folder


@pytest.mark.parametrize(
    ("kind", "text", "name"),
    [
        ("target", "../my/cluster.yml", "cluster"),
        ("target", "./../my/../my/cluster.yml", "cluster"),
        ("profile", "../profiles/mine.yaml", "mine"),
        ("workload", "../work/own.yml", "own"),
    ],
)
def test_a_path_is_seen_from_where_the_user_stands(kind: str, text: str, name: str, here: Path) -> None:
    path = find_file(PLACES, kind, text)
    assert path.is_absolute() and path.is_file() and path.parent.parent == here.parent
    assert name_of_argument(text) == name
    assert argument(PLACES, kind, path) == str(path), "it holds wherever a command is called"


def test_the_file_of_a_name_by_its_path_is_the_name(here: Path) -> None:
    path = find_file(PLACES, "target", str(TAURUS / "targets" / "citus.yml"))
    assert argument(PLACES, "target", path) == "citus"


def test_names_are_searched_in_the_folders_of_the_variable_first(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutation: search the checkout first."""
    first, second = here / "first", here / "second"
    for folder in (first, second):
        (folder / "targets").mkdir(parents=True)
        shutil.copy(TAURUS / "targets" / "noop.yml", folder / "targets" / "citus.yml")
    shutil.copy(TAURUS / "targets" / "noop.yml", second / "targets" / "ours.yaml")
    (second / "workloads" / "shop").mkdir(parents=True)
    (second / "workloads" / "shop" / "workload.yml").write_text("workload: {name: shop}\n")
    monkeypatch.setenv(PATH_VARIABLE, f"first:{second}")
    assert find_file(PLACES, "target", "citus") == first / "targets" / "citus.yml"
    assert find_file(PLACES, "target", "ours") == second / "targets" / "ours.yaml"
    assert find_file(PLACES, "target", "noop") == TAURUS / "targets" / "noop.yml"
    assert find_file(PLACES, "workload", "shop") == second / "workloads" / "shop" / "workload.yml"
    assert {"citus", "noop", "ours"} <= set(list_names(PLACES, "target"))
    assert "shop" in list_names(PLACES, "workload")
    assert argument(PLACES, "target", second / "targets" / "citus.yml") == str(second / "targets" / "citus.yml")
    with pytest.raises(Problem, match='unknown target "our"; did you mean "ours"'):
        find_file(PLACES, "target", "our")


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (
            "target",
            "../my/clutser.yml",
            "target ../my/clutser.yml: there is no such file; looked for {}/my/clutser.yml",
        ),
        ("target", "../my/cluster", 'target ../my/cluster: there is no such file; did you mean "../my/cluster.yml"?'),
        ("profile", "..", "profile ..: is a folder; name a file in it"),
        ("target", "../my/a b.yml", 'target ../my/a b.yml: bundles are named after the file; "a b" may have letters'),
        ("target", "../my/x.txt", "target ../my/x.txt: is not a YAML file; its name must end with .yml"),
        ("target", "../my/workload.yml", "target ../my/workload.yml: a file of this name belongs to a workload folder"),
        ("target", "local", 'unknown target "local"; known are '),
        ("profile", "nearby", "the file here is named by its path, ./nearby.yml"),
    ],
)
def test_what_is_not_found_is_one_line(kind: str, text: str, message: str, here: Path) -> None:
    for name in ("a b.yml", "x.txt", "workload.yml"):
        (here.parent / "my" / name).write_text("target: {}\n")
    (here / "nearby.yml").write_text("execution: []\n")
    with pytest.raises(Problem) as raised:
        find_file(PLACES, kind, text)
    assert message.format(here.parent) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_folder_of_the_variable_that_is_not_there_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PATH_VARIABLE, f"{here}:/no/such")
    with pytest.raises(Problem, match="SHARDLOAD_PATH names /no/such, which is not a folder"):
        find_file(PLACES, "target", "xyz")


def test_a_suggested_command_names_the_path(here: Path) -> None:
    target, profile = here.parent / "my/cluster.yml", here.parent / "profiles/mine.yaml"
    files = [TAURUS / "base.yml", target, TAURUS / "workloads/document-store.yml", profile]
    lines = render([{"purpose": "to settle it", "verb": "verify"}], merge(files, [], PLACES), PLACES)
    assert lines[1].endswith(f"verify --target {target} --workload document-store")


def test_sides_of_a_series_have_different_names() -> None:
    with pytest.raises(Problem, match="have the same name"):
        build_sides(["/a/mine.yml", "/b/mine.yml"], [], [])
    first, second = build_sides(["/a/mine.yml", "citus"], [], [])
    assert (first.name, first.target, second.name) == ("mine", "/a/mine.yml", "citus")


def run_in(checkout: Checkout, folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """Call it as a user who stands elsewhere than in the checkout."""
    checkout.prefix = ("env", "-C", str(folder))
    return checkout.end_of(checkout.start(*arguments, **environment))  # type: ignore[arg-type]


def test_a_run_with_files_of_ones_own_from_a_foreign_folder(checkout: Checkout, here: Path) -> None:
    """Mutation: leave the paths as they are when the verb goes to the checkout's folder."""
    chosen = ["-t", "../my/cluster.yml", "-w", "../work/own.yml", "-p", "../profiles/mine.yaml"]
    code, output = run_in(checkout, here, "run", *chosen, *LOAD, "--runs", "results of mine")
    assert code == 0, output
    (bundle,) = (here / "results of mine").iterdir()
    assert bundle.name.endswith("-cluster-mine")
    assert open_to_others(bundle) == []
    assert not (checkout.root / "runs").exists()
    config = json.loads((bundle / "run.json").read_text())
    assert (config["target"]["name"], config["run"]["profile"]) == ("cluster", "mine")
    head = (bundle / "config.yml").read_text().splitlines()[1:4]
    assert head == [
        f"# --target {here.parent / 'my/cluster.yml'}",
        f"# --workload {here.parent / 'work/own.yml'}",
        f"# --profile {here.parent / 'profiles/mine.yaml'}",
    ]
    code, output = run_in(checkout, here, "report", bundle.name, SHARDLOAD_BUNDLES="results of mine")
    assert code == 0, output
    code, output = run_in(checkout, here, "report", bundle.name)
    assert code == 1 and "unknown run" in output


def test_a_refused_run_leaves_the_users_folder_of_bundles(checkout: Checkout, here: Path) -> None:
    runs = here / "mine"
    runs.mkdir(mode=0o755)
    code, output = run_in(checkout, here, "run", *LOAD, "--runs", "mine", FAKE_CHILD="schema-error")
    assert code == 1, output
    assert runs.is_dir() and list(runs.iterdir()) == []


def test_a_series_of_targets_by_path_and_name(checkout: Checkout, here: Path) -> None:
    words = ["--repeat", "1", "-t", "../my/cluster.yml", "--interleave-with", "noop", "--runs", "mine"]
    code, output = run_in(checkout, here, "run", *words, *LOAD)
    assert code == 0, output
    folders = sorted(path.name.split("-", 3)[3] for path in (here / "mine").iterdir())
    assert folders == ["cluster-series", "cluster-smoke", "noop-smoke"]
    (file,) = (here / "mine").glob("*-series/series.json")
    series = json.loads(file.read_text())
    assert [side["target"] for side in series["sides"]] == ["cluster", "noop"]
    assert all(run["bundle"] for run in series["runs"])
    assert not (checkout.root / "runs").exists()


def test_other_verbs_take_paths(checkout: Checkout, here: Path) -> None:
    for words in (["load", "-t", "../my/cluster.yml"], ["verify", "-t", "../my/cluster.yml", "-w", "../work/own.yml"]):
        code, output = run_in(checkout, here, *words)
        assert code == 0, output
    code, output = run_in(checkout, here, "targets", "../my/cluster.yml", "citus")
    assert code == 0, output
    assert output.splitlines()[1].startswith("cluster") and output.splitlines()[1].endswith("my/cluster.yml")
    code, output = run_in(checkout, here, "targets", SHARDLOAD_PATH="..")
    assert code == 0 and "cluster" not in output, "targets are in a folder named targets"
    (here.parent / "my").rename(here.parent / "targets")
    code, output = run_in(checkout, here, "targets", SHARDLOAD_PATH="..")
    assert code == 0 and "cluster" in output, output
    code, output = run_in(checkout, here, "parity", "--targets", "../targets/cluster.yml,embedded-postgresql")
    assert code in (0, 1) and "unknown target" not in output, output
    code, output = run_in(checkout, here, "scrape-config", "-t", "../targets/cluster.yml")
    assert code == 0 and "target: cluster" in output, output
