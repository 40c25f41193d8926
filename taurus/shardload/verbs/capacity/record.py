"""The file ``search.json`` of a search; docs/capacity.md describes its fields."""

from __future__ import annotations

import argparse
from datetime import datetime
from typing import Any

from shardload.config import effective
from shardload.config.effective import Checked
from shardload.config.paths.find import name_of_argument
from shardload.config.places import Places, reserve_run
from shardload.results.bundle import write_json
from shardload.verbs.capacity.model import Answer, End

SEARCH_FILE = "search.json"
_NAME = "find-capacity"


class Record:
    """The folder of a search and what is written there after each run, so that nothing known is lost."""

    def __init__(self, options: argparse.Namespace, places: Places, checked: Checked) -> None:
        plan = checked.search
        assert plan is not None
        self.folder = reserve_run(places.runs, name_of_argument(options.target), _NAME)
        self._content: dict[str, Any] = {
            "id": self.folder.name,
            "state": "running",
            "ended": None,
            "text": None,
            "written": None,
            "target": name_of_argument(options.target),
            "workload": str(checked.workload["name"]),
            "profile": name_of_argument(options.profile),
            "settings": {
                "start_rate": plan.start_rate,
                "precision_percent": round(100 * plan.precision, 6),
                "repeats": plan.repeats,
                "max_seconds": plan.max_seconds,
                "max_rate": plan.max_rate,
                "min_rate": plan.min_rate,
            },
            "limits": effective.limits(checked.execution),
            "low": None,
            "high": None,
            "runs": [],
        }
        self._write()

    @property
    def number(self) -> int:
        """How many runs there are."""
        return len(self._content["runs"])

    def add(self, run: dict[str, Any]) -> None:
        """Add a run."""
        self._content["runs"].append(run)
        self._write()

    def end(self, ended: str, found: Answer, text: str) -> None:
        """Add the answer."""
        state = "interrupted" if ended == "interrupted" else "complete"
        self._content.update(state=state, ended=ended, text=text, low=_end(found.low), high=_end(found.high))
        self._write()

    def _write(self) -> None:
        self._content["written"] = datetime.now().astimezone().isoformat(timespec="seconds")
        write_json(self.folder / SEARCH_FILE, self._content)


def _end(end: End | None) -> dict[str, Any] | None:
    if end is None:
        return None
    return {"rate": end.rate, "confirmed": end.confirmed, "good": end.good, "bad": end.bad}
