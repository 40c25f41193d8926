"""Signals that end a run in order: the load stops, the bundle is finished, the exit code is 2.

They only raise a flag. Taurus's own handler raises an exception wherever the program happens to be, and plain ``bzt``
has none at all for SIGTERM.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

from shardload import exit_codes

_NUMBERS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class StopRequest:
    """Whether and by which signal the run was asked to stop; the signal ``abandon_at`` ends it as it is."""

    def __init__(self, tell: Callable[[str], None], abandon_at: int = 3) -> None:
        self._tell = tell
        self._abandon_at = abandon_at
        self._count = 0
        self.signal_name: str | None = None

    def install(self) -> StopRequest:
        """Take over the signals, except those that are ignored (nohup)."""
        for number in _NUMBERS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._handle)
        return self

    def is_made(self) -> bool:
        """Whether a signal came."""
        return self.signal_name is not None

    def _handle(self, number: int, frame: Any) -> None:
        self._count += 1
        self.signal_name = signal.Signals(number).name
        if self._count >= self._abandon_at:
            # JMeter and the child notice the end of their stdin and end as well.
            os._exit(exit_codes.INTERRUPTED)
        if self._count > 1:
            self._tell("already stopping; one more signal ends shardload at once and leaves the bundle unfinished")
