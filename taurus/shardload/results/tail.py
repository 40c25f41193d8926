"""Reading a stream of seconds while it is written: whole ledger lines, and the histograms that belong to them.

The stream comes from the local generator, or is the sum of all load hosts in the same format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shardload.results import histogram
from shardload.results.bundle import first_live_number, histogram_file, ledger_file, live_files

# The prolonged part of a warm-up is before its planned end.
_JUST_BEFORE = 0.001
SERIES = ("service", "response", "dropped")
_TAG = re.compile(rf"Tag=([^/,]+)/([^/,]+)/({'|'.join(SERIES)}),[^,]*,[^,]*,[^,]*,(\S+)".encode())


@dataclass
class Second:
    """One ledger line with its histograms: {(segment, transaction): counts} per series."""

    ledger: dict[str, Any]
    histograms: dict[str, dict[tuple[str, str], Any]] = field(default_factory=dict)

    @property
    def is_final(self) -> bool:
        """Whether it is the stream's last line."""
        return bool(self.ledger.get("final"))

    @property
    def end_seconds(self) -> float:
        """Its end since the start of the run."""
        return float(self.ledger.get("to_ns", self.ledger.get("actual_end_ns", 0))) / 1e9

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end_seconds - float(self.ledger.get("from_ns", 0)) / 1e9

    @property
    def prolonged_seconds(self) -> float:
        """By how much the warm-up has been prolonged so far; everything after it comes that much later."""
        return float(self.ledger.get("prolonged_ns", 0)) / 1e9

    @property
    def planned_begin(self) -> float:
        """Its beginning in the schedule of the configuration, which stops while the warm-up is prolonged."""
        return self._planned(float(self.ledger.get("from_ns", 0)) / 1e9)

    @property
    def planned_end(self) -> float:
        """Its end in the same schedule."""
        return self._planned(self.end_seconds)

    def _planned(self, at: float) -> float:
        if not self.prolonged_seconds:
            return at
        end = float(self.ledger["warm_up_ns"]) / 1e9
        return at - self.prolonged_seconds if at >= end else min(at, end - self.prolonged_seconds - _JUST_BEFORE)

    @property
    def due(self) -> dict[str, int]:
        """How many arrivals became due in it, per segment; nothing in a closed model."""
        return {name: int(count) for name, count in (self.ledger.get("due") or {}).items()}

    @property
    def oldest_unfinished_seconds(self) -> float:
        """How long ago the oldest unfinished arrival was due, at the end of it; 0 when none is unfinished."""
        return float(self.ledger.get("oldest_unfinished_ns", 0)) / 1e9

    def without(self, segment: str) -> Second:
        """Return the second without what belongs to a segment."""
        segments = {name: counted for name, counted in self.ledger.get("segments", {}).items() if name != segment}
        histograms = {
            series: {key: counts for key, counts in parts.items() if key[0] != segment}
            for series, parts in self.histograms.items()
        }
        return Second({**self.ledger, "segments": segments}, histograms)


class FileTail:
    """Follows the two files of a stream."""

    def __init__(self, ledger: Path, histograms: Path) -> None:
        self._ledger = ledger
        self._histograms = histograms
        self._ledger_offset = 0
        self._histogram_offset = 0

    def read(self) -> Iterator[Second]:
        """Return the seconds that are complete since the last call."""
        for line in self._lines():
            try:
                ledger = json.loads(line)
            except ValueError:
                continue  # torn by a kill; what follows, if anything, is whole again
            yield Second(ledger, self._belonging(int(ledger.get("hlog_bytes", 0))))

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
        found: dict[str, dict[tuple[str, str], Any]] = {name: {} for name in SERIES}
        if until <= self._histogram_offset:
            return found
        with open(self._histograms, "rb") as file:
            file.seek(self._histogram_offset)
            data = file.read(until - self._histogram_offset)
        self._histogram_offset = until
        for line in data.splitlines():
            match = _TAG.fullmatch(line.strip())
            if not match:
                continue
            segment, transaction, series = (part.decode() for part in match.groups()[:3])
            counts = histogram.decode(match.group(4))
            known = found[series].get((segment, transaction))
            found[series][segment, transaction] = counts if known is None else known + counts
        return found


class LiveTail:
    """Follows a stream second by second: in its bundle, or in the live copy of a run with longer intervals.

    A live copy is written in parts of a minute, of which only the last ones stay.
    """

    def __init__(self, bundle: Path, stream: str) -> None:
        self._bundle = bundle
        self._stream = stream
        self._number: int | None = None
        self._tail: FileTail | None = None

    def read(self) -> Iterator[Second]:
        """Return the seconds that are complete since the last call."""
        if self._tail is None and not self._open():
            return
        assert self._tail is not None
        # Asked for before reading: a part whose successor exists is complete.
        while self._has_next():
            with suppress(FileNotFoundError):  # removed under a reader that came too late
                yield from self._tail.read()
            self._turn()
        yield from self._tail.read()

    def _open(self) -> bool:
        """Choose what to follow; the live copy is created before the bundle's ledger."""
        ledger = ledger_file(self._bundle, self._stream)
        is_there = ledger.exists()
        self._number = first_live_number(self._bundle, self._stream)
        if self._number is not None:
            self._turn_to(self._number)
        elif is_there:
            self._tail = FileTail(ledger, histogram_file(self._bundle, self._stream))
        return self._tail is not None

    def _has_next(self) -> bool:
        """Whether a later part exists than the one that is read."""
        if self._number is None:
            return False
        if live_files(self._bundle, self._stream, self._number + 1)[0].exists():
            return True
        first = first_live_number(self._bundle, self._stream)
        return first is not None and first > self._number

    def _turn(self) -> None:
        """Go on to the next part, or to the oldest that is left where the reader came too late."""
        assert self._number is not None
        first = first_live_number(self._bundle, self._stream)
        self._turn_to(max(self._number + 1, first or 0))

    def _turn_to(self, number: int) -> None:
        self._number = number
        self._tail = FileTail(*live_files(self._bundle, self._stream, number))
