"""MongoDB and FerretDB: what the servers report of themselves, from ``shardload server-metrics``."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import Dashboard

from . import boards, palette
from .boards import Row
from .panels import Look, Panel, lines
from .promql import equals, per, rate, ratio, total
from .servers import SERVER, health, of_servers, per_second, query, value, variables

NO_FERRETDB = "no data (only FerretDB has some)"
OPERATIONS = {
    "/insert/": palette.GREEN,
    "/query/": palette.BLUE,
    "/update/": palette.ORANGE,
    "/delete/": palette.VERMILION,
    "/getmore/": palette.SKY,
    "/command/": palette.GREY,
}


def make() -> Dashboard:
    """Return the dashboard."""
    found = [
        Row("Servers", health()),
        Row("Operations", _operations()),
        Row("WiredTiger: cache, tickets, queues", _engine()),
        Row("Replication", _replication()),
        Row("Sharding", _sharding()),
        Row("Connections, network and memory", _network()),
        Row("FerretDB", _ferretdb(), collapsed=True),
    ]
    return boards.board(
        "shardload-mongodb",
        "Routers, shards and config servers of MongoDB, and FerretDB.",
        variables("shardload_(mongodb|ferretdb)_uptime_seconds"),
        found,
    )


def _operations() -> list[Panel]:
    def kind(name: str) -> str:
        return per_second(name, by="operation")

    def latency(operation: str) -> str:
        names = [f"shardload_mongodb_latency_{what}_total" for what in ("seconds", "operations")]
        seconds, operations = (per_second(name, equals("operation", operation)) for name in names)
        return ratio(seconds, operations)

    scanned = total(rate(of_servers("shardload_mongodb_scanned_total", 'kind="documents"')), "server, role")
    touched = 'operation=~"returned|updated|deleted"'
    found = total(rate(of_servers("shardload_mongodb_documents_total", touched)), "server, role")
    return [
        lines(
            "Operations by kind",
            "Operations per second of all chosen servers, by kind. A router passes operations on, so choose one role: "
            "routers for what clients ask, shards for what reaches the data servers. What replication applies is not "
            "counted.",
            "ops",
            [query(kind("shardload_mongodb_operations_total"), "{{operation}}")],
            Look(colours=OPERATIONS),
        ),
        lines(
            "Operations by server",
            "Operations per second of each server. "
            "Shards that differ much hold unequal shares of the data or of the load.",
            "ops",
            [query(per_second("shardload_mongodb_operations_total"))],
        ),
        lines(
            "Latency inside the server",
            "Mean time of a read and of a write (dashed) as the server measures it. If it is far below the service "
            "time of the Run dashboard, the time is lost on the way: network, router, or the client.",
            "s",
            [query(latency("read"), f"{SERVER} read"), query(latency("write"), f"{SERVER} write")],
            Look(log=True, dashed="/ write$/"),
        ),
        lines(
            "Documents by operation",
            "Documents per second that were returned, inserted, updated and deleted. "
            "Returned far above the rate of finds means that finds return many documents each.",
            "ops",
            [query(kind("shardload_mongodb_documents_total"), "{{operation}}")],
        ),
        lines(
            "Documents scanned per document found",
            "How many documents a server looked at for each that it returned, updated or deleted. About 1 is an index "
            "at work; hundreds are a missing index. No line where a server did none of these.",
            "short",
            [query(per(scanned, found))],
            Look(log=True),
        ),
        lines(
            "Write conflicts, asserts",
            "Writes that met another one on the same document and began again, and errors that servers raised "
            "(dashed). Conflicts grow with hot documents.",
            "ops",
            [
                query(per_second("shardload_mongodb_write_conflicts_total"), f"{SERVER} conflicts"),
                query(per_second("shardload_mongodb_asserts_total"), f"{SERVER} asserts"),
            ],
            Look(dashed="/asserts$/"),
        ),
    ]


def _engine() -> list[Panel]:
    def of_cache(kind: str) -> str:
        used, most = (value("shardload_mongodb_cache_bytes", equals("kind", which)) for which in (kind, "max"))
        return f"{used} / {most}"

    def tickets(mode: str) -> str:
        states = (equals("state", state) for state in ("out", "total"))
        taken, most = (value("shardload_mongodb_tickets", equals("mode", mode), state) for state in states)
        return f"{taken} / {most}"

    evicted = "shardload_mongodb_evicted_pages_total"
    return [
        lines(
            "Cache in use",
            "Share of the WiredTiger cache that is filled. From 80 % on threads of the server evict pages; "
            "at 95 % clients' operations must help and become slow.",
            "percentunit",
            [query(of_cache("used"))],
            Look(span=8, maximum=1, limits=(0.8, 0.95)),
        ),
        lines(
            "Dirty share of the cache",
            "Share of the cache that is changed and not yet written. From 5 % on it is written in the background; "
            "at 20 % writes must wait.",
            "percentunit",
            [query(of_cache("dirty"))],
            Look(span=8, limits=(0.05, 0.2)),
        ),
        lines(
            "Pages evicted",
            "Pages per second that left the cache; modified ones (dashed) were written first. "
            "Steady eviction means that the data in use are larger than the cache.",
            "ops",
            [
                query(per_second(evicted, 'kind="unmodified"'), f"{SERVER} unmodified"),
                query(per_second(evicted, 'kind="modified"'), f"{SERVER} modified"),
            ],
            Look(span=8, dashed="/ modified$/"),
        ),
        lines(
            "Bytes into and out of the cache",
            "Bytes per second that WiredTiger read from and wrote (dashed) to its files. "
            "Reads here and none on the disk: the operating system's page cache served them.",
            "Bps",
            [
                query(per_second("shardload_mongodb_cache_read_bytes_total"), f"{SERVER} read"),
                query(per_second("shardload_mongodb_cache_written_bytes_total"), f"{SERVER} written"),
            ],
            Look(span=8, dashed="/written$/"),
        ),
        lines(
            "Tickets in use",
            "Share of the read and write (dashed) tickets that are taken: so many operations run inside the engine. "
            "At 100 % further operations queue.",
            "percentunit",
            [query(tickets("read"), f"{SERVER} read"), query(tickets("write"), f"{SERVER} write")],
            Look(span=8, maximum=1, limits=(0.8, 1), dashed="/ write$/"),
        ),
        lines(
            "Operations queued",
            "Readers and writers (dashed) that wait for a lock or a ticket. "
            "Lasting queues are the point where more clients no longer yield more operations.",
            "short",
            [
                query(value("shardload_mongodb_queue", 'mode="reader"'), f"{SERVER} reader"),
                query(value("shardload_mongodb_queue", 'mode="writer"'), f"{SERVER} writer"),
            ],
            Look(span=8, dashed="/ writer$/"),
        ),
        lines(
            "Time in checkpoints",
            "Seconds per second that checkpoints took; each counts when it ends. At 100 % they never pause.",
            "percentunit",
            [query(per_second("shardload_mongodb_checkpoint_seconds_total"))],
            Look(span=8, calcs=("max",)),
        ),
        lines(
            "Page faults",
            "Page faults of the server's process that needed a disk. Lasting ones mean too little memory.",
            "ops",
            [query(per_second("shardload_mongodb_page_faults_total"))],
            Look(span=8),
        ),
        lines(
            "Cursors",
            "Cursors that clients hold open, and those in use by an operation (dashed). They must not grow forever.",
            "short",
            [
                query(value("shardload_mongodb_cursors", 'state="open"'), f"{SERVER} open"),
                query(value("shardload_mongodb_cursors", 'state="pinned"'), f"{SERVER} pinned"),
            ],
            Look(span=8, dashed="/pinned$/"),
        ),
    ]


def _replication() -> list[Panel]:
    lag = value("shardload_mongodb_replication_lag_seconds", by="set, member", operation="max")
    return [
        lines(
            "Replication lag",
            "How far each secondary is behind its primary. With majority writes the lag is part of every write's time; "
            "with reads from secondaries it is how stale they may be.",
            "s",
            [query(lag, "{{set}} {{member}}")],
            Look(limits=(10, 60)),
        ),
        lines(
            "Oplog window",
            "Time that the oplog covers: a member that is away longer must be copied again. Heavy writing shortens it.",
            "s",
            [query(value("shardload_mongodb_oplog_window_seconds", operation="min"))],
            Look(calcs=("min", "lastNotNull")),
        ),
    ]


def _sharding() -> list[Panel]:
    def shards(name: str, *matchers: str) -> str:
        return value(name, *matchers, by="target, shard", operation="max")

    def balancer(what: str) -> str:
        return value(f"shardload_mongodb_balancer_{what}", by="target", operation="max")

    migrated = f"sum by (result) ({rate(of_servers('shardload_mongodb_migrations_total'))})"
    return [
        lines(
            "Chunks per shard",
            "Chunks of the collection that each shard owns. Before a run measures, the lines should be level: "
            "a moving chunk costs disk and network.",
            "short",
            [query(shards("shardload_mongodb_shard_chunks"), "{{shard}}")],
            Look(span=8, calcs=("lastNotNull",)),
        ),
        lines(
            "Bytes per shard",
            "Size of the documents that each shard holds, uncompressed, and of its files (dashed). "
            "Unequal sizes with equal chunks come from a shard key with few values.",
            "bytes",
            [
                query(shards("shardload_mongodb_shard_bytes", 'kind="data"'), "{{shard}} data"),
                query(shards("shardload_mongodb_shard_bytes", 'kind="storage"'), "{{shard}} files"),
            ],
            Look(span=8, dashed="/files$/", calcs=("lastNotNull",)),
        ),
        lines(
            "Migrations, balancer",
            "Chunk migrations per second by result, and whether the balancer is enabled and running (1 or 0, dashed). "
            "Migrations during a measurement belong into its explanation.",
            "short",
            [
                query(migrated, "{{result}}"),
                query(balancer("enabled"), "{{target}} balancer enabled"),
                query(balancer("running"), "{{target}} balancer running"),
            ],
            Look(span=8, dashed="/balancer/", calcs=("max",)),
        ),
    ]


def _network() -> list[Panel]:
    def states(state: str) -> str:
        return value("shardload_mongodb_connections", f'state="{state}"')

    traffic = "shardload_mongodb_network_bytes_total"
    return [
        lines(
            "Connections",
            "Open connections of each server, and those that do something now (dashed). "
            "Open ones that grow without end mean that a client does not pool.",
            "short",
            [query(states("current"), f"{SERVER} open"), query(states("active"), f"{SERVER} active")],
            Look(span=6, dashed="/active$/"),
        ),
        lines(
            "Connections in use of those allowed",
            "Share of the connections that a server accepts. At 100 % it refuses further ones.",
            "percentunit",
            [query(f"{states('current')} / ({states('current')} + {states('available')})")],
            Look(span=6, maximum=1, limits=(0.8, 0.95)),
        ),
        lines(
            "Network traffic of the servers",
            "Bytes per second that each server received and sent (dashed) as it counts them, before encryption.",
            "Bps",
            [
                query(per_second(traffic, 'direction="received"'), f"{SERVER} received"),
                query(per_second(traffic, 'direction="sent"'), f"{SERVER} sent"),
            ],
            Look(span=6, dashed="/sent$/"),
        ),
        lines(
            "Memory of the servers",
            "Resident memory of each server. It exceeds the cache by connections and sorting; "
            "near the machine's memory the kernel may kill the server.",
            "bytes",
            [query(value("shardload_mongodb_resident_memory_bytes"))],
            Look(span=6),
        ),
    ]


def _ferretdb() -> list[Panel]:
    done = per_second("shardload_ferretdb_commands_total", 'result="done"', by="command")
    failed = per_second("shardload_ferretdb_commands_total", 'result="failed"', by="command")
    return [
        lines(
            "FerretDB: commands",
            "Commands per second that FerretDB carried out, by name. Only for targets with FerretDB; "
            "its PostgreSQL has a dashboard of its own.",
            "ops",
            [query(done, "{{command}}")],
            Look(no_value=NO_FERRETDB),
        ),
        lines(
            "FerretDB: failed commands",
            "Commands per second that failed, by name. Duplicate keys on retried inserts are among them.",
            "ops",
            [query(failed, "{{command}}")],
            Look(no_value=NO_FERRETDB),
        ),
    ]
