"""Whether the stream of seconds has stopped."""

from __future__ import annotations

SILENCE_SECONDS = 5.0
START_SECONDS = 30.0


class Silence:
    """Notes once when nothing has been heard for long, and once when something reports again."""

    def __init__(self, name: str, began: float) -> None:
        self._name = name
        self._began = began
        self._is_silent = False

    def look(self, now: float, heard: float | None) -> str | None:
        """Return a line to note; ``heard`` is when the last second came, None before the first."""
        silence = now - (self._began if heard is None else heard)
        was_silent, self._is_silent = self._is_silent, silence > (START_SECONDS if heard is None else SILENCE_SECONDS)
        if self._is_silent == was_silent:
            return None
        if not self._is_silent:
            return f"{self._name} reports again"
        return f"{self._name} has been silent for {silence:.0f} s"
