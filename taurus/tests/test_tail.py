"""Following a generator: its bundle's own files, or the live stream of a run with longer intervals."""

from __future__ import annotations

import json
from pathlib import Path

from hdrh.histogram import HdrHistogram

from shardload.results.bundle import drop_live
from shardload.results.tail import LiveTail


def write(bundle: Path, stem: str, seconds: range, final: bool = False) -> None:
    """Append seconds in which one transaction took a millisecond, ``second`` times."""
    ledger, log = bundle / f"{stem}.jsonl", bundle / f"{stem}.hlog"
    ledger.parent.mkdir(exist_ok=True)
    with open(ledger, "a") as lines, open(log, "a") as histograms:
        for second in seconds:
            made = HdrHistogram(64, 60_000_000_000, 3)
            made.record_value(1_000_000, second)
            histograms.write(f"Tag=hold/find/response,{second}.000,1.000,1.000,{made.encode().decode()}\n")
            histograms.flush()
            lines.write(json.dumps({"generator": 0, "seq": second, "hlog_bytes": histograms.tell()}) + "\n")
        if final:
            lines.write(json.dumps({"generator": 0, "final": True, "hlog_bytes": histograms.tell()}) + "\n")


def read(tail: LiveTail) -> list[int]:
    """Return how many values each second has; -1 for the final line."""
    return [
        -1 if second.is_final else int(second.histograms["response"]["hold", "find"].sum()) for second in tail.read()
    ]


def test_a_bundle_of_seconds_is_followed_itself(tmp_path: Path) -> None:
    tail = LiveTail(tmp_path, "generator-0")
    assert read(tail) == []
    write(tmp_path, "latencies/generator-0", range(1, 3))
    assert read(tail) == [1, 2]
    write(tmp_path, "latencies/generator-0", range(3, 4), final=True)
    assert read(tail) == [3, -1]


def test_a_live_stream_is_followed_instead_of_the_coarser_bundle(tmp_path: Path) -> None:
    tail = LiveTail(tmp_path, "generator-0")
    write(tmp_path, "live/generator-0.0", range(1, 3))
    write(tmp_path, "latencies/generator-0", range(100, 101))
    write(tmp_path, "live/generator-1.0", range(50, 51))
    assert read(tail) == [1, 2]
    assert read(tail) == []


def test_every_part_is_read_to_its_end(tmp_path: Path) -> None:
    tail = LiveTail(tmp_path, "generator-0")
    write(tmp_path, "live/generator-0.0", range(1, 3))
    assert read(tail) == [1, 2]
    write(tmp_path, "live/generator-0.0", range(3, 5))
    write(tmp_path, "live/generator-0.1", range(5, 7))
    write(tmp_path, "live/generator-0.2", range(7, 8), final=True)
    assert read(tail) == [3, 4, 5, 6, 7, -1]
    assert read(tail) == []


def test_who_comes_too_late_goes_on_with_the_oldest_part(tmp_path: Path) -> None:
    tail = LiveTail(tmp_path, "generator-0")
    write(tmp_path, "live/generator-0.0", range(1, 3))
    assert read(tail) == [1, 2]
    (tmp_path / "live" / "generator-0.0.jsonl").unlink()
    (tmp_path / "live" / "generator-0.0.hlog").unlink()
    write(tmp_path, "live/generator-0.9", range(9, 10))
    write(tmp_path, "live/generator-0.10", range(10, 11))
    assert read(tail) == [9, 10]
    assert read(LiveTail(tmp_path, "generator-0")) == [9, 10]


def test_nothing_is_left_of_a_live_stream(tmp_path: Path) -> None:
    write(tmp_path, "live/generator-0.0", range(1, 3))
    write(tmp_path, "latencies/generator-0", range(1, 3))
    drop_live(tmp_path)
    drop_live(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["latencies"]
