"""Taurus modules that fail in mid-run; named in ``modules.shardload-console.class``."""

from __future__ import annotations

from bzt.engine import Reporter

from shardload.bzt_modules.console import ConsoleReporter, LiveView
from shardload.results.tail import Second


class _BrokenView(LiveView):
    def hear(self, second: Second) -> None:
        """Fail as soon as there is something to show."""
        raise ValueError("nothing to show")


class BrokenConsole(ConsoleReporter):
    """Ours, with a fault that it guards itself against."""

    def startup(self) -> None:
        """Listen as usual."""
        super().startup()
        executor = self.engine.provisioning.executors[0]
        self._view = _BrokenView(executor.terminal, executor.segments, executor.model)


class BrokenReporter(Reporter):
    """One of somebody else's, whose exception reaches Taurus."""

    def check(self) -> bool:
        """Fail as soon as there are results."""
        if self.engine.provisioning.executors[0].reader.last_heard is not None:
            raise ValueError("nothing to report")
        return False
