"""How this process was called: which files and overrides were merged."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bzt.cli import get_option_parser

from shardload.config.merge import Merged, extended, names_of, plain, read_source
from shardload.config.places import Places


@dataclass
class Invocation:
    """Files and overrides, as given on the command line."""

    files: list[Path] = field(default_factory=list)
    overrides: list[str] = field(default_factory=list)
    flags: Mapping[str, str] = field(default_factory=dict)
    # Where the name of the run is noted as soon as it has one.
    results: Path | None = None
    # How the seconds of the run are shown: live, quiet or json.
    console: str = "live"
    # Whether a run whose documents are not all there is refused.
    is_no_load: bool = False
    # The run's bundle, as soon as it has one.
    bundle: Path | None = None


# Set by ``shardload run``; for plain ``bzt`` it is read from its own command line.
current: Invocation | None = None


def find() -> Invocation:
    """Return how Taurus was called."""
    if current is not None:
        return current
    options, files = get_option_parser().parse_args(sys.argv[1:])
    return Invocation([Path(name).resolve() for name in files if Path(name).is_file()], list(options.option or []))


def merged_of(engine: Any, places: Places) -> Merged:
    """Return the configuration that Taurus has merged, with the files that it came from."""
    invocation = find()
    sources = [read_source(path, places) for path in invocation.files]
    merged = Merged(plain(engine.config), sources, invocation.overrides, names_of(sources), invocation.flags)
    return extended(merged, places)
