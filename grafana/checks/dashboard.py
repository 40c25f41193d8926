"""The parts of a dashboard's JSON that a check or a drawing needs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checks.time_range import GRID_COLUMNS

# Panels without values of their own.
SILENT = ("row", "text", "news", "dashlist", "alertlist", "annolist")
# Data sources that are none: computed from other queries, or another panel's.
DERIVED = ("__expr__", "-- Dashboard --")


class DashboardError(Exception):
    """A file that holds no dashboard; the text names the file."""


@dataclass(frozen=True)
class Query:
    """One query of a panel."""

    reference: str
    expression: str
    instant: bool
    shape: str
    least_interval: str
    legend: str


@dataclass(frozen=True)
class Panel:
    """One panel; ``settings`` is its JSON."""

    title: str
    kind: str
    row: str
    queries: tuple[Query, ...]
    settings: dict[str, Any]

    @property
    def columns(self) -> int:
        """Return the width, of 24 columns."""
        return int(self.settings.get("gridPos", {}).get("w", GRID_COLUMNS))

    @property
    def most_points(self) -> int | None:
        """Return the number of points that the panel fixes."""
        return self.settings.get("maxDataPoints")

    @property
    def repeat(self) -> str:
        """Return the variable that the panel is repeated for."""
        return str(self.settings.get("repeat") or "")

    @property
    def description(self) -> str:
        """Return the text that says how to read the panel."""
        return str(self.settings.get("description") or "").strip()

    @property
    def unit(self) -> str:
        """Return the unit of the values; that of a heat map is its axis'."""
        defaults = self.settings.get("fieldConfig", {}).get("defaults", {})
        axis = self.settings.get("options", {}).get("yAxis", {}) if self.kind == "heatmap" else {}
        return str(axis.get("unit") or defaults.get("unit") or "")

    @property
    def has_values(self) -> bool:
        """Tell whether the panel shows answers of queries."""
        return self.kind not in SILENT


@dataclass(frozen=True)
class Dashboard:
    """One dashboard; ``settings`` is its JSON."""

    name: str
    settings: dict[str, Any]

    @property
    def uid(self) -> str:
        """Return the identifier in links."""
        return str(self.settings.get("uid") or "")

    @property
    def title(self) -> str:
        """Return the title."""
        return str(self.settings.get("title") or "")

    @property
    def variables(self) -> list[dict[str, Any]]:
        """Return the variables as they are listed."""
        return list(self.settings.get("templating", {}).get("list", []))

    @property
    def annotations(self) -> list[dict[str, Any]]:
        """Return the annotation queries that a store answers: not the built-in one."""
        listed = self.settings.get("annotations", {}).get("list", [])
        return [annotation for annotation in listed if not annotation.get("builtIn")]

    @property
    def panels(self) -> list[Panel]:
        """Return all panels, those in rows included."""
        return list(_panels(self.settings.get("panels", []), ""))


def read(path: Path) -> Dashboard:
    """Read a dashboard from its file."""
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DashboardError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise DashboardError(f"{path}: no JSON: {error}") from None
    if not isinstance(settings, dict) or not isinstance(settings.get("panels"), list):
        raise DashboardError(f"{path}: no dashboard: it has no panels")
    return Dashboard(path.stem, settings)


def _panels(listed: list[dict[str, Any]], row: str) -> Iterator[Panel]:
    for settings in listed:
        kind = str(settings.get("type", ""))
        if kind == "row":
            row = str(settings.get("title", ""))
            yield Panel(row, kind, row, (), settings)
            yield from _panels(settings.get("panels") or [], row)
        else:
            queries = tuple(_query(target, settings) for target in settings.get("targets", []) if _is_asked(target))
            yield Panel(str(settings.get("title") or "").strip(), kind, row, queries, settings)


def _is_asked(target: dict[str, Any]) -> bool:
    source = target.get("datasource") or {}
    return bool(target.get("expr")) and source.get("type") not in DERIVED and source.get("uid") not in DERIVED


def _query(target: dict[str, Any], panel: dict[str, Any]) -> Query:
    return Query(
        reference=str(target.get("refId", "")),
        expression=str(target["expr"]),
        instant=bool(target.get("instant")) and not target.get("range"),
        shape=str(target.get("format") or "time_series"),
        least_interval=str(target.get("interval") or panel.get("interval") or ""),
        legend=str(target.get("legendFormat") or ""),
    )
