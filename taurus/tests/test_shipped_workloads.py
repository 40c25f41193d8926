"""The folders that are shipped: files, workload.yml and parameters belong together, for every system that they have.

Only their shape: what servers say of the statements is tested with the Java side.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shardload.config.check import check
from shardload.config.effective import Checked
from shardload.config.merge import merge
from shardload.config.places import Places

TAURUS = Path(__file__).resolve().parents[1]
FOLDERS = sorted(path.parent for kind in ("workloads", "scaffold") for path in TAURUS.glob(f"{kind}/*/workload.yml"))
PARAMETER = re.compile(r"(?<!:):([a-z][a-z0-9_]*(?:\.[a-z]+)?)")
FALLBACK = {"citus": "postgresql", "ferretdb": "mongodb"}


# Those that docs/own-workload.md has the reader write.
WRITTEN = ("shop", "shop-documents")
LANGUAGES = {".sql": "sql", ".json": "json", ".yml": "yaml"}


@pytest.fixture(params=[*FOLDERS, *WRITTEN], ids=lambda each: str(each).removeprefix(f"{TAURUS}/").replace("/", "-"))
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return request.param if isinstance(request.param, Path) else as_written(request.param, tmp_path)


def as_written(name: str, into: Path) -> Path:
    """Make the folder as a reader of the page would: each file is the next block in its language."""
    page = (TAURUS.parent / "docs" / "own-workload.md").read_text()
    for found in re.finditer(rf"`({name}/[\w/.-]+\.(?:sql|json|yml))`\n", page):
        file = into / found[1]
        (block,) = re.findall(rf"(?s)\A.*?```{LANGUAGES[file.suffix]}\n(.*?)```", page[found.end() :])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block)
    return into / name


def checked(folder: Path) -> Checked:
    files = [TAURUS / "base.yml", TAURUS / "targets" / "noop.yml", folder / "workload.yml"]
    return check(merge(files, [], Places(TAURUS.parent)), needs_load=False)


def variants(file: Path) -> list[list[Any]]:
    """Return the statements of each variant: texts of SQL without comments, or commands."""
    text = file.read_text()
    if file.suffix == ".json":
        read = json.loads(text)
        each = [read] if isinstance(read, list) else read.get("variants", [read])
        return [one if isinstance(one, list) else [one] for one in each]
    parts = re.split(r"(?m)^-- variant$", text)
    bare = [re.sub(r"(?m)^--.*$", "", part) for part in parts]
    return [[one.strip() for one in part.split(";") if one.strip()] for part in bare]


def names_in(statement: Any) -> set[str]:
    if isinstance(statement, str):
        return set(PARAMETER.findall(statement))
    if isinstance(statement, dict):
        own = {statement["$param"]} if "$param" in statement else set()
        return own.union(*map(names_in, statement.values())) if set(statement) != {"$param"} else own
    return set().union(*map(names_in, statement)) if isinstance(statement, list) else set()


def files_of(folder: Path, kind: str) -> Iterator[tuple[str, Path]]:
    for path in files_in(folder / kind):
        yield path.relative_to(folder / kind).parts[0], path


def files_in(folder: Path) -> list[Path]:
    """Return its files, those of its options included."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def entities(folder: Path) -> set[str]:
    """Return the tables whose rows are followed, and those whose rows belong to these."""
    tables = checked(folder).workload["data"]["tables"]
    followed = {name for name, table in tables.items() if "entity" in table}
    return followed | {
        name for name, table in tables.items() if isinstance(table["rows"], dict) and table["rows"]["per"] in followed
    }


