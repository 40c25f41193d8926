"""The tables of docs/configuration.md, made from the JSON Schemas of the YAML files.

``python -m tests.pages.configuration --write`` renews the tables in the page; without ``--write`` it prints them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
SCHEMAS = ROOT / "taurus" / "schemas"
PAGE = ROOT / "docs" / "configuration.md"
KINDS = ("profile", "target", "workload", "workload-folder")

_TABLE = re.compile(r"(<!-- table: (?P<name>\S+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
_LINE = re.compile(r"[\n|]")
# How the page calls the shared forms of values; the page explains each of them.
_FORMS = {
    "named": "`$OPTION`",
    "count": "whole number",
    "rate": "number above 0",
    "rate-or-0": "number",
    "duration": "duration",
    "percent": "share",
    "size": "size",
    "heap": "heap",
    "reporting": "list",
    "services": "list",
}
_SIZE = "KiB|MiB|GiB|TiB"
_DURATION = "[uU][sS]"


@dataclass(frozen=True)
class Part:
    """One mapping of a schema whose keys stand in a table, each behind the prefix."""

    kind: str
    pointer: str
    prefix: str = ""


_MAPPINGS = "definitions/reporting/items/anyOf"
_DRIVER = "definitions/options-"
_MODULES = (
    "local",
    "consolidator",
    "passfail",
    "shardload-console",
    "shardload",
    "final-stats",
    "junit-xml",
    "shellexec",
)
# Each table of the page by its name there.
TABLES: dict[str, tuple[Part, ...]] = {
    "sections": tuple(Part(kind, "") for kind in ("target", "workload", "profile")),
    "target": (Part("target", "properties/target"),),
    "target-parts": (
        Part("target", "properties/target/properties/redis", "redis."),
        Part("target", "properties/target/properties/hosts/items", "hosts[]."),
        Part("target", "properties/target/properties/metrics", "metrics."),
        Part("target", "properties/target/properties/price", "price."),
        Part("target", "properties/target/properties/faults/additionalProperties", "faults.NAME."),
        Part("target", "properties/target/properties/embedded-settings", "embedded-settings."),
    ),
    "options-postgresql": (Part("target", _DRIVER + "postgresql"),),
    "options-mariadb": (Part("target", _DRIVER + "mariadb"),),
    "options-mongodb": (Part("target", _DRIVER + "mongodb"),),
    "options-noop": (
        Part("target", _DRIVER + "noop"),
        Part("target", _DRIVER + "noop/properties/stalls/items", "stalls[]."),
    ),
    "schema-postgresql": (Part("target", "definitions/schema-postgresql"),),
    "schema-mongodb": (
        Part("target", "definitions/schema-mongodb"),
        Part("target", "definitions/schema-mongodb/properties/zones/items", "zones[]."),
    ),
    "workload": (
        Part("workload", "properties/workload"),
        Part("workload", "properties/scenarios/additionalProperties", "scenarios.NAME."),
    ),
    "data": (Part("workload", "definitions/data"),),
    "folder": (
        Part("workload-folder", "properties/workload"),
        Part("workload-folder", "properties/workload/properties/data/anyOf/2", "data."),
        Part("workload-folder", "definitions/table", "data.tables.NAME."),
        Part("workload-folder", "definitions/table/properties/rows/anyOf/3", "data.tables.NAME.rows."),
        Part("workload-folder", "definitions/table/properties/entity", "data.tables.NAME.entity."),
        Part("workload-folder", "definitions/option", "options.NAME."),
        Part("workload-folder", "definitions/check", "checks.NAME."),
        Part("workload-folder", "properties/scenarios/additionalProperties", "scenarios.NAME."),
    ),
    "values": (
        Part("workload-folder", "definitions/values"),
        Part("workload-folder", "definitions/values/properties/insert", "insert."),
    ),
    "transactions": (
        Part("workload-folder", "definitions/expectations"),
        Part("workload-folder", "definitions/transaction"),
        Part("workload-folder", "definitions/expectations/properties/steps/items", "steps[]."),
        Part("workload-folder", "definitions/expectations/properties/retries", "retries."),
        Part("workload-folder", "definitions/transaction/properties/choose", "choose."),
    ),
    "execution": (
        Part("profile", "definitions/execution"),
        Part("profile", "definitions/execution/properties/limits", "limits."),
        Part("profile", "definitions/execution/properties/stages/items", "stages[]."),
        Part("profile", "definitions/execution/properties/think-time/anyOf/1", "think-time."),
    ),
    "faults": (Part("profile", "properties/faults/items", "faults[]."),),
    "search": (Part("profile", "definitions/search"),),
    "run": (Part("profile", "definitions/run"),),
    "passfail": (Part("profile", _MAPPINGS + "/1"),),
    "criterion": (Part("profile", _MAPPINGS + "/1/properties/criteria/items/anyOf/1"),),
    "reporters": (
        Part("profile", _MAPPINGS + "/2", "shardload-console: "),
        Part("profile", _MAPPINGS + "/3", "junit-xml: "),
        Part("profile", _MAPPINGS + "/4", "final-stats: "),
    ),
    "services": (Part("profile", "definitions/services/items/anyOf/1", "shellexec: "),),
    "modules": tuple(Part("profile", f"definitions/modules/properties/{name}", f"{name}.") for name in _MODULES),
    "settings": (Part("profile", "definitions/settings"),),
}


def schema(kind: str) -> dict[str, Any]:
    """Return one of the schemas."""
    return dict(json.loads((SCHEMAS / f"{kind}.schema.json").read_text(encoding="utf-8")))


def node_at(whole: Any, pointer: str) -> dict[str, Any]:
    """Return the part of a schema at a path."""
    for name in pointer.split("/") if pointer else ():
        whole = whole[int(name)] if isinstance(whole, list) else whole[name]
    return dict(whole)


def keys_at(kind: str, pointer: str) -> dict[str, dict[str, Any]]:
    """Return the keys of a mapping, those that only refer to others with what these have."""
    whole = schema(kind)
    keys = node_at(whole, pointer)["properties"].items()
    return {key: node_at(whole, node["$ref"][2:]) if list(node) == ["$ref"] else node for key, node in keys}


def table(name: str) -> str:
    """Return one table in Markdown, without keys that an earlier part of it has said alike."""
    lines = ["| key | meaning | values | default |", "|---|---|---|---|"]
    rows: dict[tuple[str, str, str], list[str]] = {}
    for part in TABLES[name]:
        found = node_at(schema(part.kind), part.pointer)
        for key, node in keys_at(part.kind, part.pointer).items():
            default = "must be given" if key in found.get("required", ()) else shown_default(node)
            rows.setdefault((str(node["description"]), values(node), default), []).append(part.prefix + key)
    for (meaning, allowed, default), keys in rows.items():
        shown = ", ".join(f"`{key}`" for key in dict.fromkeys(keys))
        lines.append(f"| {shown} | {escaped(meaning)} | {allowed} | {default} |")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Keep a text within its cell."""
    return _LINE.sub(" ", text)


