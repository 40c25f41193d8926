"""Taurus's pass/fail reporter, strict: what it cannot judge is an error, and a silent second is not a good one."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from bzt.modules.passfail import DataCriterion, PassFailStatus

from shardload.config.values.criteria import Criterion, parse
from shardload.results import histogram
from shardload.results.bundle import SUMMARY_FILE
from shardload.results.figures import Figures
from shardload.results.tail import Second


class LiveCriterion(DataCriterion):
    """A criterion with a time frame, judged second by second; Taurus's class decides how long its condition held.

    ``series`` is the histogram that the latencies come from, ``owner`` has the log.
    """

    def __init__(self, criterion: Criterion, series: str, owner: Any) -> None:
        super().__init__(criterion.to_taurus(), owner)
        self.criterion = criterion
        self.threshold = criterion.threshold
        # Of the second in which the criterion was first missed, or else of the last one.
        self.shown_value: float | None = None
        self._series = series

    def hear(self, timestamp: int, second: Second) -> None:
        """Judge a second, which must not contain the warm-up."""
        value = self._value(second)
        if value is None:
            return
        was_missed = self.is_triggered
        self.process_criteria_logic(timestamp, value)
        if not was_missed:
            self.shown_value = value

    def _value(self, second: Second) -> float | None:
        """Return the figure of a second, from all responses; None if the second says nothing about it.

        One without samples says much about rates. About latencies it says something when nothing at all was finished:
        the oldest unfinished arrival has waited that long already. Calls that failed have no latency.
        """
        subject, level = self.criterion.subject, self.criterion.percentile
        # No segment has this name: what was dropped has no response.
        figures = Figures.of([second], self._series, drops_of="", transaction=self.criterion.label or None)
        if subject == "concurrency":
            return int(second.ledger.get("workers", 0))
        if level is not None or subject in ("avg-rt", "stdev-rt"):
            if figures.samples:
                return self._time(figures, level)
            is_standstill = not Figures.of([second], self._series).ended
            waited = second.oldest_unfinished_seconds
            return waited if subject != "stdev-rt" and is_standstill and waited > 0 else None
        amounts = {"hits": figures.ended, "succ": figures.done, "refused": figures.refused, "fail": figures.bad}
        kinds = [count for kind, count in figures.errors.items() if fnmatch(kind, subject[2:])]
        amount = amounts.get(subject, sum(kinds))
        if not self.criterion.is_share:
            return amount
        return 100 * amount / figures.ended if figures.ended else None

    def _time(self, figures: Figures, level: float | None) -> float:
        """Return a figure of the latencies in seconds; at the end of the histograms' range it is at least that."""
        if level is None:
            average = self.criterion.subject == "avg-rt"
            return (histogram.mean if average else histogram.deviation)(figures.times) / 1e9
        nanos, is_bound = figures.percentile(level)
        return math.inf if is_bound or nanos is None or nanos >= histogram.HIGHEST_NANOS else nanos / 1e9

    @property
    def result(self) -> dict[str, Any]:
        """The criterion's entry of outcome.json."""
        missed = self.is_triggered and self.fail
        detail = f"held for {self.get_counting():.0f} s" if self.is_triggered else "did not hold that long"
        at_least = self.shown_value is not None and math.isinf(self.shown_value)
        return {
            "text": self.criterion.text,
            "passed": not missed,
            "held": self.is_triggered,
            "value": histogram.HIGHEST_NANOS / 1e9 if at_least else self.shown_value,
            "at_least": at_least,
            "detail": detail,
        }


class JudgedCriterion:
    """A criterion with its final verdict, in the form that Taurus's JUnit reporter reads (data-source: pass-fail)."""

    def __init__(self, judged: Mapping[str, Any]) -> None:
        # The reporter joins these to the name of the test case: the criterion as the user wrote it.
        self.config = {"subject": judged["text"], "condition": "", "threshold": "", "timeframe": None}
        self.is_triggered = self.fail = not judged["passed"]
        self._detail = judged["detail"]

    def __str__(self) -> str:
        """Return the message of a missed criterion."""
        return f"criterion missed: {self.config['subject']}: {self._detail}"


class StrictPassFail(PassFailStatus):
    """Judges criteria with a time frame live; the executor judges the others at the end and knows all verdicts."""

    def __init__(self) -> None:
        super().__init__()
        self._live: list[LiveCriterion] = []

    @property
    def criteria(self) -> list[Any]:
        """The criteria of this reporter with their verdicts, once there is a summary; those judged live before."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            file = Path(self.engine.artifacts_dir).parent / SUMMARY_FILE
            judged = json.loads(file.read_text(encoding="utf-8"))["criteria"]
            own = {parse(item).text for item in self.parameters.get("criteria", [])}
            return [JudgedCriterion(one) for one in judged if one["text"] in own]
        return self._live

    def prepare(self) -> None:
        """Do nothing: the executor has checked the criteria."""

    def startup(self) -> None:
        """Listen to the executor's results."""
        parsed = [parse(item) for item in self.parameters.get("criteria", [])]
        for executor in self.engine.provisioning.executors:
            self._live = [LiveCriterion(item, executor.reader.series, self) for item in parsed if item.is_live]
            executor.reader.judges += [criterion.hear for criterion in self._live]

    def check(self) -> bool:
        """Have the executor stop when a criterion asks for that; it ends the run in order."""
        for executor in self.engine.provisioning.executors:
            with executor.guard("pass/fail"):
                for criterion in self._live:
                    if criterion.is_triggered and criterion.stop:
                        executor.stop_because("criterion", f'criterion "{criterion.criterion.text}" met')
        return False

    def post_process(self) -> None:
        """Leave the exit code to the executor, which weighs all reasons."""

    @property
    def results(self) -> list[dict[str, Any]]:
        """The live criteria's entries of outcome.json."""
        return [criterion.result for criterion in self._live]
