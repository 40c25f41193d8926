"""MariaDB: what a mysqld_exporter next to each server reports, which a store scrapes like any other exporter."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import Dashboard

from . import boards
from .boards import Row
from .panels import Column, Look, Panel, Query, lines, rows
from .promql import SERVER_STEP, last, per, rate, ratio, select, total
from .servers import UP

EXPORTER = 'instance=~"$server"'
STATUS = "mysql_global_status_"
NO_EXPORTER = "no data: run mysqld_exporter next to each server, and name it in the store's scrape configuration"


def make() -> Dashboard:
    """Return the dashboard."""
    variables = [
        boards.datasource(),
        boards.target(),
        # An exporter knows no target: its server is the address at which the store finds it.
        boards.values("server", "Server", "label_values(mysql_up, instance)", several="listed"),
        boards.run(),
        boards.source(hidden=True),
    ]
    found = [
        Row("Work", _work()),
        Row("Sessions and locks", _sessions()),
        Row("Buffer pool and log", _input_output()),
        Row("Servers and replication", _servers()),
    ]
    return boards.board("shardload-mariadb", "MariaDB servers, as mysqld_exporter reports them.", variables, found)


def _gauge(name: str, *matchers: str, by: str = "instance") -> str:
    return total(select(name, EXPORTER, *matchers), by)


def _per_second(name: str, *matchers: str, by: str = "instance") -> str:
    return total(rate(select(f"{STATUS}{name}", EXPORTER, *matchers)), by)


def _chart(title: str, text: str, unit: str, queries: dict[str, str], look: Look | None = None) -> Panel:
    """Return a chart of expressions by their legends."""
    asked = [Query(expr, legend, SERVER_STEP) for legend, expr in queries.items()]
    return lines(title, text, unit, asked, look or Look(span=8))


def _work() -> list[Panel]:
    kinds = 'command=~"select|insert|update|delete|replace"'
    read, written = ('handler=~"read_.*"', 'handler=~"write|update|delete"')
    return [
        _chart(
            "Statements by kind",
            "Statements per second of all chosen servers, prepared ones included. They follow the rate of the Run "
            "dashboard; a transaction of several statements counts each of them.",
            "ops",
            {"{{command}}": _per_second("commands_total", kinds, by="command")},
        ),
        _chart(
            "Commits and rollbacks",
            "COMMIT and ROLLBACK (dashed) per second. A single statement that commits by itself counts among the "
            "statements alone.",
            "ops",
            {
                "{{instance}} commits": _per_second("commands_total", 'command="commit"'),
                "{{instance}} rollbacks": _per_second("commands_total", 'command="rollback"'),
            },
            Look(span=8, dashed="/rollbacks$/"),
        ),
        _chart(
            "Rows read and written",
            "Rows per second that were read, and written (dashed). Many more rows read than the calls return are the "
            "sign of a missing index.",
            "ops",
            {
                "{{instance}} read": _per_second("handlers_total", read),
                "{{instance}} written": _per_second("handlers_total", written),
            },
            Look(span=8, dashed="/written$/"),
        ),
    ]


def _sessions() -> list[Panel]:
    connected = _gauge(f"{STATUS}threads_connected")
    waits = _per_second("innodb_row_lock_waits")
    return [
        _chart(
            "Connections, and threads that run",
            "Open connections, and those of them that execute a statement (dashed). Many more running threads than "
            "processors mean that calls queue inside the server.",
            "short",
            {"{{instance}} open": connected, "{{instance}} running": _gauge(f"{STATUS}threads_running")},
            Look(span=8, dashed="/running$/"),
        ),
        _chart(
            "Connections in use of those allowed",
            "Share of max_connections that is taken. At 100 % the server refuses connections.",
            "percentunit",
            {"{{instance}}": f"{connected} / {_gauge('mysql_global_variables_max_connections')}"},
            Look(span=8, maximum=1, limits=(0.8, 0.95)),
        ),
        _chart(
            "Deadlocks",
            "Transactions per second that InnoDB rolled back to end a deadlock. The calls fail as deadlock, or are "
            "repeated if the profile allows retries.",
            "ops",
            {"{{instance}}": _per_second("innodb_deadlocks")},
        ),
        _chart(
            "Row locks waited for",
            "Waits for a lock of a row that began per second, and transactions that wait at the moment (dashed). "
            "Anything that lasts is contention on the same rows.",
            "short",
            {
                "{{instance}} begun per second": waits,
                "{{instance}} waiting": _gauge(f"{STATUS}innodb_row_lock_current_waits"),
            },
            Look(dashed="/waiting$/", legend_below=True),
        ),
        _chart(
            "Time of a wait for a row lock",
            "Mean time of such a wait; no line where there is none. At innodb_lock_wait_timeout the wait ends with an "
            "error.",
            "s",
            {"{{instance}}": f"{per(_per_second('innodb_row_lock_time'), waits)} / 1000"},
            Look(legend_below=True, no_value="no data (nothing waited)"),
        ),
    ]


def _input_output() -> list[Panel]:
    asked = _per_second("innodb_buffer_pool_read_requests")
    dirty = _gauge(f"{STATUS}innodb_buffer_pool_bytes_dirty")
    age, limit = (_gauge(f"{STATUS}innodb_checkpoint_{what}") for what in ("age", "max_age"))
    return [
        _chart(
            "Buffer pool hits",
            "Share of the requests for a page that the buffer pool served. The rest came from the disk or from the "
            "operating system's cache.",
            "percentunit",
            {"{{instance}}": f"1 - {ratio(_per_second('innodb_buffer_pool_reads'), asked)}"},
            Look(span=8, maximum=1, calcs=("mean", "min")),
        ),
        _chart(
            "Dirty share of the buffer pool",
            "Share of the buffer pool that waits to be written to the disk. Above innodb_max_dirty_pages_pct the "
            "server writes as fast as it can.",
            "percentunit",
            {"{{instance}}": f"{dirty} / {_gauge('mysql_global_variables_innodb_buffer_pool_size')}"},
            Look(span=8, maximum=1),
        ),
        _chart(
            "Age of the checkpoint",
            "Part of the redo log that is needed for a recovery, of what the log holds. Near 100 % writes wait until "
            "pages are written: a larger innodb_log_file_size makes this rarer.",
            "percentunit",
            {"{{instance}}": f"{age} / {limit}"},
            Look(span=8, maximum=1, limits=(0.8, 0.95)),
        ),
        _chart(
            "Syncs",
            "Times per second that InnoDB flushed data or the redo log to the disk. Several commits may share one. "
            "With innodb_flush_log_at_trx_commit = 1 no write is acknowledged before.",
            "ops",
            {"{{instance}}": _per_second("innodb_data_fsyncs")},
        ),
        _chart(
            "Redo log",
            "Bytes per second that were written to the redo log. They grow with the number and the size of writes.",
            "Bps",
            {"{{instance}}": _per_second("innodb_os_log_written")},
        ),
        _chart(
            "Waits for log buffer and free pages",
            "Times per second that a session waited because innodb_log_buffer_size was too small, or because the "
            "buffer pool had no free page (dashed). Both should be 0.",
            "ops",
            {
                "{{instance}} log buffer": _per_second("innodb_log_waits"),
                "{{instance}} free page": _per_second("innodb_buffer_pool_wait_free"),
            },
            Look(span=8, dashed="/page$/"),
        ),
    ]


def _servers() -> list[Panel]:
    up = f"min by (instance) ({last(select('mysql_up', EXPORTER))})"
    version = f"max by (instance, version) ({last(select('mysql_version_info', EXPORTER))})"
    lag = f"max by (instance, master_host) ({select('mysql_slave_status_seconds_behind_master', EXPORTER)})"
    return [
        rows(
            "Servers that answer",
            "Whether each exporter reached its server. Without a row the store does not scrape the exporter.",
            [
                Column("Exporter", label="instance"),
                Column("Version", label="version", width=220),
                Column("State", up, "short", words=UP, width=110),
                Column("", version),
            ],
            "Exporter",
            Look(height=8, no_value=NO_EXPORTER),
        ),
        _chart(
            "Replication lag",
            "Seconds that a replica is behind its primary, by the time of what it applies; none while it does not "
            "receive. Reads on it may miss so much.",
            "s",
            {"{{instance}} of {{master_host}}": lag},
            Look(height=8, legend_below=True, no_value="no data (only a replica that receives has some)"),
        ),
    ]
