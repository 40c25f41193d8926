"""Think time: how long a worker of the closed model waits between the end of a call and its next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shardload.config.keys import THINK_TIME
from shardload.config.problem import Problem, unknown
from shardload.config.values.quantities import seconds

DISTRIBUTIONS = ("constant", "uniform", "exponential")
_KEY = "think-time"
_MOST_SECONDS = 86_400


@dataclass(frozen=True)
class ThinkTime:
    """Waits of so many seconds on average, and how they vary around it."""

    mean: float
    distribution: str

    def to_json(self) -> dict[str, Any]:
        """Return it as the Java side reads it."""
        return {"mean_seconds": self.mean, "distribution": self.distribution}


def read_think_time(execution: Mapping[str, Any]) -> ThinkTime | None:
    """Return the think time of an execution item, or None if it has none."""
    value = execution.get(_KEY)
    if value is None:
        return None
    for key in ("throughput", "stages"):
        if execution.get(key) is not None:
            raise Problem(f"cannot be combined with {key}: in the open model no call waits for another", _KEY)
    if not isinstance(value, Mapping):
        return ThinkTime(_read(_mean, value, (_KEY,)), DISTRIBUTIONS[0])
    for key in value:
        if key not in THINK_TIME:
            raise Problem(unknown("key", key, THINK_TIME), path=(_KEY, str(key)))
    if value.get("mean") is None:
        raise Problem("is missing", path=(_KEY, "mean"))
    distribution = value.get("distribution", DISTRIBUTIONS[0])
    if distribution not in DISTRIBUTIONS:
        raise Problem(unknown("distribution", distribution, DISTRIBUTIONS), path=(_KEY, "distribution"))
    return ThinkTime(_read(_mean, value["mean"], (_KEY, "mean")), str(distribution))


def _mean(value: Any) -> float:
    mean = seconds(value)
    if mean > _MOST_SECONDS:
        raise Problem(f'"{value}" is more than a day')
    if not mean:
        raise Problem(f'"{value}" is not a waiting time; leave the key out')
    return mean


def _read(reader: Callable[[Any], float], value: Any, path: tuple[str, ...]) -> float:
    try:
        return reader(value)
    except Problem as problem:
        raise Problem(str(problem), path=path) from None
