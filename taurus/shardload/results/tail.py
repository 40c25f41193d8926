"""Reading what a generator writes while it writes: whole ledger lines, and the histograms that belong to them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shardload.results import histogram
from shardload.results.bundle import histogram_file, ledger_file

SERIES = ("service", "response", "dropped")
_TAG = re.compile(rb"Tag=([^/,]+)/([^/,]+)/([^/,]+),[^,]*,[^,]*,[^,]*,(\S+)")


@dataclass
class Second:
    """One ledger line with its histograms: {(segment, transaction): counts} per series."""

    generator: int
    ledger: dict[str, Any]
    histograms: dict[str, dict[tuple[str, str], Any]] = field(default_factory=dict)

    @property
    def is_final(self) -> bool:
        """Whether it is the generator's last line."""
        return bool(self.ledger.get("final"))

    @property
    def end_seconds(self) -> float:
        """Its end since the start of the run."""
        return float(self.ledger.get("to_ns", self.ledger.get("actual_end_ns", 0))) / 1e9

    @property
    def due(self) -> dict[str, int]:
        """How many arrivals became due in it, per segment; nothing in a closed model."""
        return {name: int(count) for name, count in (self.ledger.get("due") or {}).items()}

    @property
    def oldest_unfinished_seconds(self) -> float:
        """How long ago the oldest unfinished arrival was due, at the end of it; 0 when none is unfinished."""
        return float(self.ledger.get("oldest_unfinished_ns", 0)) / 1e9


class GeneratorTail:
    """Follows the two files of one generator."""

    def __init__(self, ledger: Path, histograms: Path, series: tuple[str, ...] = SERIES) -> None:
        self._ledger = ledger
        self._histograms = histograms
        self._series = tuple(name.encode() for name in series)
        self._ledger_offset = 0
        self._histogram_offset = 0

    def read(self) -> Iterator[Second]:
        """Return the seconds that are complete since the last call."""
        for line in self._lines():
            try:
                ledger = json.loads(line)
            except ValueError:
                continue  # torn by a kill; what follows, if anything, is whole again
            yield Second(int(ledger.get("generator", 0)), ledger, self._belonging(int(ledger.get("hlog_bytes", 0))))

    def _lines(self) -> list[bytes]:
        try:
            with open(self._ledger, "rb") as file:
                file.seek(self._ledger_offset)
                data = file.read()
        except FileNotFoundError:
            return []
        end = data.rfind(b"\n") + 1
        self._ledger_offset += end
        return data[:end].splitlines()

    def _belonging(self, until: int) -> dict[str, dict[tuple[str, str], Any]]:
        """Return the histograms up to a length of the log; those not asked for are not decoded."""
        found: dict[str, dict[tuple[str, str], Any]] = {name.decode(): {} for name in self._series}
        if until <= self._histogram_offset:
            return found
        with open(self._histograms, "rb") as file:
            file.seek(self._histogram_offset)
            data = file.read(until - self._histogram_offset)
        self._histogram_offset = until
        for line in data.splitlines():
            match = _TAG.fullmatch(line.strip())
            if not match or match.group(3) not in self._series:
                continue
            segment, transaction, series = (part.decode() for part in match.groups()[:3])
            counts = histogram.decode(match.group(4))
            known = found[series].get((segment, transaction))
            found[series][segment, transaction] = counts if known is None else known + counts
        return found


def tail_of(bundle: Path, generator: int, series: tuple[str, ...] = SERIES) -> GeneratorTail:
    """Return the tail of one generator of a bundle."""
    return GeneratorTail(ledger_file(bundle, generator), histogram_file(bundle, generator), series)
