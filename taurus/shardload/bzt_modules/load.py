"""Makes the load of a run from its configuration."""

from __future__ import annotations

from pathlib import Path

from shardload.config.places import Places
from shardload.processes.generator import LocalLoad
from shardload.processes.hints import program
from shardload.processes.hosts import HostLoad
from shardload.processes.load import Load
from shardload.processes.session import Session
from shardload.results.bundle import GENERATOR_LOG, GENERATOR_OUTPUT, GENERATOR_PROPERTIES, artifacts_folder


def load_of(session: Session, bundle: Path, places: Places, heap: str) -> Load:
    """Return the load on the hosts that the configuration lists, or else on this machine."""
    if session.config.get("hosts"):
        return HostLoad(session, program(places))
    folder = artifacts_folder(bundle)
    return LocalLoad(places, heap, folder / GENERATOR_PROPERTIES, folder / GENERATOR_LOG, folder / GENERATOR_OUTPUT)
