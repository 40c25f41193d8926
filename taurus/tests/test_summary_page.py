"""docs/summary-json.md says what the schema of summary.json says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests import summary_page


def nodes(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key of the schema, with its path."""
    for name, inner in node.get("properties", {}).items():
        yield f"{path}/{name}", inner
        yield from nodes(inner, f"{path}/{name}")
    for variant in [*node.get("anyOf", ()), node.get("additionalProperties"), node.get("items")]:
        yield from nodes(variant, path) if isinstance(variant, dict) else ()
    for name, inner in node.get("definitions", {}).items():
        yield from nodes(inner, name)


def test_the_page_is_current() -> None:
    """Turned red by a changed description in the schema."""
    written = summary_page.PAGE.read_text(encoding="utf-8")
    assert written == summary_page.page(), "run: cd taurus && python -m tests.summary_page --write"


def test_every_key_has_a_description() -> None:
    """Turned red by a key without one."""
    schema = json.loads(summary_page.SCHEMA.read_text(encoding="utf-8"))
    assert [path for path, node in nodes(schema) if not node.get("description")] == []
