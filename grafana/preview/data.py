"""What a page draws: the dashboard's JSON with the answers to its queries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from checks.check import Answer, Setting, execute, execute_annotation, resolve, scope_of
from checks.dashboard import Dashboard, Panel
from checks.template import Value, fill
from checks.variables import Resolved


def collect(dashboard: Dashboard, setting: Setting, theme: str) -> dict[str, Any]:
    """Execute all queries and return the page's data."""
    found, problems = resolve(dashboard, setting)
    scope = scope_of(found, setting.span)
    panels = [_panel(panel, scope, setting) for panel in dashboard.panels]
    return {
        "title": dashboard.title,
        "theme": theme,
        "from": setting.span.start,
        "to": setting.span.end,
        "store": setting.store.url,
        "variables": _shown(dashboard, found),
        "problems": problems,
        "panels": laid_out(panels),
        "annotations": [_annotation(each, scope, setting) for each in dashboard.annotations if each.get("expr")],
    }


def _shown(dashboard: Dashboard, found: list[Resolved]) -> list[dict[str, str]]:
    chosen = {resolved.name: resolved.chosen for resolved in found}
    visible = [each for each in dashboard.variables if each.get("hide", 0) != 2 and each["name"] in chosen]
    return [
        {"label": str(each.get("label") or each["name"]), "value": _choice(each, chosen[each["name"]])}
        for each in visible
    ]


def _choice(variable: dict[str, Any], value: Value) -> str:
    return "All" if value.raw else ", ".join(value.values) if len(value.values) < 4 else f"{len(value.values)} selected"


def _panel(panel: Panel, scope: Mapping[str, Value], setting: Setting) -> dict[str, Any]:
    inner = dict(scope)
    if panel.repeat in scope:
        inner[panel.repeat] = Value(scope[panel.repeat].values[:1], regular=True)
    answers = [_answer(execute(panel, query, inner, setting)) for query in panel.queries]
    settings = {key: value for key, value in panel.settings.items() if key not in ("targets", "panels")}
    return {**settings, "title": fill(panel.title, _plain(inner)), "answers": answers}


def _plain(scope: Mapping[str, Value]) -> dict[str, Value]:
    return {name: Value((" + ".join(value.values),)) for name, value in scope.items()}


def _answer(answer: Answer) -> dict[str, Any]:
    query = answer.query
    series = [
        {
            "name": legend(query.legend, each["metric"]),
            "labels": {name: value for name, value in each["metric"].items() if name != "__name__"},
            "values": each["values"] if "values" in each else [each["value"]],
        }
        for each in answer.series
    ]
    return {"ref": query.reference, "format": query.shape, "error": answer.error, "series": series}


def legend(template: str, labels: Mapping[str, str]) -> str:
    """Return the name of a series: the legend with labels put in, or the series as PromQL writes it."""
    if template and template != "__auto":
        return re.sub(r"\{\{\s*(.+?)\s*\}\}", lambda found: labels.get(found[1], ""), template)
    if template == "__auto" and len(labels) == 1:
        return next(iter(labels.values()))
    inner = ", ".join(f'{name}="{value}"' for name, value in labels.items() if name != "__name__")
    return labels.get("__name__", "") + (f"{{{inner}}}" if inner or "__name__" not in labels else "")


def _annotation(annotation: dict[str, Any], scope: Mapping[str, Value], setting: Setting) -> dict[str, Any]:
    answer = execute_annotation(annotation, scope, setting)
    uses_value = bool(annotation.get("useValueForTime"))
    events: dict[tuple[float, str], None] = {}
    for series in answer.series:
        title = legend(annotation.get("titleFormat") or annotation.get("name", ""), series["metric"])
        for moment, value in series["values"]:
            # The value is a time in milliseconds; each sample of the series says the same one.
            events[float(value) / 1000 if uses_value else float(moment), title] = None
    return {
        "name": annotation.get("name", ""),
        "color": annotation.get("iconColor", "red"),
        "events": [{"time": moment, "title": title} for moment, title in events],
    }


def laid_out(panels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the panels with the rows that are collapsed opened: what lies below moves down."""
    moved: list[dict[str, Any]] = []
    shift = inside = top = 0
    for panel in panels:
        place = dict(panel.get("gridPos") or {"x": 0, "y": 0, "w": 24, "h": 1})
        if panel.get("type") == "row":
            shift += inside
            inside = 0
            top = place["y"]
        elif panel.get("type") and moved and _is_within_collapsed(moved):
            inside = max(inside, place["y"] + place["h"] - top - 1)
        place["y"] += shift
        moved.append({**panel, "gridPos": place})
    return moved


def _is_within_collapsed(before: list[dict[str, Any]]) -> bool:
    row = next((panel for panel in reversed(before) if panel.get("type") == "row"), None)
    return bool(row and row.get("collapsed"))
