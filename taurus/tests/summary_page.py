"""docs/summary-json.md, made from the schema of summary.json.

``python -m tests.summary_page --write`` renews the page; a test demands that it is current.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "taurus" / "schemas" / "summary.schema.json"
PAGE = ROOT / "docs" / "summary-json.md"
HEAD = """# Every key of summary.json

<!-- Generated from taurus/schemas/summary.schema.json: cd taurus && python -m tests.summary_page --write -->

{description}

[results.md](results.md) explains the terms, and has ten lines of Python that read this file. The same descriptions are
in the JSON Schema `taurus/schemas/summary.schema.json`.
"""
Node = Mapping[str, Any]


def page() -> str:
    """Return the whole page."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    text = HEAD.format(description=schema["description"])
    text += "\n## The file\n" + "".join(_table(_rows(schema, "")))
    for name, definition in sorted(schema["definitions"].items()):
        text += f"\n## {name.capitalize()}\n{definition['description']}\n\n" + "".join(_table(_rows(definition, "")))
    return text


def _rows(node: Node, prefix: str) -> Iterator[tuple[str, str, str]]:
    """Name, type and meaning of each key, those of inner objects after their own."""
    for name, inner in node.get("properties", {}).items():
        key = prefix + name
        yield key, _type(inner), inner.get("description", "")
        for variant in (inner, *inner.get("anyOf", ())):
            yield from _rows(variant, key + ".")
            entries = variant.get("additionalProperties")
            if isinstance(entries, dict) and "properties" in entries:
                yield from _rows(entries, key + ".NAME.")


def _type(node: Node) -> str:
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "enum" in node:
        return "one of " + ", ".join(f"`{value}`" for value in node["enum"])
    if "anyOf" in node:
        return " or ".join(_type(variant) for variant in reversed(node["anyOf"]))
    kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
    if kinds == ["array"]:
        return "list of " + (_type(node["items"]) if "items" in node else "values")
    return " or ".join(kinds)


def _table(rows: Iterator[tuple[str, str, str]]) -> Iterator[str]:
    yield "| key | type | meaning |\n|---|---|---|\n"
    for key, kind, meaning in rows:
        yield f"| `{key}` | {kind} | {meaning} |\n"


def main(arguments: list[str]) -> int:
    """Write the page, or say whether it is current."""
    if arguments == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    print("usage: python -m tests.summary_page --write", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
