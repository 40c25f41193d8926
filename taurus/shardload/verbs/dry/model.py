"""All that a dry run found out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardload.config.effective import Checked
from shardload.config.values.schedule import Segment, total_seconds
from shardload.verbs.dry.configuration import Value
from shardload.verbs.dry.data import Data
from shardload.verbs.dry.plan import Samples, Times, arrivals_of


@dataclass(frozen=True)
class Rehearsal:
    """A run that was not started. ``known`` is what the Java child says of the plan."""

    checked: Checked
    rows: Sequence[tuple[str, Value | None]]
    segments: Sequence[Segment]
    known: Mapping[str, Any]
    samples: Sequence[Samples]
    data: Data
    times: Times
    is_no_load: bool

    @property
    def other_scenarios(self) -> int:
        """How many scenarios of the workload take no part."""
        return len(self.checked.merged.config["scenarios"]) - 1

    def to_json(self) -> dict[str, Any]:
        """Return all of it for other programs."""
        load, merged = self.checked.load, self.checked.merged
        assert load is not None
        segments = [{**part.to_json(), "arrivals": arrivals_of(part, self.known)} for part in self.segments]
        return {
            "type": "dry-run",
            "files": [str(source.path) for source in merged.sources],
            "configuration": [value.to_json() for _, value in self.rows if value is not None],
            "plan": {
                "model": load.model,
                "workers": load.concurrency,
                "segments": segments,
                "seconds": total_seconds(self.segments),
                "arrivals": sum(part["arrivals"] for part in segments) if load.model == "open" else None,
            },
            "criteria": [one.to_json() for one in self.samples],
            "data": self.data.to_json(),
            "time": self.times.to_json(),
        }
