"""The folder of ``run --results``: what a caller such as Jenkins keeps of a run."""

from __future__ import annotations

from shardload.config.places import Places
from shardload.results.handover import ResultsFolder


def empty(text: str, places: Places) -> None:
    """Make the folder, or empty the one of an earlier run."""
    ResultsFolder.named(text, places).empty()
