"""The rows of the table of runs, and which of them are wanted."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from shardload import exit_codes
from shardload.config.problem import Problem, unknown
from shardload.config.values.labels import read_tags
from shardload.config.values.quantities import seconds
from shardload.results.bundle import RUN_FILE, SUMMARY_FILE
from shardload.results.lookup import (
    SEARCH_FILE,
    SERIES_FILE,
    group_of,
    is_group,
    is_held,
    is_search,
    labels_of,
    read_json,
    runs_in,
)
from shardload.results.searches import p99_at_low, rate_of

# As results/Verdict.java names the exit codes.
VERDICTS = {
    exit_codes.OK: "ok",
    exit_codes.INTERRUPTED: "interrupted",
    exit_codes.MISSED: "missed",
    exit_codes.WRONG_DATA: "wrong",
    exit_codes.INVALID: "invalid",
}
RUNNING = "running"
# A run that was killed before it could be judged.
UNFINISHED = "unfinished"
_STAMP = re.compile(r"(\d{8}-\d{6})-")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def rows_of(runs: Path, with_members: bool) -> list[dict[str, Any]]:
    """Return a row for each run, series and search, the newest last; with_members also for each of their runs."""
    there = runs_in(runs)
    groups = {folder.name for folder in there if is_group(folder)}
    rows = []
    for folder in there:
        if is_search(folder):
            rows.append(_search_row(folder))
        elif folder.name in groups:
            rows.append(_series_row(folder))
        elif with_members or group_of(folder) not in groups:
            rows.append(_run_row(folder))
    return rows


def _run_row(folder: Path) -> dict[str, Any]:
    config, summary = read_json(folder / RUN_FILE), read_json(folder / SUMMARY_FILE)
    headline = summary.get("headline") or {}
    verdict = (summary.get("verdict") or {}).get("name") or (RUNNING if is_held(folder) else UNFINISHED)
    return {
        **_common(folder, "run"),
        "series": group_of(folder),
        "target": _name(config, "target", "name"),
        "workload": _name(config, "workload", "name"),
        "profile": _name(config, "run", "profile"),
        "runs": 1,
        "verdict": verdict,
        "achieved_per_second": headline.get("achieved_per_second"),
        "p99_ns": (headline.get("latency_ns") or {}).get("p99"),
        "capacity": None,
    }


def _series_row(folder: Path) -> dict[str, Any]:
    series = read_json(folder / SERIES_FILE)
    sides = [side for side in series.get("sides") or [] if isinstance(side, Mapping)]
    codes = [run["exit"] for run in series.get("runs") or [] if isinstance(run.get("exit"), int)]
    if is_held(folder):
        verdict = RUNNING
    elif series.get("state") == "complete":
        verdict = VERDICTS[exit_codes.worst(codes)]
    else:
        verdict = VERDICTS[exit_codes.worst([*codes, exit_codes.INTERRUPTED])]
    rate, p99 = _medians(folder, series) if len(sides) == 1 else (None, None)
    return {
        **_common(folder, "series"),
        "series": None,
        "target": ", ".join(dict.fromkeys(str(side.get("target")) for side in sides)) or None,
        "workload": series.get("workload"),
        "profile": series.get("profile"),
        "runs": len(codes),
        "verdict": verdict,
        "achieved_per_second": rate,
        "p99_ns": p99,
        "capacity": None,
    }


def _search_row(folder: Path) -> dict[str, Any]:
    search = read_json(folder / SEARCH_FILE)
    code = search.get("exit")
    verdict = UNFINISHED if code is None else VERDICTS.get(code, UNFINISHED)
    return {
        **_common(folder, "search"),
        "series": None,
        "target": search.get("target"),
        "workload": search.get("workload"),
        "profile": search.get("profile"),
        "runs": len(search.get("runs") or []),
        "verdict": RUNNING if is_held(folder) else verdict,
        "achieved_per_second": None,
        "p99_ns": p99_at_low(search),
        "capacity": {"low_per_second": rate_of(search, "low"), "high_per_second": rate_of(search, "high")},
    }


def _medians(folder: Path, series: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Return the medians of rate and p99 over the runs of a series with one side, without invalid ones."""
    counted = (exit_codes.OK, exit_codes.MISSED)
    named = [run.get("bundle") for run in series.get("runs") or [] if run.get("exit") in counted]
    rows = [_run_row(folder.parent / str(bundle)) for bundle in named if bundle]
    rates, p99s = ([row[key] for row in rows if row[key] is not None] for key in ("achieved_per_second", "p99_ns"))
    return median(rates) if rates else None, median(p99s) if p99s else None


def _common(folder: Path, kind: str) -> dict[str, Any]:
    labels = labels_of(folder)
    started = started_at(folder)
    return {
        "run": folder.name,
        "kind": kind,
        "folder": str(folder),
        "started": started.isoformat(timespec="seconds") if started else None,
        "name": labels.get("name"),
        "tags": labels.get("tags") or {},
        "note": labels.get("note"),
    }


def _name(config: Mapping[str, Any], section: str, key: str) -> str | None:
    part = config.get(section)
    value = part.get(key) if isinstance(part, Mapping) else None
    return str(value) if value else None


def started_at(folder: Path) -> datetime | None:
    """Return when a run began, in local time, as its folder says."""
    found = _STAMP.match(folder.name)
    try:
        return datetime.strptime(found[1], "%Y%m%d-%H%M%S") if found else None
    except ValueError:
        return None


def wanted(
    rows: Sequence[dict[str, Any]], options: argparse.Namespace, now: datetime | None = None
) -> list[dict[str, Any]]:
    """Return the rows that the options ask for."""
    tags = read_tags(options.tag)
    since = read_since(options.since, now or datetime.now()) if options.since is not None else None
    known = [*VERDICTS.values(), RUNNING, UNFINISHED]
    if options.verdict is not None and options.verdict not in known:
        raise Problem(f"--verdict: {unknown('verdict', options.verdict, known)}")
    if options.limit is not None and options.limit < 1:
        raise Problem(f"--limit: {options.limit} is not a number of runs; at least 1")
    found = [row for row in rows if _is_wanted(row, options, tags, since)]
    return found[-options.limit :] if options.limit is not None else found


def _is_wanted(
    row: Mapping[str, Any], options: argparse.Namespace, tags: Mapping[str, str], since: datetime | None
) -> bool:
    is_tagged = all(row["tags"].get(key) == value for key, value in tags.items())
    is_of_target = options.target is None or options.target in (row["target"] or "").split(", ")
    is_judged_so = options.verdict is None or row["verdict"] == options.verdict
    started = row["started"]
    is_new = since is None or (started is not None and datetime.fromisoformat(started) >= since)
    return is_tagged and is_of_target and is_judged_so and is_new


def read_since(text: str, now: datetime) -> datetime:
    """Read a day such as 2026-11-21, or a time span such as 2h or 7d before now."""
    if _DAY.fullmatch(text.strip()):
        try:
            return datetime.strptime(text.strip(), "%Y-%m-%d")
        except ValueError:
            raise Problem(f'--since: "{text}" is not a day of the calendar') from None
    try:
        return now - timedelta(seconds=seconds(text))
    except (Problem, OverflowError):
        raise Problem(f'--since: "{text}" is not a day or time span; write 2026-11-21, 7d or 2h') from None
