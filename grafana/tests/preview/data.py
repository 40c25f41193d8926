"""What a page draws: the dashboard's JSON with the answers to its queries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from checks.check import Answer, Setting, execute, execute_annotation, resolve, scope_of
from checks.dashboard import Dashboard, Panel
from checks.template import Value
from checks.variables import Resolved


def collect(dashboard: Dashboard, setting: Setting) -> dict[str, Any]:
    """Execute all queries and return the page's data."""
    found, _ = resolve(dashboard, setting)
    scope = scope_of(found, setting.span)
    return {
        "title": dashboard.title,
        "from": setting.span.start,
        "to": setting.span.end,
        "variables": _shown(dashboard, found),
        "panels": [_panel(panel, scope, setting) for panel in dashboard.panels],
        "annotations": [_annotation(each, scope, setting) for each in dashboard.annotations],
    }


def _shown(dashboard: Dashboard, found: list[Resolved]) -> list[dict[str, str]]:
    chosen = {resolved.name: resolved.chosen for resolved in found}
    visible = [each for each in dashboard.variables if each.get("hide", 0) != 2 and each["name"] in chosen]
    return [
        {"label": str(each.get("label") or each["name"]), "value": _choice(chosen[each["name"]])} for each in visible
    ]


def _choice(value: Value) -> str:
    return "All" if value.raw else ", ".join(value.values) if len(value.values) < 4 else f"{len(value.values)} selected"


def _panel(panel: Panel, scope: Mapping[str, Value], setting: Setting) -> dict[str, Any]:
    answers = [_answer(execute(panel, query, scope, setting)) for query in panel.queries]
    return {**panel.settings, "title": panel.title, "answers": answers}


def _answer(answer: Answer) -> dict[str, Any]:
    series = [
        {
            "name": _legend(answer.query.legend, each["metric"]),
            "labels": {name: value for name, value in each["metric"].items() if name != "__name__"},
            "values": each["values"] if "values" in each else [each["value"]],
        }
        for each in answer.series
    ]
    return {"ref": answer.query.reference, "error": answer.error, "series": series}


def _legend(template: str, labels: Mapping[str, str]) -> str:
    """Return the name of a series: the legend with labels put in."""
    return re.sub(r"\{\{\s*(.+?)\s*\}\}", lambda found: labels.get(found[1], ""), template)


def _annotation(annotation: dict[str, Any], scope: Mapping[str, Value], setting: Setting) -> dict[str, Any]:
    # The value is a time in milliseconds; each sample of the series has the same one.
    answer = execute_annotation(annotation, scope, setting)
    times = sorted({float(value) / 1000 for series in answer.series for _, value in series["values"]})
    return {"name": annotation["name"], "color": annotation["iconColor"], "times": times}
