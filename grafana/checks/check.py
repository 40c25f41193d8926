"""Executes the queries of dashboards on a store and says what is wrong with them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from checks import promql, variables
from checks.dashboard import Dashboard, Panel, Query
from checks.store import Store, StoreError
from checks.template import Value, fill, unknown
from checks.time_range import Steps, TimeRange, duration, points, steps

# What Grafana itself puts in; their values are those of one query, or of nothing that is asked.
OWN = {"__interval", "__interval_ms", "__rate_interval", "__range", "__range_s", "__range_ms", "__from", "__to"}
ANNOTATION_POINTS = 1000
LEGEND = re.compile(r"\{\{\s*(.+?)\s*\}\}")


@dataclass(frozen=True)
class Setting:
    """What the queries are executed with."""

    store: Store
    span: TimeRange
    scrape_interval: str = ""
    wanted: Mapping[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """A query with its final expression and its series, or with the reason why there are none."""

    panel: Panel
    query: Query
    expression: str
    series: list[dict[str, Any]]
    error: str = ""

    @property
    def is_empty(self) -> bool:
        """Tell whether there is no number to show."""
        return not any(_has_number(series) for series in self.series)


def _has_number(series: dict[str, Any]) -> bool:
    values = series["values"] if "values" in series else [series["value"]]
    return any(math.isfinite(float(value)) for _, value in values)


def resolve(dashboard: Dashboard, setting: Setting) -> tuple[list[variables.Resolved], list[str]]:
    """Return the variables in the order of their resolution, and what is wrong with them."""
    scope: dict[str, Value] = range_scope(setting.span)
    found, problems = [], []
    for variable in variables.in_order(dashboard.variables):
        name = variable["name"]
        try:
            resolved = variables.resolve(variable, scope, setting.store, setting.span, _list(setting.wanted.get(name)))
        except (StoreError, variables.VariableError) as error:
            problems.append(f"variable {name}: {error}")
            continue
        if not resolved.options:
            problems.append(f"variable {name}: empty: {resolved.asked}")
        scope[name] = resolved.chosen
        found.append(resolved)
    return found, problems


def _list(values: list[str] | None) -> list[str] | None:
    return list(values) if values is not None else None


def range_scope(span: TimeRange) -> dict[str, Value]:
    """Return the values that depend on the time range alone."""
    length = round(span.length)
    texts = {
        "__range": f"{length}s",
        "__range_s": str(length),
        "__range_ms": str(length * 1000),
        "__from": str(round(span.start * 1000)),
        "__to": str(round(span.end * 1000)),
    }
    return {name: Value((text,), raw=True) for name, text in texts.items()}


def step_scope(chosen: Steps) -> dict[str, Value]:
    """Return the values that depend on the width of the panel."""
    texts = {
        "__interval": duration(chosen.interval),
        "__interval_ms": str(round(chosen.interval * 1000)),
        "__rate_interval": duration(chosen.rate_interval),
    }
    return {name: Value((text,), raw=True) for name, text in texts.items()}


def scope_of(found: Iterable[variables.Resolved], span: TimeRange) -> dict[str, Value]:
    """Return the values of all resolved variables, and those of the time range."""
    return {**range_scope(span), **{resolved.name: resolved.chosen for resolved in found}}


def execute(panel: Panel, query: Query, scope: Mapping[str, Value], setting: Setting) -> Answer:
    """Execute one query as the panel would in a window of 1440 pixels."""
    least = fill(query.least_interval, scope)
    chosen = steps(setting.span, panel.most_points or points(panel.columns), least, setting.scrape_interval)
    expression = fill(query.expression, {**scope, **step_scope(chosen)})
    try:
        if query.instant:
            series = setting.store.query(expression, setting.span.end)
        else:
            span = setting.span.aligned(chosen.interval)
            series = setting.store.query_range(expression, span.start, span.end, chosen.interval)
    except StoreError as error:
        return Answer(panel, query, expression, [], str(error))
    return Answer(panel, query, expression, series)


def execute_annotation(annotation: dict[str, Any], scope: Mapping[str, Value], setting: Setting) -> Answer:
    """Execute the query of an annotation."""
    text, step = str(annotation.get("textFormat") or ""), str(annotation.get("step") or "")
    query = Query("", str(annotation["expr"]), False, "time_series", step, text)
    panel = Panel(str(annotation.get("name")), "annotation", "", (query,), {"maxDataPoints": ANNOTATION_POINTS})
    return execute(panel, query, scope, setting)


def check(dashboard: Dashboard, setting: Setting) -> Iterator[str]:
    """Yield one line for each thing that is wrong with the dashboard."""
    known = setting.store.metric_names()
    found, problems = resolve(dashboard, setting)
    yield from problems
    for resolved in found:
        yield from _unknown_metrics(f"variable {resolved.name}", _inner(resolved.asked), known)
    scope = scope_of(found, setting.span)
    for panel in dashboard.panels:
        yield from _form(panel)
        where = f'panel "{panel.title}"'
        for query in panel.queries:
            for repeated in _repeats(panel, scope, found):
                yield from _faults(f"{where} {query.reference}", execute(panel, query, repeated, setting), known, scope)
    for annotation in dashboard.annotations:
        where = f'annotation "{annotation.get("name")}"'
        if not annotation.get("expr"):
            yield f"{where}: without a query"
            continue
        answer = execute_annotation(annotation, scope, setting)
        yield from _faults(where, answer, known, scope)
        if annotation.get("useValueForTime") and not answer.is_empty and not _has_time(answer, setting.span):
            yield f"{where}: no value is a time in the window, in milliseconds: {_line(answer.expression)}"


def _has_time(answer: Answer, span: TimeRange) -> bool:
    values = (float(value) for series in answer.series for _, value in series["values"])
    return any(span.start * 1000 <= value <= span.end * 1000 for value in values)


def count(dashboard: Dashboard) -> int:
    """Return how many queries a check executes."""
    asked = [variable for variable in dashboard.variables if variable.get("type") == "query"]
    return len(asked) + len(dashboard.annotations) + sum(len(panel.queries) for panel in dashboard.panels)


def _inner(asked: str) -> str:
    """Return the expression or selector in the query of a variable."""
    if found := variables.LABEL_VALUES.fullmatch(asked):
        return found[1] or ""
    found = variables.QUERY_RESULT.fullmatch(asked)
    return found[1] if found else ""


def _repeats(panel: Panel, scope: dict[str, Value], found: list[variables.Resolved]) -> Iterator[dict[str, Value]]:
    """Yield the scope of the panel, one for each value of the variable that it is repeated for."""
    if panel.repeat not in scope:
        yield scope
        return
    chosen = scope[panel.repeat]
    options = next(resolved.options for resolved in found if resolved.name == panel.repeat)
    for value in options if chosen.raw else chosen.values:
        yield {**scope, panel.repeat: Value((value,), regular=True)}


def _form(panel: Panel) -> Iterator[str]:
    where = f'panel "{panel.title}"' if panel.title else f"panel {panel.settings.get('id')} ({panel.kind})"
    if not panel.has_values:
        return
    if not panel.title:
        yield f"{where}: without title"
    if not panel.description:
        yield f"{where}: without description"
    if not panel.unit:
        yield f"{where}: without unit"
    if not panel.queries:
        yield f"{where}: without a query"


def _faults(where: str, answer: Answer, known: set[str], scope: Mapping[str, Value]) -> Iterator[str]:
    strange = unknown(answer.query.expression, {*scope, *OWN})
    yield from (f"{where}: unknown variable {name}" for name in strange)
    yield from _unknown_metrics(where, answer.expression, known)
    if answer.error:
        yield f"{where}: refused: {answer.error}: {_line(answer.expression)}"
    elif answer.is_empty:
        yield f"{where}: empty: {_line(answer.expression)}"
    for label in sorted(set(LEGEND.findall(answer.query.legend))):
        if any(label not in series["metric"] for series in answer.series):
            yield f"{where}: its series have no label {label}, which the legend names"


def _unknown_metrics(where: str, expression: str, known: set[str]) -> Iterator[str]:
    for name in sorted(promql.metrics(expression) - known):
        yield f"{where}: unknown metric {name}"


def _line(expression: str) -> str:
    return " ".join(expression.split())
