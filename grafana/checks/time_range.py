"""Time ranges, and the steps and windows that Grafana derives from them.

The rules are those of Grafana 11: ``pkg/promlib/models/query.go`` (calculatePrometheusInterval, calculateRateInterval)
and ``gtime.RoundInterval`` of the plugin SDK.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "M": 2592000, "y": 31536000}
# An interval up to the first number (seconds) is rounded to the second.
ROUNDED = (
    *((0.01, 0.001), (0.015, 0.01), (0.035, 0.02), (0.075, 0.05), (0.15, 0.1), (0.35, 0.2), (0.75, 0.5)),
    *((1.5, 1), (3.5, 2), (7.5, 5), (12.5, 10), (17.5, 15), (25, 20), (45, 30), (90, 60), (210, 120), (450, 300)),
    *((750, 600), (1050, 900), (1500, 1200), (2700, 1800), (5400, 3600), (9000, 7200), (16200, 10800)),
    *((32400, 21600), (86400, 43200), (604800, 86400), (1814400, 604800), (3628800, 2592000)),
)
MOST_POINTS = 11000
# Width of the whole grid in a window of 1440 pixels.
GRID_PIXELS = 1408
GRID_COLUMNS = 24
DEFAULT_SCRAPE_INTERVAL = "15s"


def seconds(duration: str) -> float:
    """Return how long ``1m30s`` is; raise ValueError where it is no duration."""
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|[smhdwMy])", duration)
    if not parts or "".join(number + unit for number, unit in parts) != duration:
        raise ValueError(f"{duration!r} is not a duration such as 5s or 1m")
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def duration(length_seconds: float) -> str:
    """Return a duration as PromQL writes it, in the largest unit that divides it."""
    milliseconds = round(length_seconds * 1000)
    for unit in ("d", "h", "m", "s"):
        if milliseconds and milliseconds % round(UNITS[unit] * 1000) == 0:
            return f"{milliseconds // round(UNITS[unit] * 1000)}{unit}"
    return f"{milliseconds}ms"


def moment(text: str, now: float) -> float:
    """Return the seconds since 1970 of ``now-15m``, ``1700000000`` (or in ms) or ``2026-01-31T12:00:00Z``."""
    relative = re.fullmatch(r"now(?:-(\w+))?", text)
    if relative:
        return now - (seconds(relative[1]) if relative[1] else 0)
    if re.fullmatch(r"\d+(\.\d+)?", text):
        number = float(text)
        return number / 1000 if number > 1e11 else number
    try:
        parsed = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise ValueError(f"{text!r} is no time: write now-15m, 1700000000 or 2026-01-31T12:00:00Z") from None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=datetime.timezone.utc)).timestamp()


@dataclass(frozen=True)
class TimeRange:
    """From when to when, in seconds since 1970."""

    start: float
    end: float

    @property
    def length(self) -> float:
        """Return the seconds from start to end."""
        return self.end - self.start

    def aligned(self, step: float) -> TimeRange:
        """Return the range that is asked of the store: both ends are multiples of the step."""
        return TimeRange(self.start // step * step, self.end // step * step)


@dataclass(frozen=True)
class Steps:
    """What ``$__interval`` and ``$__rate_interval`` stand for in one query."""

    interval: float
    rate_interval: float


def rounded(interval: float) -> float:
    """Round an interval as Grafana does."""
    return next((value for limit, value in ROUNDED if interval <= limit), 31536000)


def steps(span: TimeRange, points: int, least: str, scrape_interval: str) -> Steps:
    """Derive them from the width in points, the least interval of the query ("" for none) and the data source's."""
    scrape = seconds(least or scrape_interval or DEFAULT_SCRAPE_INTERVAL)
    interval = max(rounded(span.length / points), scrape, rounded(span.length / MOST_POINTS))
    return Steps(interval, max(interval + scrape, 4 * scrape))


def points(columns: int) -> int:
    """Return how many points a panel asks for: its width in pixels."""
    return max(1, round(GRID_PIXELS * columns / GRID_COLUMNS) - 16)
