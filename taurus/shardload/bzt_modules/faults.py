"""The faults of a run: when the child may inject them, and what it says of them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from shardload.processes.child import ChildDied, ChildError, Interrupted
from shardload.processes.session import Session, describe
from shardload.results.bundle import FAULTS_FILE
from shardload.results.tail import Second

_ANSWER_SECONDS = 10.0
_WORDS = {
    "begin": "begins",
    "no-answer": "the server does not answer",
    "answers": "the server answers",
    "end": "ends",
    "failed": "FAILED",
}


class RunFaults:
    """Starts the faults once the warm-up is over, and shows each of their events."""

    def __init__(self, session: Session, bundle: Path, warm_up_seconds: float, show: Callable[[str], None]) -> None:
        self._session = session
        self._events = bundle / FAULTS_FILE
        self._warm_up_seconds = warm_up_seconds
        self._show = show
        self._is_waiting = bool(session.config.get("faults"))
        self._read = 0

    def hear(self, second: Second) -> None:
        """Tell the child when the load began, after the first second behind the warm-up: it may be prolonged."""
        warm_up = self._warm_up_seconds + second.prolonged_seconds
        if not self._is_waiting or second.is_final or second.end_seconds < warm_up:
            return
        self._is_waiting = False
        began_ms = float(second.ledger.get("epoch_ms") or 0) - second.end_seconds * 1000
        try:
            self._session.call("faults-started", epoch_ms=began_ms, warm_up_seconds=warm_up)
        except (ChildError, ChildDied) as error:
            self._show(f"shardload: the faults cannot start: {describe(error)}")

    def stop(self) -> None:
        """Have the fault in effect ended: the load may wait for its calls, which wait for the server."""
        if self._session.config.get("faults") and self._session.is_alive:
            self._is_waiting = False
            deadline = time.monotonic() + _ANSWER_SECONDS
            with suppress(ChildError, ChildDied, Interrupted):  # a shell ends it if the child has died
                self._session.call("faults-stop", lambda: time.monotonic() > deadline)

    def look(self) -> None:
        """Show what has happened since the last look."""
        if not self._events.exists():
            return
        with open(self._events, "rb") as file:
            file.seek(self._read)
            data = file.read()
        end = data.rfind(b"\n") + 1
        self._read += end
        for line in data[:end].splitlines():
            self._tell(json.loads(line))

    def _tell(self, event: dict[str, Any]) -> None:
        words = _WORDS.get(event["event"])
        if words:
            text = f": {event['text']}" if event.get("text") else ""
            self._show(f"{event['load_ns'] / 1e9:7.2f} s  fault {event['fault']}: {words}{text}")
