"""Run: what one run does now, or did; from the generators' and the controller's own metrics."""

from __future__ import annotations

from dataclasses import replace

from grafana_foundation_sdk.models.dashboard import Dashboard

from . import boards, hosts, palette
from . import run_generators as generators
from . import run_work as work
from .boards import Row
from .panels import Column, Look, Panel, Query, Tile, coloured, heat, lines, rows, tile
from .promql import (
    ANSWERED,
    ERRORS,
    PERCENTILES,
    RUN,
    SERVER_STEP,
    equals,
    last,
    of_generators,
    of_mix,
    quantile,
    rate,
    ratio,
    result,
    select,
    total,
    while_loaded,
)

VERDICTS = {
    "0": ("ok", palette.GOOD),
    "2": ("interrupted", palette.WARN),
    "3": ("missed", palette.WARN),
    "4": ("wrong documents", palette.BAD),
    "5": ("invalid", palette.BAD),
}
# By their codes, in the order of the JSON Schema of the summary.
BOTTLENECKS = {
    str(code): (word, palette.GOOD if word == "nothing" else palette.WARN)
    for code, word in enumerate(
        ["generator", "workers", "network", "pool", "processor", "disk", "locks", "server", "shard", "plan", "nothing"]
    )
}
CLOSED = "no data (a closed model has none)"
NO_SESSIONS = "not known: the system does not report it (FerretDB), or server-sessions is off"
JUDGED = (
    "After the run: of its summary, without warm-up, in a run with steps of the step that is its capacity; what the "
    "summary lacks is of the last moment of the load."
)
# The share of the offered rate that a run, or a step, must answer in time.
KEPT_UP = 0.98
TARGET = (equals("target", "$target"),)
DISKS = (*TARGET, 'device!~"$devices"')
# A screen of 1440 x 900 has room for the tiles and two rows of charts; with 1000 pixels their titles fit into three
# columns.
TILE = Tile(span=3, height=4)
CHART = Look(span=8, height=7, inline=True)


def make() -> Dashboard:
    """Return the dashboard."""
    variables = [
        boards.datasource(),
        boards.target(),
        boards.run(),
        boards.source(),
        boards.results(),
        boards.values(
            "transaction",
            "Transaction",
            'label_values(shardload_arrivals_due_total{run_id="$run"}, transaction)',
            several="any",
        ),
        boards.values(
            "generator",
            "Generator",
            'label_values(shardload_arrivals_due_total{run_id="$run"}, generator)',
            several="any",
        ),
        boards.constant("devices", "Disk devices left out", hosts.NOT_DISKS),
    ]
    found = [
        Row(
            "Now, or the result of the run, and its course", [*_now(), _rate(), _response(), _sessions(), *_machines()]
        ),
        Row("Transactions", _transactions()),
        Row("Service time, and response times as a heat map", _time(), collapsed=True),
        Row("Phases", work.phases(), collapsed=True),
        Row("Errors and data", work.errors(), collapsed=True),
        Row("Generators: can the measurement be trusted?", generators.panels(), collapsed=True),
    ]
    text = "One run: load, response times, what sessions wait for, machines, errors, generators."
    return boards.share_place(boards.board("shardload-run", text, variables, found), "Backlog", "Wrong data")


