"""Decoding and adding histograms, against the reference implementation in Python."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram

from shardload.results import histogram


def reference(values: list[int]) -> HdrHistogram:
    made = HdrHistogram(64, 60_000_000_000, 3)
    for value in values:
        made.record_value(value)
    return made


def test_decoding_gives_the_reference_counts() -> None:
    draw = random.Random(7)
    made = reference([int(draw.lognormvariate(13, 2)) for _ in range(3000)] + [0, 63, 64, 59_999_999_999])
    counts = histogram.decode(made.encode())
    assert counts.sum() == 3004
    assert counts.tolist() == list(made.counts)


def test_geometry_is_that_of_the_reference() -> None:
    made = reference([])
    assert made.counts_len == histogram.LENGTH
    for value in (0, 63, 64, 127, 1000, 131_071, 131_072, 999_999_999, 60_000_000_000):
        slot = made._counts_index_for(value)
        assert histogram.LOWEST[slot] <= value <= histogram.HIGHEST[slot]


def test_percentiles_of_known_values() -> None:
    counts = histogram.decode(reference([1_000_000 * number for number in range(1, 101)]).encode())
    for level in (1, 50, 90, 99, 100):
        assert histogram.percentile(counts, level) == pytest.approx(level * 1e6, rel=0.001)
    assert histogram.percentile(counts, 0) == pytest.approx(1e6, rel=0.001)
    assert histogram.mean(counts) == pytest.approx(50.5e6, rel=0.001)
    assert histogram.deviation(counts) == pytest.approx(np.std(np.arange(1, 101)) * 1e6, rel=0.001)


def test_what_is_not_known_has_a_lower_bound() -> None:
    """The values of PercentilesTest.java: p99 of 2000 is the 1980th, and the dropped may have taken just 5 ms."""
    counts = histogram.decode(reference([1_000_000] * 999 + [9_000_000_000]).encode())
    waits = histogram.decode(reference([5_000_000] * 1000).encode())
    nanos, is_bound = histogram.bounded_percentile(counts, 99, 1000, waits)
    assert is_bound and 4_996_000 < nanos <= 5_000_000
    assert histogram.bounded_percentile(counts, 40, 1000, waits) == (histogram.percentile(counts, 80), False)
    unknown, is_bound = histogram.bounded_percentile(counts, 99, 1000)
    assert is_bound and 999_000 < unknown <= 1_000_000, "waits that nobody recorded are at least 0"


def test_values_over_60_seconds_are_lower_bounds() -> None:
    counts = histogram.decode(reference([1_000_000] * 980 + [60_000_000_000] * 20).encode())
    nanos, is_bound = histogram.bounded_percentile(counts, 99, overflow=20)
    assert is_bound and 59_960_000_000 < nanos <= 60_000_000_000
    assert histogram.bounded_percentile(counts, 95, overflow=20) == (histogram.percentile(counts, 95), False)


def test_merged_parts_equal_the_whole() -> None:
    draw = random.Random(3)
    values = [int(draw.expovariate(1e-6)) for _ in range(1000)]
    parts = [histogram.decode(reference(values[start::4]).encode()) for start in range(4)]
    assert (sum(parts) == histogram.decode(reference(values).encode())).all()


def test_nothing_has_no_percentile() -> None:
    assert histogram.percentile(histogram.empty(), 99) == 0
    assert histogram.mean(histogram.empty()) == histogram.deviation(histogram.empty()) == 0
    assert histogram.decode(reference([]).encode()).sum() == 0


@pytest.mark.parametrize("made", [HdrHistogram(1, 60_000_000_000, 3), HdrHistogram(64, 60_000_000_000, 2)])
def test_another_shape_is_refused(made: HdrHistogram) -> None:
    made.record_value(1000)
    with pytest.raises(histogram.FormatError, match="expected 64 ns to 60 s"):
        histogram.decode(made.encode())


@pytest.mark.parametrize("payload", [b"", b"HIST", b"!!!!", b"HISTFAAAAA=="])
def test_damage_is_refused(payload: bytes) -> None:
    with pytest.raises(histogram.FormatError):
        histogram.decode(payload)
