"""Runs whose writes may be lost: ``--discard-unsettled`` with a series or a folder of ``run --results``."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence

from shardload.config.places import STARTED_IN, Places
from shardload.results.bundle import RUN_FILE, bundles_in
from shardload.results.handover import ResultsFolder
from shardload.results.lookup import SERIES_FILE


def named_runs(texts: Sequence[str], places: Places) -> list[str]:
    """Return the names of the runs; a folder of results in which none was started stands for none."""
    return list(dict.fromkeys(run for text in texts for run in _runs(text, places)))


def _runs(text: str, places: Places) -> Iterator[str]:
    results = ResultsFolder((STARTED_IN / text).resolve())
    if not results.is_ours and "/" in text:
        return
    folder = results.run(places) if results.is_ours else places.runs / text
    if folder is None:
        return
    if (folder / SERIES_FILE).is_file():
        yield from _runs_of_series(folder.name, places)
    else:
        yield folder.name


def _runs_of_series(series: str, places: Places) -> Iterator[str]:
    # The bundles say it themselves: a series that was killed did not write down its last run.
    for bundle in bundles_in(places.runs):
        with contextlib.suppress(OSError, ValueError):
            place = json.loads((bundle / RUN_FILE).read_text(encoding="utf-8"))["run"].get("series") or ""
            if place.startswith(f"{series}/"):
                yield bundle.name
