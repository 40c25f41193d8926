"""The tables of options in docs/targets.md have the options, values and defaults of schema and drivers, and no others.

``SchemaFilesTest`` compares the schema's options and words with those of the drivers. Defaults and bounds are read here
from the drivers' sources.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "targets.md"
DRIVERS = ROOT / "java-samplers" / "src" / "main" / "java" / "io" / "shardload" / "driver"
# The heading of each table; the definition in the schema; the file that reads the options.
TABLES = {
    "postgresql: target.options": ("options-postgresql", "postgresql/client/Settings.java"),
    "postgresql: schema": ("schema-postgresql", "postgresql/schema/SchemaOptions.java"),
    "mongodb: target.options": ("options-mongodb", "mongodb/client/Settings.java"),
    "mongodb: schema": ("schema-mongodb", "mongodb/schema/SchemaOptions.java"),
    "noop: target.options": ("options-noop", "noop/ServicePlan.java"),
}
READ = re.compile(
    r'(?:\.|\b)(?:choice|integer|flag|number|text|duration)\(\s*"([a-z-]+)",\s*("[^"]*"|Duration\.\w+(?:\(\d+\))?|[\w.]+)'
)
AT_LEAST_ONE_SECOND = re.compile(r'atLeastOneSecond\(options, "([a-z-]+)"\)')
DURATIONS = {"Duration.ZERO": "0s", "Duration.ofSeconds(5)": "5s", "Duration.ofMinutes(5)": "5m"}
BOUNDS = re.compile(r'integer\("([a-z-]+)", \w+, (\w+), (\w+)\)')
# The page describes these defaults in words: the code has 0 or an empty text for them, or decides by another option.
IN_WORDS = {"pool-size", "shard-count", "initial-chunks", "auth-mechanism", "write-concern", "write-concern-timeout"}


class Row(NamedTuple):
    values: str
    default: str


def table(heading: str) -> dict[str, Row]:
    """Return the rows of the table below a heading, by option."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n### {heading}\n")[1].split("\n#")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("| `")]
    found = {cells[0].strip("`"): Row(cells[1], cells[2]) for cells in rows}
    assert len(found) == len(rows), f"{heading}: an option stands twice"
    return found


def definition(name: str) -> dict[str, Any]:
    schema = json.loads((ROOT / "taurus" / "schemas" / "target.schema.json").read_text(encoding="utf-8"))
    return dict(schema["definitions"][name]["properties"])


def words(cell: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", cell))


@pytest.mark.parametrize("heading", TABLES)
def test_a_table_has_the_options_that_the_driver_knows(heading: str) -> None:
    """Turned red by a row taken out of the page, and by one added to it."""
    assert set(table(heading)) == set(definition(TABLES[heading][0]))


@pytest.mark.parametrize("heading", TABLES)
def test_a_table_has_the_values_of_the_schema(heading: str) -> None:
    """Turned red by a word and by a bound that were changed in the page."""
    rows = table(heading)
    for option, node in definition(TABLES[heading][0]).items():
        cell = rows[option].values
        if "enum" in node:
            wanted = {str(word).lower() if isinstance(word, bool) else word for word in node["enum"]} - {""}
            assert words(cell) == wanted, option
        elif "maximum" in node:
            assert cell == f"{node['minimum']} to {node['maximum']}", option
        elif "allOf" in node:
            least = ", at least 1s" if node.get("description") == "At least 1s." else ""
            assert cell == f"a duration{least}", option


def constants(text: str, kind: str) -> dict[str, str]:
    return dict(re.findall(rf'static final {kind} (\w+) = "?([^";]+)"?;', text))


@pytest.mark.parametrize("heading", [heading for heading in TABLES if not heading.startswith("noop")])
def test_a_table_has_the_bounds_of_the_code(heading: str) -> None:
    """Turned red by another bound in the page."""
    source = (DRIVERS / TABLES[heading][1]).read_text(encoding="utf-8")
    named = constants(source, "int")
    bounds = BOUNDS.findall(source)
    assert bounds, "no bounds were found"
    for option, least, most in bounds:
        low, high = (int(named.get(bound, bound).replace("_", "")) for bound in (least, most))
        assert table(heading)[option].values == f"{low} to {high}", option


def defaults(source: str) -> dict[str, str]:
    """Return the defaults that a driver reads its options with, as the page writes them."""
    text = (DRIVERS / source).read_text(encoding="utf-8")
    named = constants(text, "String")
    found = dict.fromkeys(AT_LEAST_ONE_SECOND.findall(text), DURATIONS["Duration.ofSeconds(5)"])
    for option, default in READ.findall(text):
        found[option] = DURATIONS.get(default, named.get(default, default.strip('"')))
    return found


@pytest.mark.parametrize("heading", TABLES)
def test_a_table_has_the_defaults_of_the_code(heading: str) -> None:
    """Turned red by another default in the page, and by another one in Settings.java."""
    name, source = TABLES[heading]
    rows, nodes, coded = table(heading), definition(name), defaults(source)
    checked = 0
    for option, default in coded.items():
        if option not in rows or option in IN_WORDS:
            continue
        checked += 1
        assert rows[option].default.strip("`") == default, option
        if "default" in nodes[option]:
            told = nodes[option]["default"]
            assert (str(told).lower() if isinstance(told, bool) else str(told)) == default, option
    assert checked >= 3, f"{source}: no defaults were found"
    for option, node in nodes.items():
        # An empty list is the default of an absent list: no line of the code names it.
        assert (node.get("default", []) != []) <= (option in coded), f"{option}: its default was not found in {source}"
