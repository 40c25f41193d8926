"""Whether a run would load documents. A server is asked, an embedded one is not started for it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shardload.config.effective import Checked
from shardload.config.keys import OPTIONS
from shardload.config.places import Places
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.session import Session, describe
from shardload.results.bundle import RUN_FILE, bundles_in

UNKNOWN = "unknown"
_REFUSED = "refused"
_SERVERS_KEYS = ("target.", "schema.")
# The key of a server that does not answer: a run can be planned without it.
_ADDRESS = "target.url"


@dataclass(frozen=True)
class Data:
    """What a run would find. ``to_load`` is null where that is not known; ``text`` describes it."""

    state: str
    text: str
    documents: int | None = None
    to_load: int | None = None

    @property
    def is_refused(self) -> bool:
        """Whether a run would be refused."""
        return self.state == _REFUSED

    def to_json(self) -> dict[str, Any]:
        """Return it for other programs."""
        return {"state": self.state, "documents": self.documents, "to_load": self.to_load, "text": self.text}


def look(session: Session, checked: Checked, places: Places, shaping: Collection[str]) -> Data:
    """Find out what a run would load; nothing is created, changed or started.

    ``shaping`` are the keys that shape the data, such as ``workload.data.tenants``.
    """
    try:
        session.settle_size()
        documents = _documents(session)
        if checked.target.get("embedded"):
            return _on_disk(session, documents, places, shaping)
        return _told(session.call("data-state"), session.unit)
    except (ChildError, ChildDied) as error:
        key = (error.key or "") if isinstance(error, ChildError) else ""
        if key.startswith(_SERVERS_KEYS) and key != _ADDRESS:
            return Data(_REFUSED, f"a run would be refused: {describe(error)}")
        text = "a dry run does not start the server" if checked.target.get("embedded") else "cannot ask the server"
        return Data(UNKNOWN, f"not known: {text}: {describe(error)}")


def _documents(session: Session) -> int | None:
    count = (session.config["workload"].get("data") or {}).get("documents")
    return int(count) if isinstance(count, (int, float)) else None


def _told(told: Mapping[str, Any], what: str) -> Data:
    """Put the server's answer into words."""
    state, loaded, documents = str(told["state"]), int(told["loaded"]), int(told["documents"])
    if state == _REFUSED:
        return Data(state, f"a run would be refused: {told['detail']}", documents)
    texts = {
        "none": f"{documents:,} {what} would be loaded: no data exists yet",
        "partial": f"{documents - loaded:,} {what} would be loaded: {loaded:,} of {documents:,} are there",
        "complete": f"nothing would be loaded: all {documents:,} {what} were loaded before",
        "nothing-to-load": "nothing would be loaded: the target keeps no data, or the data is not shardload's",
    }
    if state == "nothing-to-load":  # and so nothing to verify either
        return Data(state, texts[state], None, 0)
    return Data(state, texts[state], documents, documents - loaded)


def _on_disk(session: Session, documents: int | None, places: Places, shaping: Collection[str]) -> Data:
    """Say what the folder of an embedded server lets expect."""
    name = session.config["target"]["name"]
    folder = places.data(name)
    count = "all" if documents is None else f"{documents:,}"
    if not folder.is_dir() or not any(folder.iterdir()):
        text = f"{count} {session.unit} would be loaded: the embedded server has no data on disk yet"
        return Data("none", text, documents, documents)
    last = _last_run(places, name)
    shown = places.show(folder)
    if last is None:
        return Data(
            UNKNOWN, f"not known: {shown} contains data, and only the running server can report which", documents
        )
    bundle, config = last
    if _same_data(config, session.config, shaping):
        text = f"probably nothing would be loaded: run {bundle.name}, the last on {shown}, had the same data set"
        return Data("probably-complete", text, documents, 0)
    text = f"a run would probably be refused: run {bundle.name}, the last on {shown}, had a different data set"
    return Data(UNKNOWN, text, documents)


def _last_run(places: Places, target: str) -> tuple[Path, dict[str, Any]] | None:
    for bundle in reversed(bundles_in(places.runs)):
        try:
            config = json.loads((bundle / RUN_FILE).read_text(encoding="utf-8"))
            if config["target"]["name"] == target:
                return bundle, config
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
    return None


def _same_data(one: Mapping[str, Any], other: Mapping[str, Any], shaping: Collection[str]) -> bool:
    def shape(config: Mapping[str, Any]) -> list[Any]:
        workload = config.get("workload") or {}
        chosen = {
            name: value
            for name, value in (workload.get("chosen") or {}).items()
            if f"workload.{OPTIONS}.{name}" in shaping
        }
        named = (workload.get(key) for key in ("name", "seed", "data", "folder"))
        return [config.get("schema") or {}, chosen, *named]

    return shape(one) == shape(other)
