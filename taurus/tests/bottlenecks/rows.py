"""The table of the rows: a set-up whose bottleneck is known by construction, and the load that reaches it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple

from tests.bottlenecks import setups, setups_further, setups_third, setups_unseen
from tests.bottlenecks.setups import Site

_MONGODB = "SHARDLOAD_TEST_MONGODB_REPLICA_SET_URL"


class Row(NamedTuple):
    """One set-up: what is made, which resource is exhausted first, and the load: calls per second, workers, scenario.

    ``needs`` is the environment variable without which the row cannot run.
    """

    name: str
    made: str
    expected: str
    set_up: Callable[[Site], AbstractContextManager[object]]
    rate: int
    workers: int
    scenario: str = "mix"
    data: str = "documents"
    needs: str = ""

    @property
    def load(self) -> list[str]:
        """Return the options of a run."""
        scenario = f"execution.0.scenario={self.scenario}"
        return ["--rate", str(self.rate), "--concurrency", str(self.workers), "-o", scenario]


_READS = "find-by-id-and-filter2-list"
_SCAN = "half of the calls lack an index"
ROWS = [
    Row("processor", "PostgreSQL has a fifth of a processor", "processor", setups.slow_processor, 1200, 32, _READS),
    Row("disk", "reads miss the buffers; the disk makes 500 per second", "disk", setups.slow_reads, 200, 16),
    Row("locks", "a session locks the table for 190 of each 195 ms", "locks", setups.locked_table, 300, 16),
    Row("pool", "a pool of 2 connections, a round trip of 5 ms", "pool", setups.small_pool, 600, 32),
    Row("workers", "4 workers, a round trip of 10 ms", "workers", setups.few_workers, 600, 4),
    Row("generator", "the generator has half a processor", "generator", setups.slow_generator, 2000, 32),
    Row("network", "a link of 10 Mbit/s between namespaces", "network", setups.narrow_link, 250, 16),
    Row("missing-index", f"{_SCAN}; one processor", "plan", setups.one_processor, 200, 16, data="orders"),
    Row("slow-flush", "the disk makes 30 writes per second", "disk", setups.slow_flushes, 300, 32, "insert"),
    Row("checkpoints", "max_wal_size is 32 MB; the disk writes 3 MB/s", "disk", setups.checkpoints, 600, 32),
    Row(
        "hot-row", "one row, locked for two round trips of 5 ms", "locks", setups.hot_row, 300, 32, "hot-row", "orders"
    ),
    Row("headroom", "nothing is scarce", "nothing", setups.alone, 50, 8),
    Row("mongodb-missing-index", _SCAN, "plan", setups.mongodb, 300, 8, data="few_orders", needs=_MONGODB),
    Row("mongodb-headroom", "nothing is scarce", "nothing", setups.mongodb, 20, 8, needs=_MONGODB),
]
FURTHER = [
    Row(
        "busy-load-host",
        "neighbours want the generator's processors, with five times its share",
        "generator",
        setups_further.busy_load_host,
        2000,
        32,
        _READS,
    ),
    Row(
        "spare-time",
        "neighbours take all processors when nobody else wants them",
        "nothing",
        setups_further.spare_time,
        100,
        16,
    ),
    Row("shared-link", "another stream has 8 of a link's 10 Mbit/s", "network", setups_further.shared_link, 40, 16),
    Row(
        "wrong-index",
        "half of the calls have an index in the wrong order of columns; one processor",
        "plan",
        setups_further.wrong_index,
        500,
        16,
        data="orders",
    ),
    Row(
        "slow-standby",
        "each commit waits for a standby that has a tenth of a processor",
        "server",
        setups_unseen.slow_standby,
        1000,
        32,
        "batches",
        "orders",
    ),
    Row(
        "deep-pages",
        "half of the calls skip up to 100 000 rows of the right index; one processor",
        "plan",
        setups_unseen.deep_pages,
        400,
        16,
        "deep-pages",
        "orders",
    ),
    Row(
        "policed-uplink",
        "a router drops what is more than 4 Mbit/s towards the server",
        "network",
        setups_unseen.policed_uplink,
        600,
        32,
        "notes",
        "orders",
    ),
    Row("long-way", "a round trip of 40 ms, and workers enough", "nothing", setups_unseen.long_way, 400, 64),
    Row(
        "pooler",
        "a PgBouncer on the load host has 3 connections to a server that is 5 ms away",
        "pool",
        setups_third.pooler,
        1500,
        32,
        _READS,
    ),
    Row(
        "paused",
        "the generator's process is stopped for 80 of each 100 ms",
        "generator",
        setups_third.paused,
        4000,
        32,
        _READS,
    ),
    Row(
        "pinned-server",
        "the server may use one core; half of its calls compute hashes of a row",
        "processor",
        setups_third.pinned_server,
        1000,
        16,
        "signed",
        "orders",
    ),
    Row(
        "queued-ddl",
        "an ALTER TABLE waits for a long report, and all calls behind it",
        "locks",
        setups_third.queued_ddl,
        1200,
        16,
        "reads",
        "orders",
    ),
]
