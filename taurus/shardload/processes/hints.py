"""Commands that a refusal suggests, in a form that works in the folder from which the user called shardload."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import Any

from shardload.config.merge import Merged, Source, kinds_of
from shardload.config.paths.find import argument
from shardload.config.places import STARTED_IN, Places

# The launcher sets it to how it was called, which python cannot see.
PROGRAM_VARIABLE = "SHARDLOAD_PROGRAM"

# Sections that verbs other than run do not know.
ONLY_FOR_RUNS = ("execution", "reporting", "services", "modules", "run", "search")


def program(places: Places) -> str:
    """Return how shardload is called from the folder where the user stands."""
    named = os.environ.get(PROGRAM_VARIABLE)
    return named or ("./shardload" if places.root == STARTED_IN else str(places.root / "shardload"))


def without_run_keys(overrides: Sequence[str]) -> list[str]:
    """Return the overrides that verbs other than run know."""
    return [override for override in overrides if override.partition("=")[0].split(".")[0] not in ONLY_FOR_RUNS]


def as_options(overrides: Sequence[str]) -> list[str]:
    """Return overrides as arguments."""
    return [part for override in overrides for part in ("-o", override)]


def render(advice: Sequence[dict[str, Any]], merged: Merged, places: Places) -> list[str]:
    """Return two lines for each suggestion: what it is for, and the command by itself, so that no wrap splits it.

    Where no shardload command corresponds to the merged files, as when plain bzt was given the user's files, the
    line names the verb alone.
    """
    chosen = _choice(merged, places)
    lines = []
    for each in advice:
        words = [str(each["verb"]), *map(str, each.get("flags") or [])]
        if chosen is None:
            lines.append(f"  {each['purpose']}: the verb {shlex.join(words)}, with the same target and workload")
        else:
            lines += [f"  {each['purpose']}:", f"    {shlex.join([program(places), *words, *chosen])}"]
    return lines


def _choice(merged: Merged, places: Places) -> list[str] | None:
    """Return the arguments that choose target, workload and overrides; None where no command has these files."""
    chosen = chosen_files(merged, places)
    if "target" not in chosen or "workload" not in chosen:
        return None
    files = ["--target", chosen["target"], "--workload", chosen["workload"]]
    return [*files, *as_options(without_run_keys(merged.overrides))]


def chosen_files(merged: Merged, places: Places) -> dict[str, str]:
    """Return what chooses target, workload and profile on the command line; nothing where other files were merged."""
    chosen: dict[str, str] = {}
    for source in merged.sources:
        if source.is_extended or source.path == places.taurus / "base.yml":
            continue
        kind = _kind_of(source)
        if kind is None or kind in chosen:
            return {}
        chosen[kind] = argument(places, kind, source.path)
    return chosen


def _kind_of(source: Source) -> str | None:
    """Return what a file is: the one of target, workload and profile that it holds."""
    kinds = kinds_of(source)
    return kinds[0] if len(kinds) == 1 else None