def _now() -> list[Panel]:
    def judged(live: str, name: str, *matchers: str) -> str:
        return f"max by (run_id) ({value(name, *matchers)}) or {while_loaded(live, 'run_id')}"

    def value(name: str, *matchers: str) -> str:
        return last(select(f"shardload_run_{name}", RUN, *matchers))

    def ended(*matchers: str) -> str:
        return total(rate(of_mix("shardload_transactions_total", *matchers)), "run_id")

    offered = total(rate(of_mix("shardload_arrivals_due_total")), "run_id")
    backlog = f"sum by (run_id) ({of_generators('shardload_generator_backlog_arrivals')})"
    return [
        tile(
            "Verdict",
            "The verdict of the finished run, worst reason first: wrong documents, invalid, interrupted, missed, ok. "
            "It appears once the data are verified; until then the run goes on, or it died.",
            "short",
            [Query(value("exit_code"), "{{verdict}}")],
            replace(TILE, words=VERDICTS, no_value="no verdict in this window"),
        ),
        tile(
            "Bound by",
            "The resource that is exhausted first, of the segment that ended the capacity; nothing where there is "
            "headroom. It is known after the run. The report has the figure that shows it.",
            "short",
            [Query(value("bottleneck"), "{{resource}}")],
            replace(TILE, words=BOTTLENECKS, no_value="not known"),
        ),
        tile(
            "Calls per second",
            f"Calls that were due and calls that were answered per second. {JUDGED} In the "
            "summary only answers in time count, and the verdict compares these two.",
            "short",
            [
                Query(judged(offered, "offered_rate"), "offered"),
                Query(judged(ended(ANSWERED), "achieved_rate"), "answered"),
            ],
            replace(TILE, span=4, spark=True, decimals=1),
        ),
        tile(
            "Response time",
            f"Percentiles of all answered calls from the moment they were due. {JUDGED} In the "
            "summary dropped arrivals count.",
            "s",
            [
                Query(judged(quantile(p, "response", "run_id"), "response_seconds", equals("quantile", str(p))), name)
                for p, name in PERCENTILES
            ],
            replace(TILE, span=5, spark=True, no_value=CLOSED),
        ),
        tile(
            "Errors",
            f"Share of failed and unknown calls among all that ended. {JUDGED} The run's limit decides whether it is "
            "too many; any other value than 0 deserves a look at the panel of errors by kind.",
            "percentunit",
            [
                Query(judged(ratio(ended(ERRORS), ended()), "errors_ratio"), "errors"),
                Query(while_loaded(select("shardload_run_limit_errors_ratio", RUN), "run_id"), "limit"),
            ],
            replace(TILE, spark=True, limits=(1e-9, 0.01), decimals=2),
        ).override_by_name("limit", [coloured(palette.NEUTRAL, "fixed")]),
        tile(
            "Capacity",
            'The highest step that was held within the limits; "at least" if no step failed. '
            "Only profiles with steps yield it.",
            "ops",
            [Query(value("capacity_rate"), "{{bound}}")],
            replace(TILE, decimals=0, no_value="no steps"),
        ),
        tile(
            "Backlog",
            "Arrivals that were due and have not begun. It should be about 0; when it grows, calls wait for a worker.",
            "short",
            [Query(while_loaded(backlog, "run_id"))],
            replace(TILE, span=1, spark=True, decimals=0),
        ),
        tile(
            "Wrong data",
            "Documents that verification found lost, doubled, corrupted or otherwise wrong. "
            "One is enough for exit code 4. They are counted after the load.",
            "short",
            [Query(value("wrong_documents"))],
            replace(TILE, span=2, limits=(1,), decimals=0, no_value="-"),
        ),
    ]


def _rate() -> Panel:
    offered = total(rate(of_mix("shardload_arrivals_due_total")))
    is_open = select("shardload_run_info", RUN, equals("model", "open"))
    return lines(
        "Rate: offered, answered, dropped",
        "All transactions together, per second. Offered and answered lie on each other while the cluster keeps up; "
        "below the limit it does not. Dropped arrivals were never begun because the load ended before their turn.",
        "ops",
        [
            Query(offered, "offered"),
            Query(f"{KEPT_UP} * {offered} and on () {is_open}", f"limit, {KEPT_UP:.0%}"),
            Query(total(rate(of_mix("shardload_transactions_total", ANSWERED))), "answered"),
            Query(total(rate(of_mix("shardload_arrivals_dropped_total"))), "dropped"),
        ],
        replace(CHART, colours=palette.RATES, dashed="/^(offered|limit)/", calcs=("mean",)),
    )


def _response() -> Panel:
    return lines(
        "Response time, from due to answered",
        "Percentiles over all generators from the moment a call was due, and the run's limit (dashed); their buckets "
        "are added, never averaged. It includes the wait for a free worker. In a closed model it is the service time.",
        "s",
        [
            *(Query(f"{quantile(p, 'response')} or {quantile(p, 'service')}", name) for p, name in PERCENTILES),
            Query(select("shardload_run_limit_p99_seconds", RUN), "limit of p99"),
        ],
        replace(CHART, colours=palette.PERCENTILES, dashed="/^limit/", log=True),
    )


def _sessions() -> Panel:
    doing = select("shardload_run_sessions", RUN, 'doing!="idle"')
    return lines(
        "What the sessions do in the servers",
        "Sessions of the load: processor runs or is ready to run; lock waits for a lock on data, flush for the log of "
        "changes, disk for a data file, send for the client, worker for another server, inner for something else. "
        "With Citus the workers' own sessions count as well.",
        "short",
        [Query(total(doing, "doing"), "{{doing}}")],
        replace(CHART, colours=palette.DOING, stacked=True, calcs=("mean",), no_value=NO_SESSIONS),
    )


