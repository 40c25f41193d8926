"""Counts with suffixes, sizes with units, and the shortcuts that take them: Java gets plain numbers."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from shardload.cli import build_parser
from shardload.config import effective
from shardload.config.check import check
from shardload.config.merge import merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.config.values import criteria
from shardload.config.values.quantities import check_heap, positive, whole
from shardload.verbs.ci.overrides import settle
from tests.conftest import TAURUS, Checkout
from tests.test_check import load
from tests.test_workload_folder import SHOP

PLACES = Places(TAURUS.parent)


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PLACES.root)


@pytest.mark.parametrize(
    ("text", "value"),
    [("10k", 10_000), ("10K", 10_000), ("2M", 2_000_000), ("1.5k", 1500), (" 7 ", 7), (12, 12), ("0.2 k", 200)],
)
def test_whole_numbers(text: object, value: int) -> None:
    assert whole(text, 0, 1 << 62) == value
    assert positive(text) == value


@pytest.mark.parametrize(
    "text", ["10x", "10 KiB", "10m", "k", "1_000", "ten", True, None, "1.5", "0.0001k", float("inf")]
)
def test_no_whole_numbers(text: object) -> None:
    with pytest.raises(Problem) as raised:
        whole(text, 0, 100_000)
    assert str(raised.value) == f'"{text}" is not a whole number; write 10000, 10k or 2M'


def test_bounds_and_the_forms_that_fit_them() -> None:
    for value, text in ((0, "0 is less than 1"), ("200k", "200k is more than 100000")):
        with pytest.raises(Problem) as raised:
            whole(value, 1, 100_000)
        assert str(raised.value) == text
    with pytest.raises(Problem, match='"often" is not a whole number; write a number from 0 to 100'):
        whole("often", 0, 100)


def test_heaps_are_what_a_jvm_takes() -> None:
    given = ("256m", "256MiB", "256M", "1g", "1GiB", "0.5 GiB")
    assert [check_heap(text) for text in given] == ["256m", "256m", "256m", "1024m", "1024m", "512m"]
    for text in ("256", "256k", "256KiB", "0.3m", "256MB", "", None):
        with pytest.raises(Problem, match="is not a size; write 256m, 2g, 256MiB or 2GiB"):
            check_heap(text)


def test_the_threshold_of_a_count_takes_a_suffix() -> None:
    assert criteria.parse("hits<10k for 5s, stop as failed").threshold == 10_000
    with pytest.raises(Problem, match='threshold "10x" of hits is not a number; write 500, 10k or 2M'):
        criteria.parse("hits<10x for 5s")


def test_java_gets_plain_numbers() -> None:
    """Mutation: pass the sections on as they stand."""
    config = effective.build(
        load(
            "workload.data.documents=2M", "workload.data.tenants=1.5k", "workload.seed=3k",
            "execution.0.throughput=1.5k", "execution.0.concurrency=1k", "execution.0.steps=2",
            "execution.0.stop-after-failed-steps=2", 'execution.0.retries="3"',
        ),
        "id", None, "",
    )  # fmt: skip
    assert config["workload"]["data"]["documents"] == 2_000_000
    assert config["workload"]["data"]["tenants"] == 1500
    assert config["workload"]["seed"] == 3000
    assert (config["load"]["workers"], config["load"]["retries"]) == (1000, 3)
    assert [part["to_rate"] for part in config["load"]["segments"] if part["kind"] == "step"] == [750, 1500]


def test_rows_of_tables_too(tmp_path: Path) -> None:
    def folder(rows: str) -> list[Path]:
        file = tmp_path / "shop" / "workload.yml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(SHOP.replace("rows: 10\n", f"rows: {rows}\n"))
        return [TAURUS / "base.yml", TAURUS / "targets/noop.yml", file]

    data = check(merge(folder("20k"), [], PLACES), needs_load=False).workload["data"]
    assert data["tables"]["customers"]["rows"] == 20_000
    with pytest.raises(Problem, match='rows: "20x" is not a whole number; write 10000'):
        check(merge(folder("20x"), [], PLACES), needs_load=False)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("execution.0.concurrency=1M", "-o execution.0.concurrency: 1M is more than 100000"),
        (
            "target.url=x://h/d",
            "-o target.url: cannot be combined with embedded, which starts its own server; "
            "choose another target with --target",
        ),
    ],
)
def test_messages_name_the_legal_forms(override: str, message: str) -> None:
    with pytest.raises(Problem) as raised:
        load(override, target="embedded-mongodb")
    assert message in str(raised.value).splitlines()


def settled(*words: str) -> argparse.Namespace:
    options = build_parser().parse_args(words)
    settle(options, PLACES)
    return options


def test_shortcuts() -> None:
    words = ["run", "-t", "citus", "--documents", "30k", "--rate", "1.5k", "--concurrency", "12", "--user", "me"]
    options = settled(*words, "--url", "postgresql://db1.example:5432/x")
    assert options.option == [
        "execution.0.throughput=1500",
        "execution.0.concurrency=12",
        "workload.data.documents=30000",
        'target.url="postgresql://db1.example:5432/x"',
        'target.user="me"',
    ]
    merged = merge([TAURUS / "targets/citus.yml"], options.option, PLACES, options.flags)
    assert merged.config["target"]["url"] == "postgresql://db1.example:5432/x"
    assert merged.where(("target", "url")) == "--url"
    words = ["load", "-t", "citus", "--documents", "1M", "--url", "postgresql://h/d", "--user", "5"]
    assert settled(*words).option == [
        "workload.data.documents=1000000",
        'target.url="postgresql://h/d"',
        'target.user="5"',
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--documents", "10x"], '--documents: "10x" is not a whole number; write 10000, 10k or 2M'),
        (["--documents", "0"], "--documents: 0 is less than 1"),
        (
            ["--url", "postgresql://me:hush@db/x"],
            "--url: a user or password in a URL would appear in logs; write target.user and",
        ),
        (["--url", "postgresql://db/x?password=hush"], "--url: a secret or user in the query of a URL"),
        (["--url", "postgresql://db/x", "-o", "target.url=y"], "--url: target.url is set by -o as well"),
    ],
)
def test_shortcuts_refuse_in_one_line(words: list[str], message: str) -> None:
    with pytest.raises(Problem) as raised:
        settled("run", "-t", "citus", *words)
    assert str(raised.value).startswith(message)
    assert "hush" not in str(raised.value)


def test_plain_bzt_with_suffixes(checkout: Checkout) -> None:
    file = checkout.root / "taurus" / "profiles" / "smoke.yml"
    file.write_text(
        file.read_text().replace("throughput: 300", "throughput: 0.2k").replace("concurrency: 8", "concurrency: 0.01k")
    )
    options = checkout.options()
    options += ["-o", "workload.data.documents=3k", "-o", "modules.shardload.heap=300MiB"]
    code, output = checkout.run(*checkout.files(), *options, plain_bzt=True)
    assert code == 0, output
    asked = next(request for request in checkout.requests if request["verb"] == "check")["config"]
    assert asked["workload"]["data"]["documents"] == 3000
    assert (asked["load"]["workers"], asked["load"]["segments"][-1]["to_rate"]) == (10, 200)
    assert "-Xmx300m" in (checkout.pids / "jmeter").read_text().split()
    assert "k" not in json.dumps(asked["load"]["segments"][0]["to_rate"])
