"""The verbs on a workload folder, as a user calls them; the fake child in place of Java knows no statement."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from shardload.config.check import check
from shardload.config.keys import DATA_SIZES
from shardload.config.merge import merge
from shardload.config.places import Places
from shardload.processes.session import data_line, unit_of
from shardload.verbs.workload import preview_lines, workload_name
from tests.conftest import Checkout, leftovers

SYSTEMS = sorted(path.name for path in (Path(__file__).parents[1] / "scaffold").iterdir())


def shop(checkout: Checkout, name: str = "shop") -> Path:
    code, output = checkout.run("workload", "init", name)
    assert code == 0, output
    return checkout.root / name


def test_a_run_gets_the_folder_with_and_without_the_launcher(checkout: Checkout) -> None:
    """Mutation: leave Source.folder out of the effective configuration."""
    folder = shop(checkout)
    code, output = checkout.run(
        "run", "--target", "noop", "--workload", "./shop", "--allow-writes", *checkout.options()
    )
    assert code == 0, output
    run = checkout.read("run.json")
    assert "data     1,000 rows loaded (" in output or "data     1,000 rows loaded\n" in output, output
    assert (run["workload"]["folder"], run["workload"]["name"]) == ("shop", "shop")
    assert sorted(run["workload"]["transactions"]) == ["find-customer", "list-orders", "place-order"]
    assert run["run"]["allow_writes"] is True
    shutil.rmtree(checkout.root / "runs")
    files = ["taurus/base.yml", "taurus/targets/noop.yml", str(folder / "workload.yml"), "taurus/profiles/smoke.yml"]
    code, output = checkout.run(*files, *checkout.options(), plain_bzt=True)
    assert code == 0, output
    again = checkout.read("run.json")
    assert again["workload"] == run["workload"]
    assert "allow_writes" not in again["run"]


def test_the_line_of_the_data_says_what_was_loaded_and_what_there_is() -> None:
    existing = {"data": {"existing": True}}
    assert data_line(existing, {"documents": 0}, "rows") == "existing, nothing was loaded"
    sized = {"data": {}, "size": {"asked": "dataset-size: 1GiB"}}
    assert data_line(sized, {"documents": 5000}, "documents") == "5,000 documents loaded (dataset-size: 1GiB)"
    plain = {"data": {}, "size": {"asked": "documents: 100000"}}
    grown = {"documents": 100_000, "live": 112_976}
    assert data_line(plain, grown, "documents") == "100,000 documents loaded, 112,976 now"
    assert data_line(plain, {"documents": 100_000, "live": 100_000}, "documents") == "100,000 documents loaded"
    assert data_line({"data": {"tables": {"shop": {}}}}, {"documents": 0}, "rows") == "none: the target keeps no data"
    assert data_line({**plain, "data": {}}, {"documents": 0}, "rows") == "0 rows loaded"


def test_what_is_counted_is_called_as_the_workload_says_how_much_there_is() -> None:
    tables = {"shop": {"rows": 10}}
    assert unit_of({"data": {"tables": tables}}) == "rows"
    assert {unit_of({"data": {"tables": tables, key: 2}}) for key in DATA_SIZES} == {"documents"}


def test_moments_in_a_folder_reach_java_through_taurus(checkout: Checkout) -> None:
    file = shop(checkout) / "workload.yml"
    file.write_text(file.read_text().replace("from: -30d", "from: 2026-01-02"))
    code, output = checkout.run("run", "--target", "noop", "--workload", "./shop", *checkout.options())
    assert code == 0, output
    columns = checkout.read("run.json")["workload"]["data"]["tables"]["orders"]["columns"]
    assert columns["placed_at"] == {"type": "timestamp", "from": "2026-01-02T00:00:00Z", "to": "0s"}


def test_check_asks_the_child_for_everything_that_is_wrong(checkout: Checkout) -> None:
    shop(checkout)
    code, output = checkout.run("workload", "check", "shop", "--target", "noop", "--preview", "2")
    assert code == 0, output
    assert [(each["verb"], each.get("preview")) for each in checkout.requests] == [
        ("check", None),
        ("workload-check", 2),
    ]
    assert output.splitlines() == [
        "table customers",
        '  id = 1, name = "Ole"',
        '  id = 2, name = "Ole"',
        "table history: no rows are loaded",
        "transaction find",
        "  variant 1: id = 7",
        "  variant 2: id = 7",
        "shop: nothing wrong found on noop",
    ]


def test_check_prints_each_problem_and_ends_with_1(checkout: Checkout) -> None:
    shop(checkout)
    code, output = checkout.run("workload", "check", "./shop", "--target", "noop", FAKE_CHILD="bad-folder")
    assert code == 1
    assert output.splitlines() == [
        "shardload: noop: shop/transactions/a/citus.sql:3: unknown parameter",
        "shardload: noop: shop/schema/citus.sql:1: does not parse",
        "2 problems on noop",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "ycsb", "--target", "own/pg.yml"], "target own/pg.yml: there is no such file; looked for"),
        (["init", "taurus"], "taurus: exists, and is not an empty folder; nothing was written"),
        (["init", "LICENSE"], "LICENSE: exists, and is not an empty folder; nothing was written"),
        (["init", "shop", "--system", "mongdb"], '--system mongdb: unknown system "mongdb"; did you mean "mongodb"?'),
        (["init", "LICENSE/shop"], "cannot write "),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], message: str, checkout: Checkout) -> None:
    (checkout.root / "LICENSE").write_text("")
    code, output = checkout.run("workload", *arguments)
    assert code == 1 and output.startswith(f"shardload: {message}"), output
    assert len(output.splitlines()) == 1
    assert leftovers(checkout) == ["LICENSE"]


def test_without_an_action_the_usage_is_shown(checkout: Checkout) -> None:
    code, output = checkout.run("workload")
    assert code == 1 and "check|init is missing" in output


def test_an_empty_value_counts_as_not_given(checkout: Checkout) -> None:
    code, output = checkout.run("workload", "init", "shop", "--system", "")
    assert code == 0 and "a workload for postgresql" in output, output


@pytest.mark.parametrize(("system", "files"), [("ferretdb", "mongodb"), ("citus", "postgresql")])
def test_init_knows_systems_that_take_the_files_of_another(system: str, files: str, checkout: Checkout) -> None:
    code, output = checkout.run("workload", "init", "shop", "--system", system)
    assert code == 0 and f"a workload for {files}" in output, output
    assert [path.stem for path in (checkout.root / "shop" / "schema").iterdir()] == [files]


@pytest.mark.parametrize("system", SYSTEMS)
def test_init_writes_a_folder_that_python_accepts(system: str, checkout: Checkout) -> None:
    (checkout.root / "My Shop").mkdir()
    code, output = checkout.run("workload", "init", "My Shop/", "--system", system)
    assert code == 0, output
    file = checkout.root / "My Shop" / "workload.yml"
    places = Places(checkout.root)
    merged = merge([places.taurus / "base.yml", places.taurus / "targets" / "noop.yml", file], [], places)
    checked = check(merged, needs_load=False)
    assert checked.workload["name"] == "my-shop"
    transactions = {path.name for path in (file.parent / "transactions").iterdir()}
    assert set(checked.mix) == set(checked.workload["transactions"]) == transactions
    assert set(checked.workload["checks"]) == {path.name for path in (file.parent / "checks").iterdir()}
    assert "  workload.yml\n" in output and "run --workload 'My Shop/'" not in output
    assert "workload check './My Shop'" in output


@pytest.mark.parametrize(
    ("folder", "name"), [("shop", "shop"), ("My_Shop 2", "my-shop-2"), ("2026", "workload-2026"), ("---", "workload")]
)
def test_a_folder_gives_a_valid_name(folder: str, name: str) -> None:
    assert workload_name(folder) == name


def test_a_preview_without_calls_or_tables_is_nothing() -> None:
    assert list(preview_lines({})) == []
    calls = [{"variant": 0, "arguments": {}}, {"not_prepared": "the CSV is too short"}]
    assert list(preview_lines({"calls": {"a": calls}})) == [
        "transaction a",
        "  no parameters",
        "  not prepared: the CSV is too short",
    ]
