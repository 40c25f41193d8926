"""Taurus's aggregator, which it prepares before all others: the earliest moment to check the configuration.

After it Taurus prepares the services, which may run commands, and then the executor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from bzt.modules.aggregator import ConsolidatingAggregator, DataPoint

from shardload import exit_codes
from shardload.bzt_modules.exit_signal import Ended
from shardload.bzt_modules.live import LiveResults
from shardload.config.invocation import merged_of
from shardload.config.places import PRIVATE_UMASK, Places
from shardload.config.problem import Problem
from shardload.processes.checking import check_wholly
from shardload.results.bundle import drop_artifacts


class Gate(ConsolidatingAggregator):
    """Refuses a wrong configuration before any other module is prepared, and hands the results to the reporters."""

    reader: LiveResults | None = None

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

    def datapoints(self, final_pass: bool = False) -> Iterator[DataPoint]:
        """Have the executor's results read; there is one source, so there is nothing to consolidate."""
        for point in self.reader.points(self.track_percentiles, final_pass) if self.reader else ():
            for listener in self.listeners:
                listener.aggregated_second(point)
            yield point
