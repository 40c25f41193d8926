"""Every unknown or ignored key is refused, with its file and the nearest right name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from shardload.config import effective
from shardload.config.check import check
from shardload.config.effective import Checked
from shardload.config.merge import find_file, list_names, merge
from shardload.config.places import Places
from shardload.config.problem import Problem

ROOT = Path(__file__).resolve().parents[2]
PLACES = Places(ROOT)
SIZES = ("documents", "dataset-size", "ratio-to-ram")


def load(*overrides: str, target: str = "noop", profile: str = "smoke", needs_load: bool = True) -> Checked:
    kinds = [("target", target), ("workload", "document-store")] + ([("profile", profile)] if needs_load else [])
    files = [PLACES.taurus / "base.yml", *(find_file(PLACES, kind, name) for kind, name in kinds)]
    return check(merge(files, overrides, PLACES), needs_load)


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("target", sorted(path.stem for path in (ROOT / "taurus" / "targets").glob("*.yml")))
@pytest.mark.parametrize("profile", ["smoke", "steady", "max-capacity", "closed", "spike", "soak", "stairs"])
def test_shipped_files_fit(target: str, profile: str) -> None:
    checked = load(target=target, profile=profile)
    assert checked.merged.names == {"target": target, "workload": "document-store", "profile": profile}
    assert len(checked.mix) == 10 and sum(checked.mix.values()) == 100


def test_mix_is_that_of_the_study() -> None:
    assert {name: float(share) for name, share in load().mix.items()} == {
        "update": 5,
        "delete": 5,
        "insert": 20,
        "find-by-id-and-filter4-and-filter5-list": 0.7,
        "find-by-id-and-filter4-list": 28,
        "find-by-id-and-filter5": 2.1,
        "find-by-id-and-filter2": 7,
        "find-by-id-and-filter2-list": 28,
        "find-by-id-and-filter3-lte": 0.7,
        "find-by-id-and-filter1": 3.5,
    }


def test_each_transaction_is_a_scenario() -> None:
    for name in load().mix:
        assert load(f"execution.0.scenario={name}").mix == {name: 100}


def test_a_profile_is_not_needed_for_the_small_verbs() -> None:
    assert load(needs_load=False).load is None


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("modules.shardload.heap=90000g", "90000g is more than the memory of this machine, "),
        ("target.redis={url: 'redis://:geheim@host'}", "-o target.redis: target.redis.url: a user or password in a"),
        ("scenarios.mix.mix={}", "at least one transaction"),
        ("execution.0.verification=quick", "known are all, none, written"),
        ("reporting.1.criterion=x", 'did you mean "criteria"?'),
        ("reporting.1.criteria=p99>5ms", "must be a list"),
        ("cli-aliases.quick.execution.0.hold-for=5s", "belongs to Taurus"),
        ("distributed.generators=2", '-o distributed.generators: unknown key "distributed"'),
    ],
)
def test_refusals(override: str, message: str) -> None:
    """Those that the tables of ``messages/`` lack."""
    with pytest.raises(Problem) as raised:
        load(override)
    assert message in str(raised.value)
    assert "geheim" not in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("size", ["dataset-size=20GiB", "ratio-to-ram=2.6"])
def test_an_overridden_size_replaces_that_of_the_file(size: str) -> None:
    """Mutation: take the file's as well."""
    key, _, value = size.partition("=")
    checked = load(f"workload.data.{size}")
    said = {name: str(checked.workload["data"][name]) for name in checked.workload["data"] if name in SIZES}
    assert said == {key: value}
    assert checked.merged.config["workload"]["data"] == checked.workload["data"], "config.yml repeats the run"


def test_two_overridden_sizes_are_for_the_child_to_refuse() -> None:
    data = load("workload.data.dataset-size=1GiB", "workload.data.documents=5").workload["data"]
    assert {name for name in data if name in SIZES} == {"documents", "dataset-size"}
    assert load().workload["data"]["documents"] == 100000


@pytest.mark.parametrize(
    ("overrides", "mode"),
    [
        ((), "all"),
        (("execution.0.verification=written",), "written"),
        (("execution.0.verification=none",), "none"),
    ],
)
def test_the_java_side_hears_what_is_verified(overrides: tuple[str, ...], mode: str) -> None:
    assert effective.build(load(*overrides), "run-1", None, "smoke")["run"]["verification"] == mode


def test_two_items_show_the_one_that_means_the_same() -> None:
    with pytest.raises(Problem) as raised:
        load("execution.1={concurrency: 2, throughput: 100, hold-for: 5s, scenario: insert}")
    assert str(raised.value).startswith("taurus/profiles/smoke.yml: execution: 2 execution items")
    assert "throughput: 400 and mix: {update: 3.75, delete: 3.75, insert: 40, " in str(raised.value)


def edited(tmp_path: Path, kind: str, name: str, edit: Callable[[str], str]) -> Path:
    path = tmp_path / f"{name}.yml"
    path.write_text(edit(find_file(PLACES, kind, name).read_text()))
    return path


def test_the_file_of_a_misspelt_key_is_named(tmp_path: Path) -> None:
    path = edited(tmp_path, "profile", "smoke", lambda text: text.replace("ramp-up", "rump-up"))
    files = [PLACES.taurus / "base.yml", find_file(PLACES, "target", "noop")]
    files += [find_file(PLACES, "workload", "document-store"), path]
    with pytest.raises(Problem) as raised:
        check(merge(files, (), PLACES))
    assert str(raised.value) == f'{path}: execution.0.rump-up: unknown key "rump-up"; did you mean "ramp-up"?'


@pytest.mark.parametrize(
    ("kind", "name", "near"),
    [("target", "postgres", "postgresql"), ("workload", "document", "document-store"), ("profile", "smok", "smoke")],
)
def test_unknown_names(kind: str, name: str, near: str) -> None:
    with pytest.raises(Problem, match=f'unknown {kind} "{name}"; did you mean "{near}"'):
        find_file(PLACES, kind, name)
    assert near in list_names(PLACES, kind)
