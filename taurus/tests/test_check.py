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
        ("execution.0.rump-up=5s", '-o execution.0.rump-up: unknown key "rump-up"; did you mean "ramp-up"?'),
        ("exekution.0.steps=5", 'unknown key "exekution"; did you mean "execution"?'),
        ("settings.check-intervall=1s", 'unknown key "check-intervall"; did you mean "check-interval"?'),
        ("settings.artifacts-dir=/tmp/x", "artifacts belong in the bundle"),
        ("modules.shardload.heep=1g", 'did you mean "heap"?'),
        ("modules.shardload.heap=lots", '"lots" is not a size'),
        ("modules.shardload.heap=256", 'modules.shardload.heap: "256" is not a size; write 256m, 2g, 256MiB or 2GiB'),
        ("modules.shardload.heap=31m", "modules.shardload.heap: 31m is too small: JMeter needs at least 32m"),
        ("modules.shardload.heap=90000g", "90000g is more than the memory of this machine, "),
        ("modules.jmeter.path=/opt/jmeter", 'unknown key "jmeter"'),
        ("cli.lintr.disable=true", 'did you mean "linter"?'),
        ("target.drver=noop", 'did you mean "driver"?'),
        ("target.password=geheim", "secrets are not allowed in files or overrides"),
        ("target.server-rum=16GiB", 'did you mean "server-ram"?'),
        ("target.embedded-heap=1g", "target.embedded-heap: requires embedded"),
        ("target.redis.ur=x", 'did you mean "url"?'),
        ("target.url=postgresql://me:geheim@host/db", "-o target.url: a user or password in a URL"),
        ("target.url=postgresql://host/db?password=geheim", "in the query of a URL"),
        (
            "target.redis={url: 'redis://:geheim@host'}",
            "-o target.redis: target.redis.url: a user or password in a URL",
        ),
        ("workload.sed=2", 'did you mean "seed"?'),
        ("workload.seed=x", "not a whole number"),
        ("scenarios.mix.mx.insert=1", 'did you mean "mix"?'),
        (
            "scenarios.mix.mix.insert=19.9",
            "taurus/workloads/document-store.yml: scenarios.mix.mix: the shares sum to 99.9",
        ),
        ("scenarios.mix.mix.insert=-20", "share -20 of insert is negative"),
        ("scenarios.mix.mix.insert=many", 'share "many" of insert is not a percentage'),
        ("scenarios.mix.mix={}", None),
        ("execution.0.scenario=mixx", 'unknown scenario "mixx"; did you mean "mix"?'),
        ("execution.0.iterations=5", "use hold-for"),
        ("execution.0.arrivals=poison", 'did you mean "poisson"?'),
        ("execution.0.samples=all", 'unknown value "all"'),
        ("execution.0.verification=writen", 'unknown value "writen"; did you mean "written"?'),
        ("execution.0.verification=quick", "known are all, none, written"),
        ("execution.0.retries=some", "not a whole number"),
        ("execution.0.statement-timeout=0s", '"0s" is not a duration above 0'),
        ("execution.0.limits.p999=5ms", 'did you mean "p99"?'),
        ("execution.0.limits.errors=5", '"5" is not a share'),
        ("execution.0.stop-after-failed-steps=2", "requires steps"),
        ("execution.0.executor=jmeter", 'unknown value "jmeter"'),
        ("provisioning=cloud", 'unknown value "cloud"'),
        ("reporting.1.module=pasfail", 'did you mean "passfail"?'),
        ("reporting.1.criterion=x", 'did you mean "criteria"?'),
        ("reporting.1.criteria.0=p99 > 5 us for", "is not valid"),
        ("reporting.1.criteria=p99>5ms", "must be a list"),
        ("services.0.module=monitoring", 'unknown module "monitoring"'),
        ("included-configs.0=more.yml", "exactly four files"),
        ("version=1.0", "-o version: belongs to Taurus and has no effect here"),
        ("cli-aliases.quick.execution.0.hold-for=5s", "belongs to Taurus"),
        ("distributed.generators=2", '-o distributed.generators: unknown key "distributed"'),
        ("execution.0.distributd=[host]", 'unknown key "distributd"; did you mean "distributed"?'),
        ("nonsense", "key=value"),
    ],
)
def test_refusals(override: str, message: str | None) -> None:
    if message is None:  # an empty mapping merged into a mix changes nothing in Taurus; an override replaces it
        message = "at least one transaction"
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


def test_arrivals_without_throughput() -> None:
    with pytest.raises(Problem, match="requires throughput"):
        load("execution.0.arrivals=poisson", profile="closed")


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


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = edited(
        tmp_path, "profile", "smoke", lambda text: text.replace("  ramp-up: 5s", "  ramp-up: 5s\n  ramp-up: 6s")
    )
    with pytest.raises(Problem, match=r'key "ramp-up" appears twice \(line 8\)'):
        merge([path], (), PLACES)


def test_broken_yaml_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.yml"
    path.write_text("a: [1\nb: 2\n")
    with pytest.raises(Problem, match="is not valid YAML") as raised:
        merge([path], (), PLACES)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "name", "near"),
    [("target", "postgres", "postgresql"), ("workload", "document", "document-store"), ("profile", "smok", "smoke")],
)
def test_unknown_names(kind: str, name: str, near: str) -> None:
    with pytest.raises(Problem, match=f'unknown {kind} "{name}"; did you mean "{near}"'):
        find_file(PLACES, kind, name)
    assert near in list_names(PLACES, kind)
