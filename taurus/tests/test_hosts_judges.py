"""The judges of runs with load hosts see what is wrong with a bundle."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from pathlib import Path

import pytest

from tests.e2e import hosts_judges as judges

COUNTED = {"started": 3, "dropped": 0, "done": 3, "missing": 0, "failed": 0, "unknown": 0}


def histogram(count: int) -> str:
    """Return a histogram with a count in its lowest slot."""
    payload = bytes([count * 2])  # ZigZag
    inner = struct.pack(">IIIIQQd", 0x1C849303, len(payload), 0, 3, 64, 60_000_000_000, 1.0) + payload
    packed = zlib.compress(inner)
    return base64.b64encode(struct.pack(">II", 0x1C849304, len(packed)) + packed).decode()


def write(bundle: Path, stream: str, index: int, values: int, counted: dict | None = None) -> None:
    """Write one line with some values, and a final line that has begun one arrival."""
    folder = bundle / "latencies"
    folder.mkdir(exist_ok=True)
    line = {"segments": {"hold": {"insert": counted or COUNTED}}}
    issued = {"begun": {"number": 1, "index_sum": f"{index:016x}", "hash": "f" * 16}}
    final = {"final": True, "scheduled": {"hold": {"insert": 3}}, "issued": issued}
    (folder / f"{stream}.jsonl").write_text(f"{json.dumps(line)}\n{json.dumps(final)}\n")
    (folder / f"{stream}.hlog").write_text(f"#comment\nTag=hold/insert/service,0,1,1,{histogram(values)}\n")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    double = {key: 2 * value for key, value in COUNTED.items()}
    write(tmp_path, "generator-0", 7, 1)
    write(tmp_path, "generator-1", 9, 2)
    write(tmp_path, "merged", 0, 3, double)
    return tmp_path


def test_a_sound_bundle(bundle: Path) -> None:
    assert judges.begun(bundle, 2) == (2, 16, (2 << 64) - 2 - (1 << 64))
    judges.assert_ledgers_close(bundle, 2)
    judges.assert_sum_is_merged(bundle, 2)


def test_a_value_that_is_not_merged(bundle: Path) -> None:
    write(bundle, "generator-1", 9, 3)
    with pytest.raises(AssertionError):
        judges.assert_sum_is_merged(bundle, 2)


@pytest.mark.parametrize("changed", [{"done": 2}, {"started": 2}, {"started": 4, "done": 4}])
def test_a_ledger_that_does_not_close(bundle: Path, changed: dict) -> None:
    write(bundle, "generator-1", 9, 2, {**COUNTED, **changed})
    with pytest.raises(AssertionError):
        judges.assert_ledgers_close(bundle, 2)


def test_a_merged_ledger_with_less_than_the_hosts_have(bundle: Path) -> None:
    write(bundle, "merged", 0, 3)
    with pytest.raises(AssertionError):
        judges.assert_ledgers_close(bundle, 2)


def test_a_rate_that_was_not_begun(bundle: Path) -> None:
    judges.assert_rate(bundle, {"throughput": {"offered": 6.0}}, 6, 1)
    with pytest.raises(AssertionError):
        judges.assert_rate(bundle, {"throughput": {"offered": 6.0}}, 7, 1)
