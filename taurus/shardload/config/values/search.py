"""The section ``search``: how the capacity is to be found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shardload.config.problem import Problem
from shardload.config.values.quantities import percent, positive, seconds, whole
from shardload.config.values.schedule import LoadKeys

DEFAULT_PRECISION_PERCENT = 5.0
DEFAULT_REPEATS = 3
DEFAULT_MIN_RATE = 1.0
DEFAULT_MAX_SECONDS = 3600.0
_LEAST_PRECISION_PERCENT = 1.0
_MOST_PRECISION_PERCENT = 50.0


@dataclass(frozen=True)
class Plan:
    """The settings of a search; rates in arrivals per second, the precision as a share."""

    start_rate: float
    precision: float = DEFAULT_PRECISION_PERCENT / 100
    max_seconds: float = DEFAULT_MAX_SECONDS
    repeats: int = DEFAULT_REPEATS
    max_rate: float | None = None
    min_rate: float = DEFAULT_MIN_RATE


def read_search(section: Mapping[str, Any], load: LoadKeys) -> Plan:
    """Return the settings of a search that begins with the rate of the load, or say which does not fit."""
    if load.throughput is None:
        raise Problem("needs execution.0.throughput, the rate to start with")
    if not load.hold_for:
        raise Problem("needs execution.0.hold-for, how long each rate is held")
    start_rate = load.throughput
    given = {key: value for key, value in section.items() if value is not None}
    plan = Plan(
        start_rate=start_rate,
        precision=_precision(given.get("precision", f"{DEFAULT_PRECISION_PERCENT}%")) / 100,
        max_seconds=seconds(given.get("max-duration", DEFAULT_MAX_SECONDS)),
        repeats=whole(given.get("repeats", DEFAULT_REPEATS), 1),
        max_rate=positive(given["max-rate"]) if "max-rate" in given else None,
        min_rate=positive(given.get("min-rate", DEFAULT_MIN_RATE)),
    )
    if plan.max_rate is not None and plan.max_rate < start_rate:
        raise Problem(f"{plan.max_rate:g} is below execution.0.throughput, the start rate {start_rate:g}", "max-rate")
    if plan.min_rate > start_rate:
        raise Problem(f"{plan.min_rate:g} is above execution.0.throughput, the start rate {start_rate:g}", "min-rate")
    return plan


def _precision(value: object) -> float:
    share = percent(value)
    if not _LEAST_PRECISION_PERCENT <= share <= _MOST_PRECISION_PERCENT:
        bounds = f"{_LEAST_PRECISION_PERCENT:g}% and {_MOST_PRECISION_PERCENT:g}%"
        raise Problem(f'"{value}" is not between {bounds}', "precision")
    return share