def shown_default(node: Mapping[str, Any]) -> str:
    """Return what a key that is left out counts as; a dash where the meaning says what happens then."""
    return code(node["default"]) if "default" in node else "-"


def code(value: object) -> str:
    """Return a value as it is written in YAML."""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`" if isinstance(value, (str, int, float)) else f"`{_flow(value)}`"


def _flow(value: object) -> str:
    """Return a list or mapping in YAML's flow style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return str(value)


def values(node: Mapping[str, Any]) -> str:
    """Return the allowed values of a key, or their form with an example."""
    if "const" in node:
        return code(node["const"])
    if "enum" in node:
        # YAML reads off as false, and an option may be given as a text.
        words = [str(word).lower() if isinstance(word, bool) else word for word in node["enum"]]
        if "off" in words:
            words.remove("false")
        return ", ".join(f"`{word}`" for word in dict.fromkeys(words) if word != "")
    found = list(dict.fromkeys(forms(node)))
    # A text is only another way to write a number, and a number alone is a duration in seconds.
    other_ways = ("number", "text") if "duration" in found else ("text", "whole number") if found[0] == "number" else ()
    found = [form for form in found if form not in other_ways]
    form = ", ".join(found)
    bounds = _bounds(node)
    example = ", ".join(code(one) for one in node.get("examples", ()))
    return form + bounds + (f", such as {example}" if example else "")


def _bounds(node: Mapping[str, Any]) -> str:
    least, most = node.get("minimum"), node.get("maximum")
    inner = next((one for one in node.get("anyOf", ()) if "maximum" in one), None)
    if least is None and most is None and inner:
        least, most = inner.get("minimum"), inner["maximum"]
    if most is not None:
        return f" {least} to {most}" if least is not None else f" up to {most}"
    return ""


def forms(node: Mapping[str, Any]) -> Iterator[str]:
    """Yield the kinds of values that a key takes, in the page's words."""
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        yield _FORMS.get(name, "mapping")
    for inner in (*node.get("allOf", ()), *node.get("anyOf", ())):
        if inner != {"type": "null"}:
            yield from (code(inner["const"]),) if "const" in inner else forms(inner)
    if "enum" in node:
        yield from (code(word) for word in node["enum"] if not isinstance(word, bool))
    pattern = str(node.get("pattern", ""))
    types = node.get("type", ())
    for name in [types] if isinstance(types, str) else types:
        if name == "string":
            marks = {_SIZE: "size", _DURATION: "duration", "kKM": "whole number"}
            yield next((form for mark, form in marks.items() if mark in pattern), "text")
        elif name != "null":
            yield {
                "integer": "whole number",
                "number": "number",
                "boolean": "`true`, `false`",
                "array": "list",
                "object": "mapping",
            }[name]


def render(page: str) -> str:
    """Return the page with each of its tables made anew."""
    return _TABLE.sub(lambda found: found[1] + table(found["name"]) + found[3], page)


def main() -> int:
    """Write the tables into the page, or print them."""
    if "--write" in sys.argv[1:]:
        PAGE.write_text(render(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        sys.stdout.write("\n".join(f"<!-- table: {name} -->\n{table(name)}" for name in TABLES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
