"""Pass/fail criteria: their syntax, read strictly.

A criterion with a time frame (``for 5s``) is judged live by Taurus, second by second. One without is judged once, at
the end, by the Java side on the merged results (``results/Criteria.java``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shardload.config.problem import Problem, unknown
from shardload.config.values.quantities import number, percent, seconds

_SUBJECT = r"[A-Za-z][\w?*.-]*"
_FORM = re.compile(
    rf"(?:(?P<message>[^:]*):)?\s*(?P<subject>{_SUBJECT})(?:\s+of\s+(?P<label>[^\s<>=]+))?\s*"
    r"(?P<condition>[<>=]+)\s*(?P<threshold>[^\s,]+)"
    r"(?:\s+(?P<logic>for|within|over)\s+(?P<timeframe>[^\s,]+))?\s*"
    r"(?:,\s*(?P<action>stop|continue)(?:\s+as\s+(?P<verdict>failed|non-failed))?\s*)?"
)
_EXAMPLE = 'write it like "p99 of insert>50ms for 10s, stop as failed"'
_TIMES = ("avg-rt", "stdev-rt")
_COUNTS = ("hits", "succ", "refused", "fail", "concurrency")
_ALIASES = {"success": "succ", "successes": "succ", "failures": "fail", "failed": "fail", "concurr": "concurrency"}
_CONDITIONS = (">", ">=", "<", "<=", "=", "==")


@dataclass(frozen=True)
class Criterion:
    """One criterion; it is missed when its condition holds."""

    text: str
    subject: str
    label: str
    condition: str
    threshold: float
    is_share: bool
    logic: str
    timeframe: float
    stop: bool
    fail: bool
    message: str | None

    @property
    def is_live(self) -> bool:
        """Whether Taurus judges it during the run."""
        return self.timeframe > 0

    @property
    def percentile(self) -> float | None:
        """The percentile it is about, 0 to 100, or None."""
        return float(self.subject[1:]) if re.fullmatch(r"p[\d.]+", self.subject) else None

    def to_json(self) -> dict[str, Any]:
        """Return the form in which the Java side judges it: thresholds of latencies in seconds, shares in percent."""
        return {
            "text": self.text,
            "subject": self.subject,
            "label": self.label,
            "condition": self.condition,
            "threshold": self.threshold,
            "is_share": self.is_share,
            "timeframe_seconds": self.timeframe,
            "fail": self.fail,
        }

    def to_taurus(self) -> dict[str, Any]:
        """Return the form that Taurus's own criteria take."""
        return {
            # Taurus knows no refused calls; it adds them up as it does failed ones.
            "subject": "fail" if self.subject == "refused" else self.subject,
            "label": self.label,
            "condition": self.condition,
            # Taurus only checks it, and refuses 2e-06 as a unit: the criterion itself knows the threshold.
            "threshold": f"{self.threshold:.9f}%" if self.is_share else f"{self.threshold:.9f}",
            "logic": self.logic,
            "timeframe": self.timeframe,
            "stop": self.stop,
            "fail": self.fail,
            "message": self.message or self.text,
        }


def parse(item: Any) -> Criterion:
    """Read one criterion: a line of text, or a mapping that fits the schema."""
    if isinstance(item, str):
        found = _FORM.fullmatch(item.strip())
        if not found:
            raise Problem(f'criterion "{item}" is not valid; {_EXAMPLE}')
        parts: dict[str, Any] = found.groupdict()
        parts["stop"] = parts.pop("action") != "continue"
        parts["fail"] = parts.pop("verdict") != "non-failed"
        return _build(" ".join(item.split()), parts)
    if not isinstance(item, Mapping):
        raise Problem(f"criterion {item!r} is not valid; {_EXAMPLE}")
    parts = {"stop": True, "fail": True, **item}
    text = "{subject} of {label}{condition}{threshold}" if parts.get("label") else "{subject}{condition}{threshold}"
    text = text.format(**parts) + (f" for {parts['timeframe']}" if parts.get("timeframe") else "")
    return _build(text, parts)


def _build(text: str, parts: Mapping[str, Any]) -> Criterion:
    try:
        subject = _subject(str(parts["subject"]))
        condition = str(parts["condition"])
        if condition not in _CONDITIONS:
            raise Problem(unknown("condition", condition, _CONDITIONS))
        threshold, is_share = _threshold(subject, str(parts["threshold"]))
        logic = str(parts.get("logic") or "for")
        if logic not in ("for", "within", "over"):
            raise Problem(unknown("window", logic, ("for", "within", "over")))
        timeframe = seconds(parts["timeframe"]) if parts.get("timeframe") else 0.0
    except Problem as problem:
        raise Problem(f'criterion "{text}": {problem}') from None
    return Criterion(
        text=text,
        subject=subject,
        label=str(parts.get("label") or ""),
        condition=condition,
        threshold=threshold,
        is_share=is_share,
        logic=logic,
        timeframe=timeframe,
        stop=bool(parts["stop"]),
        fail=bool(parts["fail"]),
        message=(str(parts["message"]).strip() or None) if parts.get("message") else None,
    )


def _subject(name: str) -> str:
    if re.fullmatch(r"p\d+(\.\d+)?", name):
        if float(name[1:]) > 100:
            raise Problem(f"{name} is not a percentile; percentiles are p0 to p100")
        return name
    if name in ("avg-lt", "avg-ct", "bytes"):
        raise Problem(f"{name} is not available for criteria; the report shows the phases of a transaction")
    if re.fullmatch(r"rc[\w?*.-]+", name):
        return name
    name = _ALIASES.get(name, name)
    if name not in _TIMES + _COUNTS:
        raise Problem(unknown("subject", name, [*_TIMES, *_COUNTS, "p50", "p90", "p95", "p99", "p99.9", "rc<kind>"]))
    return name


def _threshold(subject: str, text: str) -> tuple[float, bool]:
    is_time = subject in _TIMES or subject[:1] == "p"
    if text.endswith("%"):
        if is_time or subject in ("hits", "concurrency"):
            raise Problem(f"{subject} is not a share, so {text} cannot be its threshold")
        return percent(text), True
    if is_time:
        if re.fullmatch(r"\d+(\.\d+)?", text):
            raise Problem(f"threshold {text} of {subject} has no unit; write {text}s or {text}ms")
        return seconds(text), False
    count = number(text)
    if count is None or count < 0:
        raise Problem(f'threshold "{text}" of {subject} is not a number; write 500, 10k or 2M')
    return count, False


def parse_for(item: Any, transactions: Collection[str]) -> Criterion:
    """Read one criterion, and refuse it on a transaction that does not take part; without any known it is not asked."""
    criterion = parse(item)
    if criterion.label and transactions and criterion.label not in transactions:
        raise Problem(f'criterion "{criterion.text}": {unknown("transaction", criterion.label, transactions)}')
    return criterion


def samples_needed(percentile: float) -> float:
    """Return how many samples a percentile (0 to 100) needs to be shown: ten beyond it."""
    return 0.0 if percentile >= 100 else round(1000 / (100 - percentile), 6)


def too_few(criteria: Iterable[Criterion], expected: Mapping[str, float]) -> list[str]:
    """Return warnings about criteria that the expected counts (label to count, "" for all) will not serve."""
    warnings = []
    for criterion in criteria:
        level = criterion.percentile
        if level is None or criterion.is_live or criterion.label not in expected:
            continue
        count, needed = expected[criterion.label], samples_needed(level)
        if count < needed:
            come = f"it needs {needed:.0f} samples, about {count:.0f} will come"
            warnings.append(f'criterion "{criterion.text}" will be missed: {come}')
    return warnings