def _machines() -> list[Panel]:
    look = replace(CHART, dashed="/^writes/", no_value=hosts.NO_HOSTS)
    operations = (total(hosts.operations(way, DISKS), "role") for way in ("reads", "writes"))
    return [
        lines(
            "CPU of the busiest host",
            "Share of its processors that the busiest host of each role uses. Above 80 % the response time of a "
            "database rises steeply with each further call. The dashboard Hosts has each host.",
            "percentunit",
            [Query(f"max by (role) ({hosts.busy(TARGET)})", "busiest ({{role}})", SERVER_STEP)],
            replace(look, span=12, maximum=1, limits=(0.8,)),
        ),
        lines(
            "IOPS",
            "Reads and writes (dashed) per second of all disks of a role. A flat top at a round number is the limit of "
            "a cloud disk. The dashboard Hosts has the latency of the disks.",
            "iops",
            [Query(each, f"{way} ({{{{role}}}})", SERVER_STEP) for way, each in zip(("reads", "writes"), operations)],
            replace(look, span=12),
        ),
    ]


def _transactions() -> list[Panel]:
    due = of_mix("shardload_arrivals_due_total")
    answered = of_mix("shardload_transactions_total", ANSWERED)
    return [
        lines(
            "Rate by transaction, answered against offered",
            "Each transaction's answered calls per second; the dashed line of the same colour is its offered rate. "
            "Look for the solid line that leaves its dashed one first.",
            "ops",
            [
                Query(total(rate(answered), "transaction"), "{{transaction}}"),
                Query(total(rate(due), "transaction"), "{{transaction}}, offered"),
            ],
            Look(
                height=9,
                colours=palette.TRANSACTIONS,
                dashed="/, offered$/",
                unlisted="/, offered$/",
                calcs=(),
            ),
        ),
        lines(
            "p99 of response time by transaction",
            "The 99th percentile of each transaction. A single one that rises points to a query or an index, "
            "all at once point to the server.",
            "s",
            [Query(quantile(0.99, "response", "transaction"), "{{transaction}}")],
            Look(height=9, colours=palette.TRANSACTIONS, log=True, calcs=(), no_value=CLOSED),
        ),
        _table(),
    ]


def _time() -> list[Panel]:
    buckets = total(rate(of_mix("shardload_duration_seconds_bucket", 'phase="response"')), "le")
    return [
        lines(
            "Service time, from begun to answered",
            "Percentiles of the call itself: connect, search and fetch. Response far above service means that calls "
            "wait before they begin: too few workers, or a cluster that stalls.",
            "s",
            [Query(quantile(which, "service"), name) for which, name in (*PERCENTILES, (0.999, "p99.9"))],
            Look(colours=palette.PERCENTILES, log=True, height=10),
        ),
        heat(
            "Response times as a heat map",
            "Each column is a moment, each row a range of response times; bright cells hold many calls. "
            "Two bright bands mean two kinds of calls, such as cache and disk; a dark gap is a standstill.",
            "s",
            Query(buckets, "{{le}}"),
            Look(height=10, no_value=CLOSED),
        ),
    ]


def _table() -> Panel:
    def count(name: str, *matchers: str) -> str:
        return total(result(of_mix(name, *matchers)), "transaction")

    def percentile(which: float, phase: str) -> str:
        buckets = result(of_mix("shardload_duration_seconds_bucket", equals("phase", phase)))
        return f"histogram_quantile({which}, {total(buckets, 'le, transaction')})"

    shown = [
        Column("Transaction", label="transaction", width=270),
        Column("Answered", count("shardload_transactions_total", ANSWERED), "short"),
        Column("Failed, unknown", count("shardload_transactions_total", ERRORS), "short", decimals=0),
        Column("Dropped", count("shardload_arrivals_dropped_total"), "short", decimals=0),
        Column("Stale reads", count("shardload_stale_reads_total"), "short", decimals=0),
        Column("Service p50", percentile(0.5, "service"), "s"),
        Column("Service p99", percentile(0.99, "service"), "s"),
        Column("Response p50", percentile(0.5, "response"), "s"),
        Column("Response p95", percentile(0.95, "response"), "s"),
        Column("Response p99", percentile(0.99, "response"), "s"),
    ]
    # Grafana's own width of 150 would need more than 1440 pixels.
    columns = [column if column.width else replace(column, width=110) for column in shown]
    return rows(
        "Transactions, without the warm-up",
        "Calls that ended in the window, without the warm-up, the ramp after it and up to two seconds more. "
        "Choose the window of one step by dragging over a chart to read that step alone.",
        columns,
        "Answered",
        Look(span=24, height=11),
    )
