"""docs/configuration.md, the JSON Schemas and the code that reads the files say the same.

Which keys and words there are is compared in ``test_schemas.py`` and ``SchemaFilesTest``. Defaults that the Java
child knows are compared in ``SchemaFilesTest``.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from bzt.modules.aggregator import ConsolidatingAggregator
from jsonschema import Draft7Validator

from shardload.config import effective
from shardload.config.check import check
from shardload.config.commands import CLASSES
from shardload.config.effective import Checked
from shardload.config.merge import merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.config.values import criteria, quantities
from shardload.processes.session import Session
from tests.pages.configuration import KINDS, PAGE, TABLES, Part, keys_at, node_at, render, schema

ROOT = PAGE.parents[1]
TAURUS = ROOT / "taurus"
PLACES = Places(ROOT)
# Sections that all kinds of files share are in the schema of profiles; ``test_schemas.py`` keeps them alike.
SHARED = (
    "definitions/run",
    "definitions/reporting",
    "definitions/services",
    "definitions/modules",
    "definitions/settings",
)
OPEN = {"concurrency": 8, "throughput": 300, "ramp-up": "10s", "hold-for": "20s"}
CLOSED = {"concurrency": 8, "hold-for": "20s", "think-time": {"mean": "1s"}}
STAGES = {"concurrency": 8, "stages": [{"throughput": 300, "for": "20s"}]}


def test_the_page_has_the_tables_of_the_schemas() -> None:
    """Turned red by a default, a description and a key of a schema that were changed."""
    text = PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"<!-- table: (\S+) -->", text)) == set(TABLES)
    assert text == render(text), "run: python -m tests.pages.configuration --write (in taurus/)"


def mappings(node: Any, path: str = "") -> Iterator[str]:
    """Yield where a schema has a mapping with keys, but for its conditions."""
    if isinstance(node, dict):
        if "properties" in node:
            yield path
        for key, inner in node.items():
            if (path, key) != ("", "allOf"):
                yield from mappings(inner, f"{path}/{key}" if path else key)
    elif isinstance(node, list):
        for number, inner in enumerate(node):
            yield from mappings(inner, f"{path}/{number}")


def test_each_key_of_a_schema_is_in_a_table() -> None:
    """Turned red by a table that was taken out."""
    shown = {(part.kind, part.pointer) for parts in TABLES.values() for part in parts}
    for kind in KINDS:
        found = set(mappings(schema(kind))) - {"", "definitions/modules"}
        own = {path for path in found if kind == "profile" or not path.startswith(SHARED)}
        assert own - {pointer for known, pointer in shown if known == kind} == set()


def keys() -> list[tuple[Part, str, dict[str, Any]]]:
    return [
        (part, key, node)
        for parts in TABLES.values()
        for part in parts
        for key, node in keys_at(part.kind, part.pointer).items()
    ]


def test_each_key_has_a_meaning_and_values_or_an_example() -> None:
    for part, key, node in keys():
        where = f"{part.kind} {part.pointer} {key}"
        assert len(node["description"]) > 10 and node["description"].endswith("."), where
        shown = {"enum", "const", "default", "examples", "properties"} & set(node)
        types = [node.get("type")] if isinstance(node.get("type"), str) else node.get("type", [])
        assert shown or "boolean" in types or part.pointer == "" or key_of_mapping(node), where


def key_of_mapping(node: dict[str, Any]) -> bool:
    """Whether the value is a mapping or a list, whose parts have rows of their own."""
    text = json.dumps({name: node.get(name) for name in ("type", "anyOf", "$ref", "allOf")})
    return '"object"' in text or '"array"' in text or "definitions/data" in text


def read(load: dict[str, Any], tmp_path: Path, *overrides: str, **sections: Any) -> Checked:
    profile = tmp_path / "profile.yml"
    profile.write_text(yaml.safe_dump({"execution": [load], **sections}), encoding="utf-8")
    files = ["base.yml", "targets/noop.yml", "workloads/document-store.yml"]
    return check(merge([*(TAURUS / name for name in files), profile], overrides, PLACES))


def meant(checked: Checked) -> object:
    config = effective.build(checked, "run", None, "p")
    return {**config, "search": repr(checked.search)}


# By the path of a mapping: what is merged around its keys, and where they stand in an override.
AROUND: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "definitions/execution": (OPEN, "execution.0.", {}),
    "definitions/execution/properties/stages/items": (STAGES, "execution.0.stages.0.", {}),
    "definitions/execution/properties/think-time/anyOf/1": (CLOSED, "execution.0.think-time.", {}),
    "definitions/search": ({**OPEN, "throughput": 300}, "search.", {"search": {"repeats": 3}}),
    "properties/target": (OPEN, "target.", {}),
    "properties/target/properties/metrics": (OPEN, "target.metrics.", {}),
    "properties/workload": (OPEN, "workload.", {}),
    "": (OPEN, "", {}),
}
# Each default that this file compares in another way, or that Java has.
ELSEWHERE = (
    "definitions/options-", "definitions/schema-", "definitions/data", "definitions/values", "definitions/expectations",
    "definitions/transaction", "definitions/table",
    "definitions/modules", "definitions/settings", "definitions/reporting", "properties/faults",
)  # fmt: skip
ALONE = ("embedded-heap", "on-generator-loss")


def compared() -> list[tuple[str, str, Any]]:
    found = {
        (part.pointer, key, json.dumps(node["default"]))
        for part, key, node in keys()
        if "default" in node and not part.pointer.startswith(ELSEWHERE) and key not in ALONE
    }
    return [(pointer, key, json.loads(text)) for pointer, key, text in sorted(found)]


@pytest.mark.parametrize(("pointer", "key", "default"), compared())
def test_a_default_is_what_a_key_that_is_left_out_means(
    pointer: str, key: str, default: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turned red by other defaults in the schema: 2s for ramp, 20s for statement-timeout, poisson for arrivals."""
    monkeypatch.chdir(ROOT)
    load, prefix, sections = AROUND[pointer]
    load = {name: value for name, value in load.items() if name != key}
    sections = {
        name: {k: v for k, v in section.items() if k != key} or {"min-rate": 2} for name, section in sections.items()
    }
    absent = meant(read(load, tmp_path, **sections))
    assert meant(read(load, tmp_path, f"{prefix}{key}={json.dumps(default)}", **sections)) == absent


