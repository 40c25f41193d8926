"""What can be seen in dashboards without a store: form, grid, names, links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from checks import promql
from checks.catalogue import Catalogue
from checks.dashboard import Dashboard, Panel
from checks.time_range import GRID_COLUMNS

# Those of Grafana's catalogue of units that these dashboards use, or may come to use.
UNITS = {
    "none", "short", "string", "percent", "percentunit", "bool", "dateTimeAsIso", "dateTimeFromNow",
    "ns", "µs", "ms", "s", "dtdurations", "bytes", "decbytes", "Bps", "binBps", "pps", "ops", "reqps", "rps", "wps",
    "iops", "cps", "hertz", "celsius",
}  # fmt: skip
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
REFERENCE = re.compile(r"\$(\{\w+\}|\w+)")
VARIABLE = re.compile(r"\$\{?(?P<name>[A-Za-z_]\w*)")
BUILT_IN = re.compile(r"__(interval|rate_interval|range)(_s|_ms)?")
# In a link from a table: the value in a column of the same row.
COLUMN = re.compile(r"\$\{__data\.fields\.(?P<name>\w+)(?:\.\w+)?\}")
PERCENTILE = re.compile(r"\bhistogram_quantile\s*\(|\bquantile=")
# Percentiles of several generators or moments, added or averaged.
_OVER = r"(?:(?:by|without)\s*\([^()]*\)\s*)?\(\s*histogram_quantile\b"
AVERAGED = re.compile(rf"\b(?:avg|sum)(?:_over_time)?\s*{_OVER}")
# The generators' counters of transactions: with "@ $results" without those from before the results.
COUNTED = re.compile(r"\bshardload_(?:arrivals|transactions|duration|phase|errors|stale|retries|rows)_\w*\{")
# MetricsQL's own functions are many; these are the ones that slip in, as Prometheus has them too but answers otherwise.
UNEQUAL = re.compile(r"\b(changes|resets|delta|idelta)\s*\(")


def lint(dashboards: Mapping[str, Dashboard], catalogue: Catalogue) -> list[str]:
    """Return one line per fault of the dashboards, which are given by file name."""
    found = []
    uids = Counter(dashboard.uid for dashboard in dashboards.values())
    for name, dashboard in dashboards.items():
        if uids[dashboard.uid] > 1:
            found.append(f"{name}: another dashboard has the uid {dashboard.uid} as well")
        faults = [*_of_panels(dashboard), *_of_grid(dashboard), *_of_queries(dashboard, catalogue)]
        faults += [f"{where}: without a query" for where, expression in _expressions(dashboard) if not expression]
        faults += [*_of_links(dashboard, dashboards), *_of_carried(dashboard, dashboards)]
        found += [f"{name}: {fault}" for fault in faults]
    return found


def _of_panels(dashboard: Dashboard) -> Iterator[str]:
    numbers = Counter(panel.settings.get("id") for panel in dashboard.panels)
    yield from (f"several panels have the id {number}" for number, times in numbers.items() if times > 1)
    titles = Counter(panel.title for panel in dashboard.panels if panel.has_values)
    yield from (f'several panels have the title "{title}"' for title, times in titles.items() if times > 1)
    for panel in dashboard.panels:
        if panel.has_values:
            yield from (f"{_name(panel)}: {fault}" for fault in _of_panel(panel))


def _name(panel: Panel) -> str:
    return f'panel "{panel.title}"' if panel.title else f"panel {panel.settings.get('id')}"


def _of_panel(panel: Panel) -> Iterator[str]:
    defaults: dict[str, Any] = panel.settings.get("fieldConfig", {}).get("defaults", {})
    if not panel.title:
        yield "without title"
    if not panel.description:
        yield "without description"
    elif not panel.description.endswith("."):
        yield "the description is no sentence"
    if not panel.unit:
        yield "without unit"
    elif panel.unit not in UNITS:
        yield f"unknown unit {panel.unit}"
    if not defaults.get("noValue"):
        yield "without a text for no value"
    if not panel.queries:
        yield "without a query"
    yield from _of_legends(panel)
    yield from _of_averaged(panel)
    yield from _of_counted(panel)
    yield from _of_source(panel)
    yield from _of_columns(panel)


def _of_legends(panel: Panel) -> Iterator[str]:
    """Yield wrong columns, and the series that are named only in part: as another one without its last words."""
    columns = panel.settings.get("options", {}).get("legend", {}).get("calcs", [])
    if "sum" in columns:
        yield "its legend adds the values of all steps, which depends on the window"
    if "mean" in columns and any(PERCENTILE.search(query.expression) for query in panel.queries):
        yield "its legend shows the mean of percentiles, which is no percentile"
    overrides = panel.settings.get("fieldConfig", {}).get("overrides", [])
    unlisted = [
        str(override["matcher"].get("options", "")).strip("/")
        for override in overrides
        if any(item.get("id") == "custom.hideFrom" for item in override.get("properties", []))
    ]
    for one in panel.queries if panel.kind == "timeseries" else ():
        for other in panel.queries:
            is_listed = not any(re.search(pattern, other.legend) for pattern in unlisted)
            if one is not other and is_listed and (other.legend + " ").startswith((f"{one.legend} ", f"{one.legend},")):
                yield f'the legend of query {one.reference} does not say how it differs from "{other.legend}"'


def _of_averaged(panel: Panel) -> Iterator[str]:
    for query in panel.queries:
        if AVERAGED.search(query.expression):
            yield f"query {query.reference} averages percentiles, which gives no percentile"


def _of_counted(panel: Panel) -> Iterator[str]:
    for query in panel.queries if panel.kind == "table" else ():
        if COUNTED.search(query.expression) and "@ $results" not in query.expression:
            yield f"query {query.reference} counts the warm-up"


def _of_columns(panel: Panel) -> Iterator[str]:
    done = panel.settings.get("transformations", [])
    names = {name for each in done for name in each.get("options", {}).get("renameByName", {}).values()}
    for url in _urls(panel.settings):
        for found in COLUMN.finditer(url):
            if found["name"] not in names:
                yield f"a link uses the column {found['name']}, which is not there"


def _of_source(panel: Panel) -> Iterator[str]:
    if panel.settings.get("datasource") != SOURCE:
        yield "its data source is not the variable"
    for target in panel.settings.get("targets", []):
        if target.get("datasource") != SOURCE:
            yield f"the data source of query {target.get('refId')} is not the variable"


def _of_grid(dashboard: Dashboard) -> Iterator[str]:
    places = {_name(panel): panel.settings.get("gridPos", {}) for panel in dashboard.panels}
    for name, place in places.items():
        if place.get("w", 0) < 1 or place.get("h", 0) < 1 or place.get("x", 0) + place.get("w", 0) > GRID_COLUMNS:
            yield f"{name} does not fit on the grid of {GRID_COLUMNS} columns"
    for (one, first), (other, second) in combinations(places.items(), 2):
        low, high = sorted((first, second), key=lambda place: place.get("h", 0))
        if low.get("y") == high.get("y") and low.get("h") != high.get("h") and _below(low, high) not in places.values():
            yield f"{one} and {other} stand side by side and are not equally high"
        if _overlap(first, second, "x", "w") and _overlap(first, second, "y", "h"):
            yield f"{one} and {other} overlap"


def _below(low: dict[str, Any], high: dict[str, Any]) -> dict[str, Any]:
    """Return the place that together with the first is as high as the second."""
    return {**low, "y": low["y"] + low["h"], "h": high["h"] - low["h"]}


def _overlap(one: Mapping[str, int], other: Mapping[str, int], start: str, length: str) -> bool:
    return one[start] < other[start] + other[length] and other[start] < one[start] + one[length]


def _of_queries(dashboard: Dashboard, catalogue: Catalogue) -> Iterator[str]:
    variables = {str(variable.get("name")) for variable in dashboard.variables}
    for where, expression in _expressions(dashboard):
        named = promql.metrics(REFERENCE.sub("0", expression))
        for name in sorted(named - catalogue.metrics.keys()):
            yield f"{where}: unknown metric {name}"
        yield from (f"{where}: {fault}" for fault in catalogue.faults(expression))
        if not where.startswith("variable "):
            for name in catalogue.without_source(expression):
                yield f"{where}: {name} is selected with all sources, which counts a run twice"
        for found in VARIABLE.finditer(expression):
            if found["name"] not in variables and not BUILT_IN.fullmatch(found["name"]):
                yield f"{where}: unknown variable {found['name']}"
        if unequal := UNEQUAL.search(expression):
            yield f"{where}: {unequal[1]}() means different things to Prometheus and VictoriaMetrics"


def _expressions(dashboard: Dashboard) -> Iterator[tuple[str, str]]:
    for panel in dashboard.panels:
        for query in panel.queries:
            yield f"{_name(panel)} {query.reference}", query.expression
    for annotation in dashboard.annotations:
        yield f'annotation "{annotation.get("name")}"', str(annotation.get("expr") or "")
    for variable in dashboard.variables:
        asked = variable.get("query")
        text = str(asked.get("query") if isinstance(asked, dict) else "")
        if inner := re.fullmatch(r"label_values\((.*), \w+\)|query_result\((.*)\)", text):
            yield f"variable {variable.get('name')}", inner[1] or inner[2]


def _of_links(dashboard: Dashboard, dashboards: Mapping[str, Dashboard]) -> Iterator[str]:
    known = {other.uid: other for other in dashboards.values()}
    own = {str(variable.get("name")) for variable in dashboard.variables}
    for url in _urls(dashboard.settings):
        parts = urlsplit(url)
        target = known.get(parts.path.removeprefix("/d/"))
        if not parts.path.startswith("/d/") or target is None:
            yield f"the link {url} leads to no dashboard"
            continue
        there = {f"var-{variable.get('name')}" for variable in target.variables}
        for name, value in parse_qsl(COLUMN.sub("", parts.query), keep_blank_values=True):
            if name.startswith("var-") and name not in there:
                yield f"the link {url} sets {name}, which {target.title} does not have"
            for used in VARIABLE.finditer(value):
                if used["name"] not in own and not BUILT_IN.fullmatch(used["name"]):
                    yield f"the link {url} uses the unknown variable {used['name']}"


def _of_carried(dashboard: Dashboard, dashboards: Mapping[str, Dashboard]) -> Iterator[str]:
    """Yield the links that carry several values to where one can be chosen."""
    known = {f"/d/{other.uid}": other for other in dashboards.values()}
    several = {str(variable.get("name")) for variable in dashboard.variables if variable.get("multi")}
    for link in dashboard.settings.get("links", []):
        there = known.get(link.get("url", "")) if link.get("includeVars") else None
        for variable in there.variables if there else []:
            if variable.get("name") in several and not variable.get("multi"):
                yield f"the link {link['url']} carries several values of {variable['name']} to where one is chosen"


def _urls(settings: object) -> Iterator[str]:
    if isinstance(settings, dict):
        for key, value in settings.items():
            if key == "url" and isinstance(value, str):
                yield value
            else:
                yield from _urls(value)
    elif isinstance(settings, list):
        yield from _all(settings)


def _all(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        yield from _urls(value)
