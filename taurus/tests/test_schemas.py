"""The JSON Schemas of the YAML files: they know the keys that the code knows, no more and no less.

Keys that only the Java child checks (options of drivers, data, parameters) have such a test in ``SchemaFilesTest``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from shardload.config.problem import Problem
from shardload.config.values import criteria

TAURUS = Path(__file__).resolve().parents[1]
SCHEMAS = TAURUS / "schemas"
KINDS = ("target", "profile", "workload", "workload-folder")
# An unknown value, near no known one: the message then names all that are known.
FAR = "zzzzqqqq"


def schema(kind: str) -> dict[str, Any]:
    return dict(json.loads((SCHEMAS / f"{kind}.schema.json").read_text(encoding="utf-8")))


def shipped() -> Iterator[tuple[Path, str]]:
    for path in sorted((TAURUS / "targets").glob("*.yml")):
        yield path, "target"
    for path in sorted((TAURUS / "profiles").glob("*.yml")):
        yield path, "profile"
    for path in sorted((TAURUS / "workloads").glob("*.yml")):
        yield path, "workload"
    for path in sorted((TAURUS / "workloads").glob("*/workload.yml")):
        yield path, "workload-folder"


def problems(kind: str, content: object) -> list[str]:
    return [error.message for error in Draft7Validator(schema(kind)).iter_errors(content)]


def content_of(path: Path) -> Any:
    return json.loads(json.dumps(yaml.safe_load(path.read_text(encoding="utf-8")), default=str))


@pytest.mark.parametrize("kind", [*KINDS, "summary"])
def test_each_schema_is_one(kind: str) -> None:
    Draft7Validator.check_schema(schema(kind))
    assert schema(kind)["title"].startswith("shardload")


@pytest.mark.parametrize(("path", "kind"), list(shipped()), ids=lambda value: getattr(value, "stem", value))
def test_shipped_files_are_valid_and_name_their_schema(path: Path, kind: str) -> None:
    assert problems(kind, content_of(path)) == []
    first = path.read_text(encoding="utf-8").splitlines()[0]
    found = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
    assert found, f"{path} names no schema in its first line"
    assert (path.parent / found[1]).resolve() == SCHEMAS / f"{kind}.schema.json"


@pytest.mark.parametrize(
    "path", sorted((TAURUS / "scaffold").glob("*/workload.yml")), ids=lambda path: path.parent.name
)
def test_the_folder_that_init_writes_is_valid(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("@NAME@", "shop")
    assert problems("workload-folder", json.loads(json.dumps(yaml.safe_load(text), default=str))) == []


def test_a_definition_is_the_same_in_all_kinds_of_files() -> None:
    """The checker knows definitions by their names alone."""
    found: dict[str, set[str]] = {}
    for kind in ("target", "profile", "workload"):
        for name, node in schema(kind)["definitions"].items():
            found.setdefault(name, set()).add(json.dumps(node, sort_keys=True))
    for name in ("run", "reporting", "services", "modules", "settings", "heap"):
        found[name].add(json.dumps(schema("workload-folder")["definitions"][name], sort_keys=True))
    assert [name for name, nodes in found.items() if len(nodes) > 1] == []


def at(kind: str, *path: str) -> dict[str, Any]:
    node: Any = schema(kind)
    for part in path:
        node = node[part]
    return dict(node)


def test_a_criterion_as_a_mapping_knows_the_conditions_of_the_code() -> None:
    items = at("profile", "definitions", "reporting", "items")["anyOf"]
    passfail = next(item for item in items if item.get("properties", {}).get("module", {}).get("const") == "passfail")
    mapping = passfail["properties"]["criteria"]["items"]["anyOf"][1]["properties"]
    for condition in mapping["condition"]["enum"]:
        criteria.parse({"subject": "fail", "condition": condition, "threshold": "1%"})
    with pytest.raises(Problem) as refused:
        criteria.parse({"subject": "fail", "condition": FAR, "threshold": "1%"})
    assert known_in(str(refused.value)) == set(mapping["condition"]["enum"])


def known_in(message: str) -> set[str]:
    return set(message.partition("known are ")[2].split(", "))


MIX = {"mix": {"mix": {"a": 100}}}


def transaction(**keys: object) -> dict[str, Any]:
    return {"workload": {"name": "s", "transactions": {"a": keys}}, "scenarios": MIX}


# Each differs from a right file in one thing; the path leads to it.
WRONG: list[tuple[str, dict[str, Any]]] = [
    ("target", {"target": {}}),
    ("target", {"target": {"driver": "oracle"}}),
    ("target", {"target": {"driver": "noop", "url": "postgresql://me:secret@db/x"}}),
    ("target", {"target": {"driver": "noop", "password-env": "not a name"}}),
    ("target", {"target": {"driver": "noop", "options": {"statements": "simple"}}}),
    ("target", {"target": {"driver": "postgresql", "options": {"statement": "simple"}}}),
    ("target", {"target": {"driver": "postgresql", "options": {"pool-size": 0}}}),
    ("target", {"target": {"driver": "postgresql"}, "schema": {"index": "hashed"}}),
    ("target", {"target": {"driver": "mongodb"}, "schema": {"index": "btree"}}),
    ("target", {"target": {"driver": "mongodb", "options": {"topology": "replicaset"}}}),
    ("target", {"target": {"driver": "noop", "hosts": [{"host": "a"}]}}),
    ("target", {"target": {"driver": "noop", "metrics": {"listen": "a b"}}}),
    ("target", {"target": {"driver": "noop"}, "execution": []}),
    ("target", {"target": {"driver": "noop"}, "run": {"name": "a/b"}}),
    ("target", {"target": {"driver": "noop"}, "run": {"tags": {"a.b": 1}}}),
    ("profile", {}),
    ("profile", {"execution": []}),
    ("profile", {"execution": [{}, {}]}),
    ("profile", {"execution": [{"throughput": -1}]}),
    ("profile", {"execution": [{"hold-for": "a while"}]}),
    ("profile", {"execution": [{"retries": -1}]}),
    ("profile", {"execution": {}, "reporting": [{"module": "passfail", "criteria": []}]}),
    ("profile", {"execution": {}, "reporting": [{"module": "passfail", "criterion": ["p99>1s"]}]}),
    ("profile", {"execution": {}, "reporting": [{"module": "blazemeter"}]}),
    ("profile", {"execution": {}, "modules": {"jmeter": {}}}),
    ("workload", {"workload": {"name": "document-store"}}),
    ("workload", {"workload": {"name": "Blog"}, "scenarios": {"mix": {"mix": {"insert": 100}}}}),
    ("workload", {"workload": {"name": "document-store"}, "scenarios": {"mix": {"requests": []}}}),
    ("workload-folder", {"workload": {"name": "My Shop"}, "scenarios": MIX}),
    ("workload-folder", {"workload": {"name": "s", "parameters": {"a": {"type": "int"}}}, "scenarios": MIX}),
    ("workload-folder", {"workload": {"name": "s", "checks": {"a": {"when": "during"}}}, "scenarios": MIX}),
    ("workload-folder", {"workload": {"name": "s", "transactions": {"a": {"rows": "two"}}}, "scenarios": MIX}),
    ("workload-folder", {"workload": {"name": "s", "data": {"tables": {"t": {"columns": {}}}}}, "scenarios": MIX}),
    ("workload-folder", transaction(rows="one", otherwise="refused")),
    ("workload-folder", transaction(retries={"wait": "5ms"})),
    ("workload-folder", transaction(retries={"times": 21})),
    ("workload-folder", transaction(unknown="retry")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_file_is_invalid(kind: str, content: dict[str, Any]) -> None:
    assert problems(kind, content)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("target", {"target": {"driver": "noop", "metrics": {"listen": False}, "host-metrics": False}}),
        ("target", {"target": {"driver": "postgresql", "user": None, "password-env": None}, "schema": None}),
        ("target", {"target": {"driver": "noop"}, "run": {"name": "a", "tags": {"build": 17}, "note": "x"}}),
        ("profile", {"execution": {"concurrency": "8", "throughput": 0.5, "hold-for": "1m30s", "warm-up": 5}}),
        ("profile", {"execution": [{"retries": "none", "limits": {"errors": "0.1%", "p99": "500us"}}]}),
        ("profile", {"execution": [{"distributed": ["a:1099", "b"], "on-generator-loss": "continue"}]}),
        ("profile", {"execution": {}, "reporting": [{"module": "junit-xml", "data-source": "pass-fail"}]}),
        ("profile", {"execution": {}, "~reporting": [{"module": "shardload-console"}]}),
        ("workload-folder", {"workload": {"name": "s", "data": "existing", "checks": {"a": None}}, "scenarios": MIX}),
        ("workload-folder", transaction(isolation="default", steps=[{"rows": 1, "otherwise": "refuse"}, {}])),
        ("workload-folder", transaction(retries={"times": 5, "wait": "5ms..50ms"}, unknown="repeat", citus={})),
    ],
)  # fmt: skip
def test_unusual_right_files_are_valid(kind: str, content: dict[str, Any]) -> None:
    assert problems(kind, content) == []


def described(node: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every property of a schema with its path."""
    if isinstance(node, Mapping):
        for name, inner in node.get("properties", {}).items():
            yield f"{path}/{name}", inner
        for key, inner in node.items():
            yield from described(inner, f"{path}/{key}")
    elif isinstance(node, list):
        for item in node:
            yield from described(item, path)


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_and_examples_are_valid(kind: str) -> None:
    whole = schema(kind)
    seen = 0
    for path, node in described(whole):
        for value in [*([node["default"]] if "default" in node else []), *node.get("examples", [])]:
            seen += 1
            inner = {**node, "definitions": whole["definitions"]}
            assert not list(Draft7Validator(inner).iter_errors(value)), f"{path}: {value!r}"
    assert seen > 5