def test_defaults_of_what_needs_more_than_files() -> None:
    target = node_at(schema("target"), "properties/target/properties")
    assert target["embedded-heap"]["default"] == inspect.signature(Session).parameters["heap"].default
    execution = node_at(schema("profile"), "definitions/execution/properties")
    assert execution["on-generator-loss"]["default"] == execution["on-generator-loss"]["enum"][0] == "stop"


def test_defaults_of_criteria() -> None:
    pointer = "definitions/reporting/items/anyOf/1/properties/criteria/items/anyOf/1/properties"
    known = {key: node["default"] for key, node in node_at(schema("profile"), pointer).items() if "default" in node}
    assert set(known) == {"logic", "stop", "fail"}
    short = {"subject": "p99", "condition": ">", "threshold": "1s", "timeframe": "5s"}
    assert criteria.parse({**short, **known}) == criteria.parse(short)


def test_defaults_of_modules_and_settings_are_those_of_base_and_taurus() -> None:
    base = yaml.safe_load((TAURUS / "base.yml").read_text(encoding="utf-8"))
    modules = node_at(schema("profile"), "definitions/modules/properties")
    assert {name: node["properties"]["class"]["default"] for name, node in modules.items()} == CLASSES
    assert modules["shardload"]["properties"]["heap"]["default"] == base["modules"]["shardload"]["heap"]
    aggregator, own = ConsolidatingAggregator(), modules["consolidator"]["properties"]
    assert own["generalize-labels"]["default"] == aggregator.generalize_labels
    assert own["max-error-variety"]["default"] == aggregator.max_error_count
    settings = node_at(schema("profile"), "definitions/settings/properties")
    assert {name: node["default"] for name, node in settings.items()} == {"verbose": False, **base["settings"]}


FORMS = [
    ("percent", quantities.percent, ["1%", "0.5 %", "100%", "101%", "1", 1, "%", "-1%"]),
    ("duration", quantities.seconds, ["500us", "10s", "1m30s", 10, 0.5, "10", "1H", "2d", "", "5x", ".5s", "-1s"]),
    ("count", lambda value: quantities.whole(value, 1), [1, "10k", "2M", "1.5k", "5G", "10 k", "x", "1e3", 0]),
    ("rate", quantities.positive, [0.5, "10k", "2M", "5G", "", 0, "x"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "reader", "values"), FORMS, ids=lambda value: str(value)[:12])
def test_the_schema_takes_the_forms_that_the_code_takes(name: str, reader: Any, values: list[Any]) -> None:
    """Was red: the schema took shares without a percent sign, counts with G and durations without a first digit."""
    validator = Draft7Validator(node_at(schema("profile"), f"definitions/{name}"))
    for value in values:
        try:
            reader(value)
            is_read = True
        except Problem:
            is_read = False
        assert validator.is_valid(value) == is_read, value


@pytest.mark.parametrize("value", ["256m", "2g", "256MiB", "2GiB", "1.5g", "256k", "256", "1TiB"])
def test_the_schema_takes_the_heaps_that_the_code_takes(value: str) -> None:
    """Was red: the schema refused MiB and GiB."""
    for kind, pointer in (
        ("target", "properties/target/properties/embedded-heap"),
        ("profile", "definitions/modules/properties/shardload/properties/heap"),
    ):
        try:
            quantities.check_heap(value)
            is_read = True
        except Problem as problem:
            is_read = "memory of this machine" in str(problem)
        whole = {"definitions": schema(kind)["definitions"], **node_at(schema(kind), pointer)}
        assert Draft7Validator(whole).is_valid(value) == is_read


# For shardload's own processes; no user sets them.
INTERNAL = {
    "SHARDLOAD_ROOT",
    "SHARDLOAD_PROGRAM",
    "SHARDLOAD_SERIES",
    "SHARDLOAD_APART",
    "SHARDLOAD_EMBEDDED_PASSWORD",
    "SHARDLOAD_EMBEDDED_MARIADB_PASSWORD",
}


def test_the_page_has_each_environment_variable() -> None:
    """Turned red by the row of SHARDLOAD_KEYS taken out, and by a row of a variable that is nowhere read."""
    folders = (TAURUS / "shardload", TAURUS / "targets", ROOT / "java-samplers" / "src" / "main" / "java")
    files = [ROOT / "shardload", *(path for folder in folders for path in folder.rglob("*.*") if path.is_file())]
    texts = (path.read_text(encoding="utf-8", errors="ignore") for path in files if path.suffix != ".pyc")
    read_by_code = {name for text in texts for name in re.findall(r"\bSHARDLOAD_[A-Z_]+[A-Z]\b", text)}
    on_page = set(re.findall(r"\bSHARDLOAD_[A-Z_]+[A-Z]\b", PAGE.read_text(encoding="utf-8")))
    assert read_by_code - INTERNAL == on_page
