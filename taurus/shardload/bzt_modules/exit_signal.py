"""How a run ends: with an exit code, handed to Taurus through its own hook."""

from __future__ import annotations

from bzt import NormalShutdown


class Ended(NormalShutdown):
    """Carries the exit code out of Taurus; all has been said already, so Taurus says nothing more."""

    last: int | None = None

    def __init__(self, code: int) -> None:
        super().__init__(f"exit code {code}")
        Ended.last = code
        self.code = code

    def get_rc(self) -> int:
        """Return the exit code, as Taurus asks for it."""
        return self.code
