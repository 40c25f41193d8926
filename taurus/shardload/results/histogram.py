"""Histograms of latencies in nanoseconds, as the generators write them (HdrHistogram V2, base64).

The counts live in numpy arrays: adding takes some 20 microseconds, where a loop in Python would need milliseconds. All
histograms of a run have one shape, 64 ns to 60 s with three digits; another one is refused.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np
from hdrh.codec import HdrCookieException, HdrHistogramEncoder, HdrLengthException
from hdrh.histogram import HdrHistogram

LOWEST_NANOS = 64
HIGHEST_NANOS = 60_000_000_000
DIGITS = 3
LENGTH = int(HdrHistogram(LOWEST_NANOS, HIGHEST_NANOS, DIGITS).counts_len)

_UNIT_BITS = 6  # log2 of the lowest value
_HALF_BITS = 10  # log2 of half the 2048 sub-buckets that three digits need
_HALF = 1 << _HALF_BITS


def _bounds() -> tuple[Any, Any]:
    index = np.arange(LENGTH, dtype=np.int64)
    bucket = (index >> _HALF_BITS) - 1
    sub = (index & (_HALF - 1)) + _HALF
    sub = np.where(bucket < 0, sub - _HALF, sub)
    shift = np.maximum(bucket, 0) + _UNIT_BITS
    low = sub << shift
    return low, low + (np.int64(1) << shift) - 1


LOWEST, HIGHEST = _bounds()
MIDDLE = (LOWEST + HIGHEST + 1) // 2


class FormatError(ValueError):
    """Not a histogram of the shape that the generators write."""


def decode(payload: bytes) -> Any:
    """Return the counts of one base64 payload."""
    try:
        read = HdrHistogramEncoder.decode(payload)
    except (ValueError, zlib.error, HdrCookieException, HdrLengthException) as error:
        raise FormatError(f"damaged histogram: {error}") from error
    shape = read.payload
    lowest, highest, digits = shape.lowest_trackable_value, shape.highest_trackable_value, shape.significant_figures
    if digits != DIGITS or lowest != LOWEST_NANOS or highest > HIGHEST[-1]:
        raise FormatError(f"histogram of {lowest} to {highest} with {digits} digits, expected 64 ns to 60 s with 3")
    read.init_counts(LENGTH)
    return np.frombuffer(read.counts, dtype=np.int64)


def empty() -> Any:
    """Return counts of nothing."""
    return np.zeros(LENGTH, dtype=np.int64)


def percentile(counts: Any, level: float, dropped: int = 0) -> float:
    """Return the value in ns below or at which ``level`` percent (0 to 100) of the values lie; 0 without values.

    As Java's HdrHistogram does: the highest value of the slot, the lowest for level 0. ``dropped`` arrivals waited
    longer than any value: they count in the rank.
    """
    running = np.cumsum(counts)
    total = int(running[-1])
    slot = np.searchsorted(running, min(total, rank(level, total + dropped)), side="left")
    return float(LOWEST[slot] if level <= 0 else HIGHEST[slot]) if total else 0.0


def bounded_percentile(
    counts: Any, level: float, dropped: int = 0, waits: Any = None, overflow: int = 0
) -> tuple[float, bool]:
    """Return a percentile in ns and False, or a lower bound of it and True, as ``Percentiles.java`` does.

    ``dropped`` arrivals take the highest ranks, ``overflow`` values were over 60 s. What lies among them is at least
    what it would be had each dropped arrival taken just as long as it had waited; ``waits`` that are not known are 0.
    """
    count = int(counts.sum())
    members = count + dropped
    place = rank(level, members)
    if not members or place <= count - overflow or (place == count and not dropped):
        return percentile(counts, level, dropped), False
    merged = counts.copy() if waits is None else counts + waits
    merged[0] += max(0, members - int(merged.sum()))
    return float(LOWEST[np.searchsorted(np.cumsum(merged), place, side="left")]), True


def rank(level: float, members: int) -> int:
    """Return the rank, from 1, of a percentile (0 to 100) among so many members."""
    return max(1, math.ceil(round(level / 100 * members, 6)))


def mean(counts: Any) -> float:
    """Return the mean in ns, taking each slot's middle."""
    total = int(counts.sum())
    return float(np.dot(counts, MIDDLE) / total) if total else 0.0


def deviation(counts: Any) -> float:
    """Return the standard deviation in ns."""
    total = int(counts.sum())
    if not total:
        return 0.0
    distance = MIDDLE - mean(counts)
    return float(np.sqrt(np.dot(counts, distance * distance) / total))
