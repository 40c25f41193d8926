"""The check of the configuration at the earliest moment that Taurus offers: when it prepares its aggregator.

After it Taurus prepares the services, which may run commands, and then the executor.
"""

from __future__ import annotations

import os

from bzt.modules.aggregator import ConsolidatingAggregator

from shardload import exit_codes
from shardload.bzt_modules.exit_signal import Ended
from shardload.config.invocation import merged_of
from shardload.config.places import PRIVATE_UMASK, Places
from shardload.config.problem import Problem
from shardload.processes.checking import check_wholly
from shardload.results.bundle import drop_artifacts


class Gate(ConsolidatingAggregator):
    """Taurus's aggregator, which refuses a wrong configuration before any other module is prepared."""

    def prepare(self) -> None:
        """Check the configuration; what is refused leaves nothing behind."""
        os.umask(PRIVATE_UMASK)  # plain bzt has set none
        try:
            places = Places.find()
            check_wholly(merged_of(self.engine, places), places)
        except Problem as problem:
            for line in str(problem).splitlines():
                self.log.error("%s", line)
            drop_artifacts(self.engine)
            raise Ended(exit_codes.WRONG_USE) from None
        super().prepare()
