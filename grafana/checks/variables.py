"""The values of a dashboard's variables.

The rules are those of Grafana 11: ``metric_find_query.ts`` of the Prometheus data source (label_values, metrics,
query_result) and ``metricNamesToVariableValues`` (regular expression and sort).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from checks.store import Store
from checks.template import Value, fill, references
from checks.time_range import TimeRange

ALL = "$__all"
LABEL_VALUES = re.compile(r"label_values\((?:(.+),)?\s*([A-Za-z_]\w*)\s*\)\s*", re.DOTALL)
METRICS = re.compile(r"metrics\((.+)\)\s*", re.DOTALL)
QUERY_RESULT = re.compile(r"query_result\((.+)\)\s*", re.DOTALL)
LABEL_NAMES = re.compile(r"label_names\(.*\)\s*", re.DOTALL)


class VariableError(Exception):
    """A variable that Grafana could not resolve either."""


@dataclass(frozen=True)
class Resolved:
    """A variable with what can be chosen and what is."""

    name: str
    options: tuple[str, ...]
    chosen: Value
    asked: str = ""


def in_order(variables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each variable behind those that its query refers to."""
    waiting, done, ordered = list(variables), set[str](), []
    names = {variable["name"] for variable in variables}
    while waiting:
        ready = [variable for variable in waiting if not (references(query_of(variable)) & names - done)]
        if not ready:
            raise VariableError(f"variables refer to each other: {', '.join(v['name'] for v in waiting)}")
        ordered.append(ready[0])
        done.add(ready[0]["name"])
        waiting.remove(ready[0])
    return ordered


def query_of(variable: dict[str, Any]) -> str:
    """Return the query's text in either form that Grafana stores."""
    query = variable.get("query", "")
    return str(query.get("query", "")) if isinstance(query, dict) else str(query or "")


def resolve(
    variable: dict[str, Any], scope: Mapping[str, Value], store: Store, span: TimeRange, wanted: list[str] | None
) -> Resolved:
    """Return a variable's options and choice; wanted values come before those that the dashboard was saved with."""
    kind, name = variable.get("type"), variable["name"]
    asked = fill(query_of(variable), scope)
    if kind == "query":
        options = matching(asked_of_store(asked, store, span), variable.get("regex") or "", variable.get("sort") or 0)
    elif kind in ("custom", "interval"):
        options = [option.partition(" : ")[2] or option for option in re.split(r"\s*(?<!\\),\s*", query_of(variable))]
    elif kind == "datasource":
        return Resolved(name, (query_of(variable),), Value((store.url,)), "")
    elif kind in ("constant", "textbox"):
        return Resolved(name, (query_of(variable),), Value(tuple(wanted or [query_of(variable)])), "")
    else:
        raise VariableError(f"variable {name}: type {kind!r} is not supported")
    return Resolved(name, tuple(options), chosen(variable, options, wanted), asked if kind == "query" else "")


def chosen(variable: dict[str, Any], options: list[str], wanted: list[str] | None) -> Value:
    """Return the selection: the wanted values, else the saved ones that are still there, else All or the first."""
    regular = bool(variable.get("multi") or variable.get("includeAll"))
    saved = variable.get("current", {}).get("value")
    selected = wanted if wanted is not None else saved if isinstance(saved, list) else [saved] if saved else []
    everything = bool(variable.get("includeAll"))
    still = [value for value in selected if value in options or wanted is not None]
    if everything and (ALL in selected or "All" in selected or not still):
        # A custom value for All is put in as it is written.
        custom = variable.get("allValue")
        return Value((custom,), raw=True) if custom else Value(tuple(options), regular=True)
    return Value(tuple(still or options[:1]), regular=regular)


def asked_of_store(query: str, store: Store, span: TimeRange) -> list[str]:
    """Return the texts that the store answers to the query of a variable."""
    if not query:
        return []
    if found := LABEL_VALUES.fullmatch(query):
        return store.label_values(found[2], (found[1] or "").strip(), span.start, span.end)
    if found := METRICS.fullmatch(query):
        return sorted(name for name in store.metric_names() if re.search(found[1].strip(), name))
    if found := QUERY_RESULT.fullmatch(query):
        return [as_text(series, span.end) for series in store.query(found[1], span.end)]
    if LABEL_NAMES.fullmatch(query):
        raise VariableError("label_names() is not supported")
    return [as_text(series, span.end) for series in store.query(query, span.end)]


def as_text(series: dict[str, Any], time: float) -> str:
    """Return one result of query_result as the data source writes it: ``name{label="value"} 12 1700000000000``."""
    labels = ",".join(f'{label}="{value}"' for label, value in series["metric"].items() if label != "__name__")
    name = series["metric"].get("__name__", "")
    return f"{name}{{{labels}}} {series['value'][1]} {round(time * 1000)}"


def matching(values: list[str], expression: str, sort: int) -> list[str]:
    """Return what the regular expression leaves of the values, once each and sorted."""
    if expression:
        pattern = re.compile(
            re.sub(r"^/(.*)/\w*$", r"\1", fill(expression, {}), flags=re.DOTALL).replace("(?<", "(?P<")
        )
        found = [match for value in values if (match := pattern.search(value))]
        values = [_captured(match) for match in found]
    return _sorted(list(dict.fromkeys(values)), int(sort))


def _captured(match: re.Match[str]) -> str:
    named = match.groupdict()
    if named:
        return named.get("value") or named.get("text") or ""
    return next((group for group in match.groups() if group is not None), match[0]) if match.groups() else match[0]


def _sorted(values: list[str], sort: int) -> list[str]:
    if not sort:
        return values
    if sort in (3, 4, 7, 8):
        numbers = {value: re.search(r"\d+", value) for value in values}
        ordered = sorted(values, key=lambda value: int(found[0]) if (found := numbers[value]) else -1)
    else:
        ordered = sorted(values, key=str.lower if sort in (5, 6) else str)
    return ordered if sort % 2 else ordered[::-1]
