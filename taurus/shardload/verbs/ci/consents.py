"""Runs whose writes may be lost: ``--discard-unsettled`` with a series, a search or a folder of ``run --results``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shardload.config.places import STARTED_IN, Places
from shardload.results.bundle import bundles_in
from shardload.results.handover import ResultsFolder
from shardload.results.lookup import group_of, is_group


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
    if is_group(folder):
        # The bundles name their series or search: one that was killed did not write down its last run.
        yield from (bundle.name for bundle in bundles_in(places.runs) if group_of(bundle) == folder.name)
    else:
        yield folder.name
