"""The controller's own metrics of a run, served by the Java child.

All of it is best effort: what fails is noted once, and the run goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shardload.config.metrics import controller_host
from shardload.config.places import Places
from shardload.processes.child import ChildDied, ChildError, Interrupted
from shardload.processes.session import Session, describe
from shardload.results.tail import Second

LINGER_SECONDS = 15.0
_ANSWER_SECONDS = 10.0


class RunMetrics:
    """Sends the child what a store needs about the run: ``open``, ``hear`` every second, ``end``, ``close``."""

    def __init__(
        self, session: Session, bundle: Path, note: Callable[[str], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._session = session
        self._bundle = bundle
        self._note = note
        self._now = now
        self._section = session.config.get("metrics")
        self._start_ms: float | None = None
        self._heard_seconds = self._prolonged_seconds = 0.0
        self._has_ended = False

    def open(self, places: Places) -> None:
        """Serve them, and show where."""
        if self._section is None:
            return
        answer = self._ask("metrics-open", listen=controller_host(str(self._section["listen"])))
        if answer is not None:
            folder = places.show(places.metrics)
            self._session.note(
                f"metrics  http://{answer['address']}/metrics (the controller's; {folder} has all addresses)"
            )

    def hear(self, second: Second) -> None:
        """Take the start from the first second, the end from the last line."""
        if self._start_ms is None:
            written_ms = float(second.ledger.get("epoch_ms") or 0) - second.end_seconds * 1000
            self._start_ms = float(second.ledger.get("start_epoch_ms") or written_ms)
            self._ask("metrics-started", epoch_ms=round(self._start_ms))
        if second.prolonged_seconds != self._prolonged_seconds:
            self._prolonged_seconds = second.prolonged_seconds
            seconds = self._prolonged_seconds
            self._ask("metrics-started", epoch_ms=round(self._start_ms), prolonged_seconds=seconds)
        self._heard_seconds = max(self._heard_seconds, second.end_seconds)
        if second.is_final:
            self.end()

    def end(self) -> None:
        """Tell when the load ended: where it was heard last, if it was cut off."""
        if self._start_ms is not None and not self._has_ended:
            self._has_ended = True
            self._ask("metrics-ended", epoch_ms=round(self._start_ms + self._heard_seconds * 1000))

    def close(self, interrupted: Callable[[], bool]) -> None:
        """Show the result until it was scraped, if somebody scrapes; a signal ends that at once."""
        seconds = 0.0 if interrupted() else LINGER_SECONDS
        self._ask(
            "metrics-close",
            interrupted if seconds else lambda: False,
            seconds,
            directory=str(self._bundle),
            linger_seconds=seconds,
        )

    def _ask(
        self, verb: str, interrupted: Callable[[], bool] = lambda: False, seconds: float = 0, **request: Any
    ) -> dict[str, Any] | None:
        """Return the child's answer, None if there is none; a child that died is somebody else's to mend."""
        if self._section is None or not self._session.is_alive:
            return None
        limit = seconds + _ANSWER_SECONDS
        deadline = self._now() + limit
        try:
            return self._session.call(verb, lambda: interrupted() or self._now() > deadline, **request)
        except ChildError as error:
            self._give_up(describe(error))
        except ChildDied:
            pass
        except Interrupted:
            if self._now() > deadline:
                self._give_up(f"the Java child did not answer within {limit:.0f} s during {verb}")
        return None

    def _give_up(self, reason: str) -> None:
        self._section = None
        self._note(f"no more metrics of the controller: {reason}")
