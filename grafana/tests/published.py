"""Publishes bundles as a user does, and reads what the dashboards' own queries say of them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from itertools import takewhile
from pathlib import Path
from typing import Any

from checks.check import Setting, execute, resolve, scope_of
from checks.dashboard import Dashboard
from checks.store import Store
from checks.time_range import TimeRange
from tests.checkout import Checkout

TRANSACTIONS = "Transactions, without the warm-up"
OUTCOMES = ("done", "missing", "refused", "failed", "unknown")
# A column of the table of transactions, and what it adds of a ledger.
COLUMNS = {
    "Answered": ("done", "missing", "refused"),
    "Failed, unknown": ("failed", "unknown"),
    "Dropped": ("dropped",),
}


def publish(checkout: Checkout, log: Path, store: Store, bundles: list[Path]) -> None:
    """Import bundles into a VictoriaMetrics."""
    code, output = checkout.call(log, "publish", *(bundle.name for bundle in bundles), "--url", store.url)
    assert code == 0, output


def exported(checkout: Checkout, bundle: Path, file: Path) -> Path:
    """Export a bundle for promtool."""
    log = file.with_suffix(".log")
    code, output = checkout.call(log, "export", bundle.name, "--format", "openmetrics", "--output", str(file))
    assert code == 0, output
    return file


def copied(bundle: Path, number: int, earlier_seconds: int) -> Path:
    """Return a copy of a bundle under another name that began earlier."""
    copy = bundle.with_name(f"{bundle.name}-{number}")
    shutil.copytree(bundle, copy)
    run = json.loads((copy / "run.json").read_text())
    run["run"].update(id=copy.name, directory=str(copy))
    (copy / "run.json").write_text(json.dumps(run))
    recorded = copy / "latencies" / "generator-0.jsonl"
    lines = recorded.read_text().splitlines()
    last = json.loads(lines[-1])
    last["start_epoch_ms"] -= earlier_seconds * 1000
    recorded.write_text("\n".join([*lines[:-1], json.dumps(last)]) + "\n")
    return copy


def results_moved(openmetrics: str, bundle: Path, copy: Path) -> str:
    """Return what an exported file says of the controller's series, as if the copy had been exported."""
    later = started(copy) - started(bundle)
    lines = []
    for line in openmetrics.splitlines():
        if line.startswith("shardload_run_"):
            series, value, moment = line.rsplit(" ", 2)
            series = series.replace(f'run_id="{bundle.name}"', f'run_id="{copy.name}"')
            moved = float(value) + later if "_timestamp_seconds{" in series else float(value)
            lines.append(f"{series} {moved!r} {float(moment) + later:.3f}")
    assert lines
    return "\n".join([*lines, "# EOF", ""])


def started(bundle: Path) -> float:
    """Return when the generator of a bundle began, in seconds since 1970."""
    last = (bundle / "latencies" / "generator-0.jsonl").read_text().splitlines()[-1]
    return float(json.loads(last)["start_epoch_ms"]) / 1000


def before_results(bundle: Path) -> float:
    """Return how many seconds the warm-up and the ramp after it take."""
    segments = json.loads((bundle / "run.json").read_text())["load"]["segments"]
    last = (bundle / "latencies" / "generator-0.jsonl").read_text().splitlines()[-1]
    planned = sum(each["seconds"] for each in takewhile(lambda each: each["kind"] in ("warm-up", "ramp"), segments))
    return float(planned + json.loads(last).get("prolonged_ns", 0) / 1e9)


def ledgers(bundle: Path, after_seconds: float = 0) -> dict[tuple[str, str], int]:
    """Return the generator's own counts: by transaction, and outcome or what became of arrivals.

    Without those of the intervals that ended until some seconds after the start.
    """
    counts: Counter[tuple[str, str]] = Counter()
    lines = map(json.loads, (bundle / "latencies" / "generator-0.jsonl").read_text().splitlines())
    for line in (line for line in lines if line.get("to_ns", 0) > after_seconds * 1e9):
        for transactions in line.get("segments", {}).values():
            for transaction, ledger in transactions.items():
                for part in ("started", "dropped", *OUTCOMES):
                    counts[transaction, part] += ledger[part]
    return {key: count for key, count in counts.items() if count}


def expected_counts(bundle: Path, after_seconds: float = 0) -> dict[tuple[str, str], int]:
    """Return the columns of the table of transactions that the ledger of a bundle makes, without those that are 0."""
    counts: Counter[tuple[str, str]] = Counter()
    for (transaction, part), count in ledgers(bundle, after_seconds).items():
        for column, parts in COLUMNS.items():
            counts[transaction, column] += count if part in parts else 0
    return {key: count for key, count in counts.items() if count}


def table(board: Dashboard, title: str, setting: Setting) -> dict[str, list[dict[str, Any]]]:
    """Return the series of a table's columns by their names on the dashboard."""
    (panel,) = [panel for panel in board.panels if panel.title == title]
    organize = next(each for each in panel.settings["transformations"] if each["id"] == "organize")["options"]
    names = {field.removeprefix("Value #"): name for field, name in organize["renameByName"].items()}
    found, problems = resolve(board, setting)
    assert problems == []
    answers = [execute(panel, query, scope_of(found, setting.span), setting) for query in panel.queries]
    assert [answer.error for answer in answers if answer.error] == []
    return {names[answer.query.reference]: answer.series for answer in answers}


def counts_on_the_dashboard(
    run: Dashboard, store: Store, bundle: Path, sources: list[str]
) -> dict[tuple[str, str], int]:
    """Return what the table of transactions says of a whole run, without what is 0; no source is the first one."""
    begun = started(bundle)
    wanted = {"run": [bundle.name], **({"source": sources} if sources else {})}
    shown = table(run, TRANSACTIONS, Setting(store, TimeRange(begun - 5, begun + 120), "1s", wanted))
    found = {
        (series["metric"]["transaction"], column): float(series["value"][1])
        for column in COLUMNS
        for series in shown[column]
    }
    assert all(value == round(value) for value in found.values())
    return {key: round(value) for key, value in found.items() if value}
