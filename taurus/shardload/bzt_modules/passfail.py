"""Taurus's pass/fail reporter, strict: what it cannot judge is an error, and a silent second is not a good one."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bzt.modules.aggregator import DataPoint, KPISet
from bzt.modules.passfail import CriteriaProcessor, DataCriterion, PassFailStatus

from shardload.config.values.criteria import Criterion, parse
from shardload.results import histogram
from shardload.results.bundle import SUMMARY_FILE

_LIVE = "shardload.bzt_modules.passfail.LiveCriterion"


def _beyond_range(seconds: float) -> float:
    """Return a percentile; one at the end of the histograms' range is only known to be at least that."""
    return math.inf if seconds * 1e9 >= histogram.HIGHEST_NANOS else seconds


class LiveCriterion(DataCriterion):
    """A criterion with a time frame, judged second by second."""

    def __init__(self, config: dict[str, Any], owner: Any) -> None:
        self.criterion: Criterion = config["criterion"]
        self.oldest_unfinished_seconds: Callable[[int], float] = config["oldest_unfinished_seconds"]
        self.value: float | None = None
        # Of the second in which the criterion was first missed, or else of the last one.
        self.shown_value: float | None = None
        super().__init__(config, owner)
        self.threshold = self.criterion.threshold

    def aggregated_second(self, data: Any) -> None:
        """Judge a second.

        One without samples says much about rates. About latencies it says something when nothing at all was finished:
        the oldest unfinished arrival has waited that long already. Calls that failed have no latency.
        """
        kpis = data[DataPoint.CURRENT].get(self.label)
        if kpis is None:
            kpis = KPISet()
        is_latency = self.criterion.percentile is not None or self.criterion.subject == "avg-rt"
        is_time = is_latency or self.criterion.subject == "stdev-rt"
        samples = len(kpis[KPISet.RESP_TIMES]) if is_time else kpis[KPISet.SAMPLE_COUNT]
        is_rate = not (is_time or self.criterion.is_share)
        if is_rate or samples:
            self.value = self.get_value(kpis)
        else:
            overall = data[DataPoint.CURRENT].get("")
            waited = self.oldest_unfinished_seconds(data[DataPoint.TIMESTAMP])
            is_standstill = not (overall and overall[KPISet.SAMPLE_COUNT])
            if not (is_latency and is_standstill and waited > 0):
                return
            self.value = waited
        was_missed = self.is_triggered
        self.process_criteria_logic(data[DataPoint.TIMESTAMP], self.value)
        if not was_missed:
            self.shown_value = self.value

    def _get_field_functor(self, subject: str, percentage: bool) -> Any:
        level = self.criterion.percentile
        if level is None:
            return super()._get_field_functor(subject, percentage)
        # A level that Taurus does not track would read as 0 and pass; the executor has made it track this one.
        return lambda kpis: _beyond_range(kpis[KPISet.PERCENTILES][str(float(level))])

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

    @property
    def criteria(self) -> list[Any]:
        """The criteria of this reporter with their verdicts, once there is a summary; those judged live before."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            file = Path(self.engine.artifacts_dir).parent / SUMMARY_FILE
            judged = json.loads(file.read_text(encoding="utf-8"))["criteria"]
            own = {parse(item).text for item in self.parameters.get("criteria", [])}
            return [JudgedCriterion(one) for one in judged if one["text"] in own]
        return self._live

    @property
    def _live(self) -> list[Any]:
        return [criterion for processor in self.processors for criterion in processor.criteria]

    def prepare(self) -> None:
        """Set up the live criteria; their syntax is checked before, by the executor."""
        parsed = [parse(item) for item in self.parameters.get("criteria", [])]
        extra = {"class": _LIVE, "oldest_unfinished_seconds": self._oldest_unfinished_seconds}
        live = [{**item.to_taurus(), "criterion": item, **extra} for item in parsed if item.is_live]
        if live:
            self.processors.append(CriteriaProcessor(live, self.engine.aggregator))
        for processor in self.processors:
            processor.log = self.log

    def _oldest_unfinished_seconds(self, timestamp: int) -> float:
        readers = [executor.reader for executor in self.engine.provisioning.executors]
        return max((reader.oldest_unfinished_seconds(timestamp) for reader in readers if reader), default=0.0)

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