def tables_made(file: Path) -> set[str]:
    if file.suffix == ".json":
        return {each["name"] for each in json.loads(file.read_text())["collections"]}
    return set(re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", file.read_text()))


def test_there_are_folders() -> None:
    assert [path.name for path in FOLDERS] == [
        "mongodb",
        "postgresql",
        "bank",
        "blog",
        "document-store",
        "order-entry",
        "tpcb",
        "vehicle-test",
        "ycsb",
    ]


def test_each_system_of_the_schema_has_every_statement(folder: Path) -> None:
    systems = {path.stem for path in files_in(folder / "schema")}
    needed = {FALLBACK.get(system, system) for system in systems}
    for kind in ("transactions", "checks"):
        places = {path.name: {file.stem for file in files_in(path)} for path in folder.glob(f"{kind}/*")}
        told = {name: set(entry.get("systems") or needed) for name, entry in checked(folder).workload[kind].items()}
        # Rows that are followed need no check.
        assert (places or entities(folder)) and {
            name: found for name, found in places.items() if found != told.get(name, needed)
        } == {}


def test_the_sections_name_what_there_is(folder: Path) -> None:
    workload = checked(folder).workload
    assert set(workload["transactions"]) == {name for name, _ in files_of(folder, "transactions")}
    assert set(workload["checks"]) <= {name for name, _ in files_of(folder, "checks")}
    assert checked(folder).transactions <= set(workload["transactions"])
    made = [tables_made(file) for file in files_in(folder / "schema")]
    tables = workload["data"]["tables"]
    # Without rows of its own a table has no more than the values of others.
    assert set().union(*made) == {name for name, table in tables.items() if table.get("load", True)}
    assert "options" in workload or made == [made[0]] * len(made)


def test_every_transaction_is_in_a_mix(folder: Path) -> None:
    scenarios = checked(folder).merged.config["scenarios"]
    mixed = {name for scenario in scenarios.values() for name in scenario["mix"]}
    assert mixed == {name for name, _ in files_of(folder, "transactions")}


def test_parameters_are_declared_and_used(folder: Path) -> None:
    workload = checked(folder).workload
    options = set(workload.get("options", ()))
    used: set[str] = set()
    for name, file in files_of(folder, "transactions"):
        used.update(*(names_in(one) for each in variants(file) for one in each))
        steps = workload["transactions"][name].get("steps", [workload["transactions"][name]])
        for relation in ("equal", "contains", "greater", "less", "at-most"):
            for compared in (value for step in steps for value in step.get(relation, {}).values()):
                used.update(compared if isinstance(compared, list) else [compared])
    assert {name.partition(".")[0] for name in used} - options - entities(folder) == set(workload["parameters"])
    counts = {
        f"{kind}_{name.replace('-', '_')}"
        for kind in ("done", "unknown", "rows", "refused")
        for name in workload["transactions"]
    }
    counts |= {f"loaded_{table}" for table in workload["data"]["tables"]} | options
    for _, file in files_of(folder, "checks"):
        assert {name for one in variants(file)[0] for name in names_in(one)} <= counts


def test_references_lead_to_columns(folder: Path) -> None:
    workload = checked(folder).workload
    tables = workload["data"]["tables"]
    specs = [*workload["parameters"].values()]
    specs += [spec for table in tables.values() for spec in table.get("columns", {}).values()]
    leading = [(spec["table"], spec["column"]) for spec in specs if "table" in spec and spec["type"] != "children"]
    assert leading and [pair for pair in leading if pair[1].partition(".")[0] not in tables[pair[0]]["columns"]] == []


def test_several_statements_say_how_they_belong_together(folder: Path) -> None:
    for name, file in files_of(folder, "transactions"):
        said = checked(folder).workload["transactions"][name]
        sections = [said, *(one for key, one in said.items() if "=" in key)]
        for statements in variants(file):
            fitting = [one for one in sections if len(one.get("steps", [one])) == len(statements)]
            assert fitting, file
            assert len(statements) == 1 or fitting[0].get("isolation", said.get("isolation")), file


def test_ycsb_has_its_six_workloads() -> None:
    scenarios = checked(TAURUS / "workloads" / "ycsb").merged.config["scenarios"]
    assert {name: scenario["mix"] for name, scenario in scenarios.items() if name != "mix"} == {
        "workload-a": {"read": 50, "update": 50},
        "workload-b": {"read": 95, "update": 5},
        "workload-c": {"read": 100},
        "workload-d": {"read-latest": 95, "insert": 5},
        "workload-e": {"scan": 95, "insert": 5},
        "workload-f": {"read": 50, "read-modify-write": 50},
    }
    for system in ("postgresql.sql", "mongodb.json"):
        made = variants(TAURUS / "workloads" / "ycsb" / "transactions" / "update" / system)
        assert [names_in(one[0]) - {"key"} for one in made] == [{f"field{number}"} for number in range(10)]
