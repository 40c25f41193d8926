"""Reads an exported run back and compares it with its summary."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from tests.e2e.conftest import RealCheckout

COUNTED = ("started", "dropped", "done", "missing", "refused", "failed", "unknown", "unasked", "retries", "stale_reads")


def assert_exports_equal_the_summary(real: RealCheckout) -> None:
    """Export the latest run in every format; each has the sums and the figures of summary.json."""
    name, summary = real.latest.name, json.loads((real.latest / "summary.json").read_text())
    for kind in ("csv", "json", "openmetrics"):
        code, output = real.run("export", name, "--format", kind)
        assert code == 0 and f"wrote {name}" in output and "warning" not in output, output
    document = json.loads((real.root / f"{name}.json").read_text())
    assert document["summary"] == summary
    with open(real.root / f"{name}-csv" / "seconds.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert_rows_equal_the_summary(document["seconds"], summary)
    assert_rows_equal_the_summary(table, summary)
    with open(real.root / f"{name}-csv" / "summary.csv", newline="") as file:
        flat = {row["key"]: row["value"] for row in csv.DictReader(file)}
    expected = dict(flattened("", summary))
    assert set(flat) == set(expected)
    assert {key: read_as(value, flat[key]) for key, value in expected.items()} == expected
    assert_samples_equal_the_summary(real.root / f"{name}.om", summary)


def assert_rows_equal_the_summary(rows: list[dict[str, Any]], summary: dict[str, Any]) -> None:
    warm_up = [row for row in rows if row["kind"] == "warm-up"]
    others = [row for row in rows if row["kind"] != "warm-up"]
    for ledger, part in (("warmup_ledger", warm_up), ("ledger", others)):
        sums = {key: sum(int(row[key]) for row in part) for key in COUNTED}
        assert sums == {key: summary[ledger][key] for key in COUNTED}
    assert sum(int(row["done"]) for row in others) > 100
    # In a closed model no arrival is due before its call, so rows have service times only.
    measured = ("service",) if summary["throughput"]["offered"] is None else ("response", "service")
    for transaction, expected in summary["transactions"].items():
        result = [row for row in others if row["transaction"] == transaction]
        result = [row for row in result if row["segment"] in summary["result_segments"]]
        assert sum(int(row["rows"]) for row in result) == expected["rows"]
        for series in measured:
            longest = [int(row[f"{series}_max_ns"]) for row in result if row[f"{series}_max_ns"] not in (None, "")]
            assert sum(int(row[f"{series}_count"]) for row in result) == expected[f"{series}_ns"]["count"]
            assert max(longest, default=None) == expected[f"{series}_ns"]["max"]


def assert_samples_equal_the_summary(file: Path, summary: dict[str, Any]) -> None:
    """Add up the last sample of every series; the first is 0."""
    first: dict[str, float] = {}
    last: dict[str, float] = {}
    lines = file.read_text().splitlines()
    assert lines[-1] == "# EOF"
    for line in lines:
        if not line.startswith("#"):
            series, value, _ = line.rsplit(" ", 2)
            first.setdefault(series, float(value))
            last[series] = float(value)

    def total(values: dict[str, float], *parts: str) -> int:
        return round(sum(value for series, value in values.items() if all(part in series for part in parts)))

    both = [summary["ledger"], summary["warmup_ledger"]]
    assert total(last, "shardload_arrivals_started_total{") == sum(ledger["started"] for ledger in both)
    for outcome in ("done", "missing", "refused", "failed", "unknown"):
        found = total(last, "shardload_transactions_total{", f'outcome="{outcome}"')
        assert found == sum(ledger[outcome] for ledger in both)
    # A call that found no key to ask for is counted as missing, and has no duration.
    answered = sum(ledger["done"] + ledger["missing"] - ledger["unasked"] for ledger in both)
    assert total(last, "shardload_duration_seconds_bucket{", 'phase="service"', 'le="+Inf"') == answered
    assert {series: value for series, value in first.items() if "_total{" in series and value} == {}
    assert all('source="bundle"' in series for series in last)


def flattened(path: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [pair for key, one in value.items() for pair in flattened(f"{path}.{key}" if path else key, one)]
    if isinstance(value, list):
        return [pair for place, one in enumerate(value) for pair in flattened(f"{path}.{place}", one)]
    return [(path, value)]


def read_as(value: Any, text: str) -> Any:
    """Return a cell as what it must be: 4.5E-4 is the number 0.00045, an empty one is null."""
    if value is None:
        return text or None
    return text if isinstance(value, str) else json.loads(text)
