"""From Taurus's load keys to segments: the course that rate or workers take over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shardload.config.problem import Problem
from shardload.config.values.quantities import positive, seconds, whole
from shardload.config.values.stages import Stage, read_stages

_THINK_TIME = "think-time"
_MOST_THINK_SECONDS = 86_400


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
    value = execution.get(_THINK_TIME)
    if value is None:
        return None
    for key in ("throughput", "stages"):
        if execution.get(key) is not None:
            raise Problem(f"cannot be combined with {key}: in the open model no call waits for another", _THINK_TIME)
    if not isinstance(value, Mapping):
        return ThinkTime(_mean(value, (_THINK_TIME,)), "constant")
    distribution = str(value.get("distribution") or "constant")
    return ThinkTime(_mean(value["mean"], (_THINK_TIME, "mean")), distribution)


def _mean(value: Any, path: tuple[str, ...]) -> float:
    mean = seconds(value)
    if mean > _MOST_THINK_SECONDS:
        raise Problem(f'"{value}" is more than a day', path=path)
    return mean


@dataclass(frozen=True)
class Segment:
    """One part of the run; rates are arrivals per second of all generators, None in the closed model."""

    name: str
    kind: str
    seconds: float
    from_rate: float | None
    to_rate: float | None
    from_workers: int
    to_workers: int

    @property
    def expected_arrivals(self) -> float | None:
        """Arrivals that are due in the segment: the area under its rate."""
        if self.from_rate is None or self.to_rate is None:
            return None
        return self.seconds * (self.from_rate + self.to_rate) / 2

    def to_json(self) -> dict[str, Any]:
        """Return the segment as the Java side reads it."""
        return asdict(self)


@dataclass(frozen=True)
class LoadKeys:
    """The load keys of the one execution item, in numbers."""

    concurrency: int
    throughput: float | None
    ramp_up: float
    steps: int | None
    hold_for: float
    warm_up: float
    stages: tuple[Stage, ...] = ()
    think_time: ThinkTime | None = None

    @property
    def model(self) -> str:
        """Open when arrivals come by themselves, closed when workers wait for their answers."""
        return "closed" if self.throughput is None and not self.stages else "open"

    def segments(self) -> list[Segment]:
        """Return the segments in their order."""
        parts = [self._warm_up(), *(self._stages() if self.stages else self._climb())]
        parts.append(self._flat("hold", "hold", self.hold_for, self.throughput, self.concurrency))
        return [part for part in parts if part.seconds > 0]

    def _warm_up(self) -> Segment:
        """At the rate of what comes first: the full one, the first step's, or that of the first stage that has one."""
        if self.stages:
            first = next(stage.throughput for stage in self.stages if stage.throughput)
            return self._flat("warm-up", "warm-up", self.warm_up, first, self.concurrency)
        first_step = self._steps()[0] if self.steps else self._flat("", "", 0, self.throughput, self.concurrency)
        return self._flat("warm-up", "warm-up", self.warm_up, first_step.to_rate, first_step.to_workers)

    def _stages(self) -> list[Segment]:
        """Return for each stage the way to its rate, from 0 before the first one, and the time at it."""
        parts, before = [], 0.0
        for stage in self.stages:
            rates = (before, stage.throughput)
            parts.append(Segment(stage.ramp_name, "ramp", stage.ramp, *rates, self.concurrency, self.concurrency))
            parts.append(self._flat(stage.name, "stage", stage.hold, stage.throughput, self.concurrency))
            before = stage.throughput
        return parts

    def _climb(self) -> list[Segment]:
        if self.steps:
            return self._steps()
        if self.throughput is None:
            return [Segment("ramp", "ramp", self.ramp_up, None, None, 1, self.concurrency)]
        return [Segment("ramp", "ramp", self.ramp_up, 0.0, self.throughput, self.concurrency, self.concurrency)]

    def _steps(self) -> list[Segment]:
        count = self.steps or 1
        steps = []
        for number in range(1, count + 1):
            rate = None if self.throughput is None else number * self.throughput / count
            workers = -(-number * self.concurrency // count) if rate is None else self.concurrency
            steps.append(self._flat(f"step-{number}", "step", self.ramp_up / count, rate, workers))
        return steps

    @staticmethod
    def _flat(name: str, kind: str, length: float, rate: float | None, workers: int) -> Segment:
        return Segment(name, kind, length, rate, rate, workers, workers)


def read_load_keys(execution: Mapping[str, Any]) -> LoadKeys:
    """Return the load keys of an execution item, or say which does not fit the others."""
    given = {key: value for key, value in execution.items() if value is not None}
    keys = LoadKeys(
        concurrency=whole(given["concurrency"], 1),
        throughput=positive(given["throughput"]) if "throughput" in given else None,
        ramp_up=seconds(given.get("ramp-up", 0)),
        steps=whole(given["steps"], 1) if "steps" in given else None,
        hold_for=seconds(given.get("hold-for", 0)),
        warm_up=seconds(given.get("warm-up", 0)),
        stages=read_stages(given),
        think_time=read_think_time(given),
    )
    if keys.stages:
        return keys
    if keys.steps and not keys.ramp_up:
        raise Problem("needs ramp-up, the total duration of all steps", "steps")
    if not keys.hold_for and not keys.ramp_up:
        key = "concurrency" if keys.throughput is None else "throughput"
        raise Problem("needs hold-for or ramp-up, otherwise the load has no duration", key)
    return keys


def total_seconds(segments: Sequence[Segment]) -> float:
    """Return how long all segments take."""
    return sum(segment.seconds for segment in segments)


def segment_at(segments: Sequence[Segment], at: float) -> Segment:
    """Return the segment of a moment, the last one for all that comes after."""
    end = 0.0
    for segment in segments:
        end += segment.seconds
        if at < end:
            return segment
    return segments[-1]


def result_names(segments: Sequence[Segment]) -> list[str]:
    """Return the names of the segments that are the result, as Segments.results in Java: the warm-up is in none."""
    kinds = {segment.name: segment.kind for segment in segments}
    wanted = [name for name, kind in kinds.items() if kind in ("step", "hold", "stage")]
    return wanted or [name for name, kind in kinds.items() if kind == "ramp"]


def expected_counts(segments: Sequence[Segment], known: Mapping[str, Any]) -> dict[str, float]:
    """Return the expected counts of results per transaction, and of all as "", from the Java child's answer."""
    counts: dict[str, float] = {}
    for name in result_names(segments):
        for transaction, count in ((known.get("expected") or {}).get(name) or {}).items():
            counts[transaction] = counts.get(transaction, 0.0) + float(count)
    if counts:
        counts[""] = sum(counts.values())
    return counts
