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
from shardload.results.lookup import SEARCH_FILE, hold
from shardload.verbs.capacity.model import Answer, End, Ended

_NAME = "find-capacity"


class Record:
    """The folder of a search and what is written there after each run, so that nothing known is lost.

    The folder is marked as being written to until this process ends.
    """

    def __init__(self, options: argparse.Namespace, places: Places, checked: Checked) -> None:
        plan = checked.search
        assert plan is not None
        target = name_of_argument(options.target)
        self.folder = reserve_run(places.runs, target, _NAME, label=checked.labels.name)
        hold(self.folder)
        self._content: dict[str, Any] = {
            "id": self.folder.name,
            **checked.labels.to_json(),
            "state": "running",
            "ended": None,
            "exit": None,
            "text": None,
            "written": None,
            "target": target,
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

    @property
    def answer(self) -> dict[str, Any]:
        """The record without its runs."""
        return {key: value for key, value in self._content.items() if key != "runs"}

    def add(self, run: dict[str, Any], found: Answer) -> None:
        """Add a run, and what the runs so far say."""
        self._content["runs"].append(run)
        self._content.update(low=_end(found.low), high=_end(found.high))
        self._write()

    def end(self, found: Answer, code: int, text: str) -> None:
        """Add the answer and the exit code."""
        state = "interrupted" if found.ended is Ended.INTERRUPTED else "complete"
        self._content.update(state=state, ended=found.ended.value, exit=code, text=text)
        self._content.update(low=_end(found.low), high=_end(found.high))
        self._write()

    def _write(self) -> None:
        self._content["written"] = datetime.now().astimezone().isoformat(timespec="seconds")
        write_json(self.folder / SEARCH_FILE, self._content)


def _end(end: End | None) -> dict[str, Any] | None:
    if end is None:
        return None
    return {"rate": end.rate, "confirmed": end.confirmed, "good": end.good, "bad": end.bad}
