"""The tables of options in docs/targets.md have the options, values and defaults of schema and drivers, and no others.

``SchemaFilesTest`` compares the schema's options and words with those of the drivers, and the
defaults. Bounds are read here from the drivers' sources.
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
    "postgresql: target.options": ("options-postgresql", "jdbc/client/ConnectionSettings.java"),
    "postgresql: schema": ("schema-postgresql", "postgresql/schema/SchemaOptions.java"),
    "mariadb: target.options": ("options-mariadb", "jdbc/client/ConnectionSettings.java"),
    "mongodb: target.options": ("options-mongodb", "mongodb/client/Settings.java"),
    "mongodb: schema": ("schema-mongodb", "mongodb/schema/SchemaOptions.java"),
    "noop: target.options": ("options-noop", "noop/ServicePlan.java"),
}
BOUNDS = re.compile(r'integer\("([a-z-]+)", \w+, (\w+), (\w+)\)')


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


@pytest.mark.parametrize("heading", TABLES)
def test_a_table_has_the_defaults_of_the_schema(heading: str) -> None:
    """Turned red by another default in the page."""
    rows = table(heading)
    nodes = {option: node for option, node in definition(TABLES[heading][0]).items() if node.get("default", []) != []}
    assert len(nodes) >= 3, "no defaults were found"
    for option, node in nodes.items():
        default = node["default"]
        shown = str(default).lower() if isinstance(default, bool) else str(default)
        assert rows[option].default.strip("`") == shown, option
