"""Think time: how long a worker of the closed model waits between the end of a call and its next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shardload.config.problem import Problem
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
        return ThinkTime(_mean(value, (_KEY,)), DISTRIBUTIONS[0])
    distribution = str(value.get("distribution") or DISTRIBUTIONS[0])
    return ThinkTime(_mean(value["mean"], (_KEY, "mean")), distribution)


def _mean(value: Any, path: tuple[str, ...]) -> float:
    mean = seconds(value)
    if mean > _MOST_SECONDS:
        raise Problem(f'"{value}" is more than a day', path=path)
    return mean
