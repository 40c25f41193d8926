"""PostgreSQL and Citus: what the servers report of themselves, from ``shardload server-metrics``."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import Dashboard

from . import boards, citus, palette
from .boards import Row
from .panels import Column, Look, Panel, lines, rows
from .promql import last, per, rate, ratio, total
from .servers import SERVER, health, of_servers, per_second, query, value, variables

NO_STATEMENTS = "needs the extension pg_stat_statements, also in shared_preload_libraries"
OLDER = "Before PostgreSQL 16 extensions count as writes"
MOVED = "shardload_postgresql_io_bytes_total"
IO_COLOURS = {
    "/^read/": palette.SKY,
    "/^write/": palette.ORANGE,
    "/^extend/": palette.GREEN,
    "/^fsync/": palette.VERMILION,
}


def make() -> Dashboard:
    """Return the dashboard."""
    found = [
        Row("Servers", health()),
        Row("Work", _work()),
        Row("Statements and tables", _statements()),
        Row("Sessions and locks", _sessions()),
        Row("Cache and I/O", _input_output()),
        Row("Write-ahead log and checkpoints", _log()),
        Row("Vacuum and replication", _upkeep()),
        Row("Citus", citus.panels(), collapsed=True),
    ]
    return boards.board(
        "shardload-postgresql",
        "PostgreSQL servers, and the coordinator's view of a Citus cluster.",
        variables("shardload_postgresql_connections_max"),
        found,
    )


def _work() -> list[Panel]:
    return [
        lines(
            "Transactions",
            "Commits per second of each server, and rollbacks (dashed). Commits follow the rate of the Run dashboard; "
            "on Citus those of coordinator and workers come from the same calls.",
            "ops",
            [
                query(per_second("shardload_postgresql_transactions_total", 'result="commit"'), f"{SERVER} commits"),
                query(
                    per_second("shardload_postgresql_transactions_total", 'result="rollback"'), f"{SERVER} rollbacks"
                ),
            ],
            Look(span=8, dashed="/rollbacks$/"),
        ),
        lines(
            "Deadlocks",
            "Deadlocks per second. "
            "Transactions of this suite are single statements, so any deadlock comes from elsewhere.",
            "ops",
            [query(per_second("shardload_postgresql_deadlocks_total"))],
            Look(span=8),
        ),
        lines(
            "Bytes in temporary files",
            "Bytes per second written to temporary files, by sorts and hashes that exceed work_mem. "
            "Lists of up to 100 rows should need none.",
            "Bps",
            [query(per_second("shardload_postgresql_temporary_bytes_total"))],
            Look(span=8),
        ),
    ]


def _statements() -> list[Panel]:
    def of_window(name: str, by: str, *matchers: str) -> str:
        return total(f"rate({of_servers(f'shardload_postgresql_{name}_total', *matchers)}[$__range])", by)

    def rows_of(kind: str) -> str:
        return total(last(of_servers(f"shardload_postgresql_table_{kind}_rows")), "table")

    seconds, calls = (of_window(f"statement_{what}", "statement") for what in ("seconds", "calls"))
    return [
        rows(
            "Top statements",
            "The ten statements that took the most time, waits included: how many sessions were in each of them, in "
            "the mean of the window. The first one is the first to look at.",
            [
                Column("Statement", label="statement", width=420),
                Column("Sessions", seconds, "short", decimals=2),
                Column("Calls", calls, "ops"),
                Column("Mean time", per(seconds, calls), "s"),
            ],
            "Sessions",
            Look(height=10, no_value=NO_STATEMENTS),
        ),
        rows(
            "Scans and dead rows by table",
            "Scans per second that read a table as a whole, and the rows that these read: on a large table the sign of "
            "a missing index. Dead rows are old versions that vacuum has not removed; scans read past them.",
            [
                Column("Table", label="table", width=170),
                Column("Sequential", of_window("table_scans", "table", 'kind="sequential"'), "ops"),
                Column("Rows read so", of_window("table_scanned_rows", "table"), "ops"),
                Column("By index", of_window("table_scans", "table", 'kind="index"'), "ops"),
                Column("Live rows", rows_of("live"), "short"),
                Column("Dead rows", rows_of("dead"), "short"),
            ],
            "Rows read so",
            Look(height=10),
        ),
    ]


def _sessions() -> list[Panel]:
    return [
        lines(
            "Connections by state",
            "Connections by what they do. Many that are active mean that calls queue inside the server; "
            "idle in transaction holds locks and hinders vacuum.",
            "short",
            [query(value("shardload_postgresql_connections", by="state"), "{{state}}")],
            Look(span=8),
        ),
        lines(
            "Connections in use of those allowed",
            "Share of max_connections that is taken. At 100 % the server refuses connections.",
            "percentunit",
            [query(f"{value('shardload_postgresql_connections')} / {value('shardload_postgresql_connections_max')}")],
            Look(span=8, maximum=1, limits=(0.8, 0.95)),
        ),
        lines(
            "Locks waited for",
            "Locks that sessions wait for, by server. Anything that lasts is contention on the same rows, "
            "or a statement that changes a table.",
            "short",
            [query(value("shardload_postgresql_locks_waiting"))],
            Look(span=8, limits=(1,)),
        ),
        lines(
            "Sessions that wait, by what for",
            "Active sessions that wait, by type: Lock for other sessions, LWLock inside the server, IO for disks, "
            "Client for the load generator. The largest names the bottleneck.",
            "short",
            [query(value("shardload_postgresql_connections_waiting", by="type"), "{{type}}")],
        ),
        lines(
            "Longest transaction",
            "Age of the oldest transaction that is open. While it lasts, vacuum cannot remove what it may still see.",
            "s",
            [query(value("shardload_postgresql_longest_transaction_seconds", operation="max"))],
            Look(limits=(60, 600)),
        ),
    ]


def _input_output() -> list[Panel]:
    hit = per_second("shardload_postgresql_blocks_hit_total")
    read = per_second("shardload_postgresql_blocks_read_total")
    # Of the servers that measure times only.
    operations, seconds = (
        rate(of_servers(f"shardload_postgresql_io_{what}_total")) for what in ("operations", "seconds")
    )
    buffers = per_second("shardload_postgresql_buffers_written_total", by="by")
    return [
        lines(
            "Cache hits",
            "Share of block requests that shared buffers served. The rest went to the operating system, "
            "whose cache may serve it: only the Hosts dashboard shows what reached the disk.",
            "percentunit",
            [query(ratio(hit, f"({hit} + {read})"))],
            Look(maximum=1, calcs=("mean", "min")),
        ),
        lines(
            "Blocks read from outside shared buffers",
            "Blocks of 8 KiB per second that shared buffers did not hold. "
            "It rises when the data in use grow beyond the memory.",
            "ops",
            [query(read)],
            Look(),
        ),
        lines(
            "I/O operations by kind",
            f"Reads, writes, extensions of files and fsyncs per second. {OLDER}, and fsyncs are not known. "
            "Compare with the IOPS of the Hosts dashboard: reads that are missing there came from the page cache.",
            "iops",
            [query(per_second("shardload_postgresql_io_operations_total", by="operation"), "{{operation}}")],
            Look(colours=IO_COLOURS),
        ),
        lines(
            "Time of an I/O operation",
            "Mean time of an operation of each kind as the server measures it; only with track_io_timing on, and "
            "before PostgreSQL 16 of reads alone. Microseconds are the page cache, milliseconds the disk.",
            "s",
            [
                query(
                    ratio(total(seconds, "operation"), total(f"{operations} and {seconds}", "operation")),
                    "{{operation}}",
                )
            ],
            Look(colours=IO_COLOURS, log=True, no_value="needs track_io_timing"),
        ),
        lines(
            "Bytes read, by whom",
            "Bytes per second that each kind of process read; before PostgreSQL 16 all kinds together. "
            "Client backends read for the load, autovacuum for upkeep.",
            "Bps",
            [query(per_second(MOVED, 'operation="read"', by="backend"), "{{backend}}")],
            Look(span=8),
        ),
        lines(
            "Bytes written, by whom",
            "Bytes per second that each kind of process wrote, new blocks included. "
            "Much by client backends means that checkpointer and background writer do not keep up.",
            "Bps",
            [query(per_second(MOVED, 'operation=~"write|extend"', by="backend"), "{{backend}}")],
            Look(span=8),
        ),
        lines(
            "Buffers written, by whom",
            "Changed buffers per second that were written, by checkpointer, background writer and client backends. "
            "A session that must write first waits.",
            "ops",
            [query(buffers, "{{by}}")],
            Look(span=8, stacked=True),
        ),
    ]


def _log() -> list[Panel]:
    commits = per_second("shardload_postgresql_transactions_total", 'result="commit"')
    wal = per_second("shardload_postgresql_wal_bytes_total")
    images = per_second("shardload_postgresql_wal_full_page_images_total")
    seconds = [f"shardload_postgresql_checkpoint_{part}_seconds_total" for part in ("write", "sync")]
    syncs, synced = (per_second(f"shardload_postgresql_wal_{what}_total") for what in ("syncs", "sync_seconds"))
    return [
        lines(
            "Write-ahead log",
            "Bytes of WAL per second. They leap after each checkpoint, when the first change of a page logs all of it.",
            "Bps",
            [query(wal)],
            Look(span=8),
        ),
        lines(
            "Write-ahead log per commit",
            "Bytes of WAL for each commit, reads included; no line where there are no commits. "
            "It distinguishes larger writes from more writes.",
            "bytes",
            [query(per(wal, commits))],
            Look(span=8),
        ),
        lines(
            "Full page images",
            "Whole pages per second that the WAL took because a checkpoint had just begun. "
            "Fewer and longer checkpoints make fewer of them.",
            "ops",
            [query(images)],
            Look(span=8),
        ),
        lines(
            "Syncs of the write-ahead log",
            "Times per second that the WAL was flushed to the disk. Several commits may share one; no more than one "
            "after the other fits into a second, so the time of a sync limits them.",
            "ops",
            [query(syncs)],
        ),
        lines(
            "Time of a sync of the write-ahead log",
            "Mean time of such a flush. A write waits at least so long for its commit. Disks with a protected cache "
            "need less than a millisecond.",
            "s",
            [query(per(synced, syncs))],
            Look(log=True, no_value="needs track_wal_io_timing"),
        ),
        lines(
            "Checkpoints by reason",
            "Checkpoints per second, by reason. "
            "Requested ones during a run mean that max_wal_size is too small for this rate.",
            "ops",
            [query(per_second("shardload_postgresql_checkpoints_total", by="kind"), "{{kind}}")],
            Look(calcs=("max",)),
        ),
        lines(
            "Time in checkpoints",
            "Seconds per second that checkpoints spent on writing (spread on purpose) and on fsync (dashed). "
            "Peaks of fsync are seen as peaks of response time.",
            "percentunit",
            [query(per_second(which), f"{SERVER} {what}") for which, what in zip(seconds, ("writing", "fsync"))],
            Look(dashed="/fsync$/"),
        ),
    ]


def _upkeep() -> list[Panel]:
    lag = value("shardload_postgresql_replication_lag_bytes", by="replica", operation="max")
    return [
        lines(
            "Autovacuum workers",
            "Vacuum processes at work. They read and write while the load runs; updates and deletes trigger them.",
            "short",
            [query(value("shardload_postgresql_autovacuum_workers"))],
            Look(span=8),
        ),
        lines(
            "Size of the database",
            "Bytes of all tables and indexes. Growth beyond what is inserted is bloat that vacuum has not yet freed.",
            "bytes",
            [query(value("shardload_postgresql_database_bytes"))],
            Look(span=8, calcs=("min", "lastNotNull")),
        ),
        lines(
            "Replication lag",
            "Bytes of WAL that a replica has not replayed. Reads on replicas may miss so much; "
            "only primaries with replicas have it.",
            "bytes",
            [query(lag, "{{replica}}")],
            Look(span=8, no_value="no data (only a primary with replicas has some)"),
        ),
    ]
