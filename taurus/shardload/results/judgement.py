"""Judging, at the end, the criteria that have no time frame, on the merged results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shardload.config.criteria import Criterion, matches_kind, samples_needed
from shardload.config.quantities import show_nanos
from shardload.results import histogram
from shardload.results.tail import tail_of

_IN_SUMMARY = {50.0: "p50", 90.0: "p90", 95.0: "p95", 99.0: "p99", 99.9: "p999", 100.0: "max"}
_LEDGER = ("scheduled", "started", "dropped", "done", "missing", "failed", "unknown")


class FinalResults:
    """What the criteria ask: the summary's figures, and the histograms for percentiles that the summary lacks."""

    def __init__(self, summary: Mapping[str, Any], bundle: Path, model: str, workers: int, generators: int = 1) -> None:
        self._transactions: Mapping[str, Any] = summary.get("transactions") or {}
        self._series = "response" if model == "open" else "service"
        self._bundle, self._generators, self._workers = bundle, generators, workers
        self._histograms: dict[str, Any] | None = None
        # The summary's results are those of steps and hold, or of the ramp when the run came no further.
        kinds = {step.get("name"): step.get("kind") for step in summary.get("steps") or []}
        self._segments = {name for name, kind in kinds.items() if kind in ("step", "hold")} or set(kinds)

    def judge(self, criterion: Criterion) -> dict[str, Any]:
        """Return a criterion's entry of outcome.json."""
        value, detail = self._value(criterion)
        missed = value is None or criterion.holds(value)
        return {"text": criterion.text, "passed": not (missed and criterion.fail), "detail": detail}

    def _value(self, criterion: Criterion) -> tuple[float | None, str]:
        level = criterion.percentile
        if level is not None:
            return self._percentile(criterion.label, level)
        if criterion.subject in ("avg-rt", "stdev-rt"):
            counts = self._counts(criterion.label)
            nanos = (histogram.mean if criterion.subject == "avg-rt" else histogram.deviation)(counts)
            return (nanos / 1e9, show_nanos(nanos)) if counts.any() else (None, "no samples")
        return self._counted(criterion)

    def _percentile(self, label: str, level: float) -> tuple[float | None, str]:
        ledger = self._ledger(label)
        times = (self._transactions.get(label) or {}).get(f"{self._series}_ns") or {}
        counts = None if label and "count" in times else self._counts(label)
        count = int(times["count"] if counts is None else counts.sum())
        needed = samples_needed(level)
        if count < needed or not count:
            return None, f"not enough samples: {count} of {max(needed, 1):.0f}"
        if ledger["dropped"] > (1 - level / 100) * ledger["scheduled"]:
            return None, f"{ledger['dropped']} of {ledger['scheduled']} arrivals were dropped, so it is not known"
        nanos = times.get(_IN_SUMMARY.get(level, "")) if counts is None else None
        if nanos is None:
            nanos = histogram.percentile(self._counts(label), level)
        return nanos / 1e9, show_nanos(nanos)

    def _counted(self, criterion: Criterion) -> tuple[float | None, str]:
        ledger = self._ledger(criterion.label)
        started = ledger["started"]
        if criterion.subject == "concurrency":
            return float(self._workers), f"{self._workers} workers"
        if criterion.subject == "hits":
            amount = started
        elif criterion.subject == "succ":
            amount = ledger["done"] + ledger["missing"]
        elif criterion.subject == "fail":
            amount = ledger["failed"] + ledger["unknown"]
        else:
            errors = self._errors(criterion.label)
            amount = sum(count for kind, count in errors.items() if matches_kind(criterion.subject, kind))
        if not criterion.is_share:
            return float(amount), f"{amount}"
        if not started:
            return None, "nothing was started"
        return 100.0 * amount / started, f"{100.0 * amount / started:.3f} % ({amount} of {started})"

    def _chosen(self, label: str) -> list[Mapping[str, Any]]:
        if label:
            return [self._transactions[label]] if label in self._transactions else []
        return list(self._transactions.values())

    def _ledger(self, label: str) -> dict[str, int]:
        parts = [entry.get("ledger") or {} for entry in self._chosen(label)]
        return {key: sum(int(part.get(key) or 0) for part in parts) for key in _LEDGER}

    def _errors(self, label: str) -> dict[str, int]:
        kinds: dict[str, int] = {}
        for entry in self._chosen(label):
            for kind, count in ((entry.get("ledger") or {}).get("errors") or entry.get("errors") or {}).items():
                kinds[kind] = kinds.get(kind, 0) + int(count)
        return kinds

    def _counts(self, label: str) -> Any:
        if self._histograms is None:
            self._histograms = self._read_histograms()
        if label:
            return self._histograms.get(label, histogram.empty())
        return sum(self._histograms.values(), histogram.empty())

    def _read_histograms(self) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for generator in range(self._generators):
            for second in tail_of(self._bundle, generator, (self._series,)).read():
                for (segment, name), counts in second.histograms[self._series].items():
                    if segment in self._segments:
                        merged[name] = merged[name] + counts if name in merged else counts
        return merged


def judge_all(criteria: Iterable[Criterion], results: FinalResults) -> list[dict[str, Any]]:
    """Return the entries of all criteria without a time frame."""
    return [results.judge(criterion) for criterion in criteria if not criterion.is_live]
