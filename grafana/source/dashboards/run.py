"""Run: what one run does now, or did; from the generators' and the controller's own metrics."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import Dashboard

from . import boards, palette
from . import run_generators as generators
from . import run_work as work
from .boards import Row
from .panels import Column, Look, Panel, Query, Tile, heat, lines, rows, tile
from .promql import AT_ANY_TIME, RUN, equals, last, of_generators, of_mix, quantile, rate, ratio, result, select, total

ANSWERED = 'outcome=~"done|missing"'
ERRORS = 'outcome=~"failed|unknown"'
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
AFTERWARDS = "none yet, or no step kept up"
PERCENTILES = ((0.5, "p50"), (0.95, "p95"), (0.99, "p99"))


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
    ]
    found = [
        Row("Now, or at the end of the load", _now()),
        Row("Result of the whole run, as in its report", _result()),
        Row("Rate", _rate()),
        Row("Response and service time", _time()),
        Row("Phases", work.phases()),
        Row("Errors and data", work.errors()),
        Row("Generators: can the measurement be trusted?", generators.panels()),
    ]
    return boards.board("shardload-run", "One run: load, response times, errors, generators.", variables, found)


def _while_loaded(expression: str) -> str:
    """Return the expression without what lies after the end of the load, when all rates fall to 0.

    The mask uses the value of the end, not by the time of its samples: these come a little after the end, and stop
    long before the rates of a wide window do.
    """
    end = select("shardload_run_end_timestamp_seconds", RUN)
    return f"{expression} unless on (run_id) (last_over_time({end}{AT_ANY_TIME}) < time())"


def _now() -> list[Panel]:
    code = Query(last(select("shardload_run_exit_code", RUN)), "{{verdict}}")
    asked = total(rate(of_mix("shardload_arrivals_due_total")), "run_id")
    answered = total(rate(of_mix("shardload_transactions_total", ANSWERED)), "run_id")
    failed = total(rate(of_mix("shardload_transactions_total", ERRORS)), "run_id")
    ended = total(rate(of_mix("shardload_transactions_total")), "run_id")
    backlog = f"sum by (run_id) ({of_generators('shardload_generator_backlog_arrivals')})"
    oldest = f"max by (run_id) ({of_generators('shardload_generator_oldest_unfinished_seconds')})"
    return [
        tile(
            "Verdict",
            "The verdict of the finished run, worst reason first: wrong documents, invalid, interrupted, missed, ok. "
            "It appears once the data are verified; until then the run goes on, or it died.",
            "short",
            [code],
            Tile(span=3, words=VERDICTS, no_value="no verdict in this window"),
        ),
        tile(
            "Asked and answered rate",
            "Arrivals that fell due per second, and calls that were answered (done or missing). "
            "Answered below asked for longer than a moment means that the cluster does not keep up.",
            "ops",
            [Query(_while_loaded(asked), "asked"), Query(_while_loaded(answered), "answered")],
            Tile(span=6, spark=True, decimals=1),
        ),
        tile(
            "Response time",
            "Percentiles of all answered calls from the moment they were due, over all generators. "
            "Dropped arrivals have no response time: if any were dropped, the true percentiles are higher.",
            "s",
            [Query(_while_loaded(quantile(which, "response", "run_id")), name) for which, name in PERCENTILES],
            Tile(span=7, spark=True, no_value=CLOSED),
        ),
        tile(
            "Errors",
            "Share of failed and unknown calls among all that ended. "
            "Any other value than 0 deserves a look at the panel of errors by kind.",
            "percentunit",
            [Query(_while_loaded(ratio(failed, ended)))],
            Tile(span=3, limits=(1e-9, 0.01), spark=True, decimals=2),
        ),
        tile(
            "Backlog",
            "Arrivals that were due and have not begun. It should be about 0; when it grows, calls wait for a worker.",
            "short",
            [Query(_while_loaded(backlog))],
            Tile(span=2, spark=True, decimals=0),
        ),
        tile(
            "Oldest",
            "Age of the oldest arrival without an answer. It grows by a second per second while a server stands still.",
            "s",
            [Query(_while_loaded(oldest))],
            Tile(span=3, spark=True, limits=(1, 10)),
        ),
    ]


def _result() -> list[Panel]:
    def value(name: str) -> str:
        return last(select(name, RUN))

    names = {"0.5": "p50", "0.9": "p90", "0.95": "p95", "0.99": "p99", "0.999": "p99.9"}
    response = "shardload_run_response_seconds"
    quantiles = [Query(last(select(response, RUN, equals("quantile", which))), name) for which, name in names.items()]
    return [
        tile(
            "Offered and achieved rate",
            "From the run's summary, without warm-up: offered per second and answered in time; in a run with steps, of "
            "the step that is its capacity. The verdict compares these two, not the curves below.",
            "ops",
            [
                Query(value("shardload_run_offered_rate"), "offered"),
                Query(value("shardload_run_achieved_rate"), "achieved"),
            ],
            Tile(span=6, decimals=1, no_value=AFTERWARDS),
        ),
        tile(
            "Percentiles of the run",
            "From the run's exact histograms, without warm-up, dropped arrivals counted; in a run with steps, of the "
            "step that is its capacity. A percentile is missing where samples are too few or drops too many.",
            "s",
            quantiles,
            Tile(span=6, no_value=AFTERWARDS),
        ),
        tile(
            "Bound by",
            "The resource that is exhausted first, of the segment that ended the capacity; nothing where there is "
            "headroom. The report has the figure that shows it.",
            "short",
            [Query(value("shardload_run_bottleneck"), "{{resource}}")],
            Tile(span=3, words=BOTTLENECKS, no_value="not known"),
        ),
        tile(
            "Capacity",
            'The highest step that was held within the limits; "at least" if no step failed. '
            "Only profiles with steps yield it.",
            "ops",
            [Query(value("shardload_run_capacity_rate"), "{{bound}}")],
            Tile(span=3, decimals=1, no_value="no data (only a run with steps has one)"),
        ),
        tile(
            "Errors of the run",
            "Share of failed and unknown calls, without warm-up; in a run with steps, of the step that is its "
            "capacity. The profile's limit decides whether it is too many.",
            "percentunit",
            [Query(value("shardload_run_errors_ratio"))],
            Tile(span=3, limits=(1e-9, 0.01), decimals=2, no_value=AFTERWARDS),
        ),
        tile(
            "Wrong documents",
            "Documents that verification found lost, doubled, corrupted or otherwise wrong. "
            "One is enough for exit code 4.",
            "short",
            [Query(value("shardload_run_wrong_documents"))],
            Tile(span=3, limits=(1,), decimals=0, no_value="no data (counted after the load)"),
        ),
    ]


def _rate() -> list[Panel]:
    due = of_mix("shardload_arrivals_due_total")
    dropped = of_mix("shardload_arrivals_dropped_total")
    answered = of_mix("shardload_transactions_total", ANSWERED)
    return [
        lines(
            "Rate: asked, started, answered, dropped",
            "All transactions together, per second. Asked and answered lie on each other while the cluster keeps up; "
            "dropped arrivals were never begun because the load ended before their turn.",
            "ops",
            [
                Query(total(rate(due)), "asked"),
                Query(total(rate(of_mix("shardload_arrivals_started_total"))), "started"),
                Query(total(rate(answered)), "answered"),
                Query(total(rate(dropped)), "dropped"),
            ],
            Look(span=10, height=9, colours=palette.RATES, dashed="/^asked/"),
        ),
        lines(
            "Rate by transaction, answered against asked",
            "Each transaction's answered calls per second; the dashed line of the same colour is its asked rate. "
            "Look for the solid line that leaves its dashed one first.",
            "ops",
            [
                Query(total(rate(answered), "transaction"), "{{transaction}}"),
                Query(total(rate(due), "transaction"), "{{transaction}}, asked"),
            ],
            Look(
                span=14,
                height=9,
                colours=palette.TRANSACTIONS,
                dashed="/, asked$/",
                unlisted="/, asked$/",
                calcs=("mean",),
            ),
        ),
    ]


def _time() -> list[Panel]:
    def percentiles(phase: str) -> list[Query]:
        return [Query(quantile(which, phase), name) for which, name in (*PERCENTILES, (0.999, "p99.9"))]

    look = Look(colours=palette.PERCENTILES, log=True, no_value=CLOSED, height=9)
    buckets = total(rate(of_mix("shardload_duration_seconds_bucket", 'phase="response"')), "le")
    return [
        lines(
            "Response time, from due to answered",
            "Percentiles over all generators from the moment a call was due, on a logarithmic axis; their buckets are "
            "added, never averaged. This is what a user waits; it includes the wait for a free worker.",
            "s",
            percentiles("response"),
            look,
        ),
        lines(
            "Service time, from begun to answered",
            "Percentiles of the call itself: connect, search and fetch. Response far above service means that calls "
            "wait before they begin: too few workers, or a cluster that stalls.",
            "s",
            percentiles("service"),
            look,
        ),
        heat(
            "Response times as a heat map",
            "Each column is a moment, each row a range of response times; bright cells hold many calls. "
            "Two bright bands mean two kinds of calls, such as cache and disk; a dark gap is a standstill.",
            "s",
            Query(buckets, "{{le}}"),
            Look(span=10, height=10, no_value=CLOSED),
        ),
        lines(
            "p99 of response time by transaction",
            "The 99th percentile of each transaction. A single one that rises points to a query or an index, "
            "all at once point to the server.",
            "s",
            [Query(quantile(0.99, "response", "transaction"), "{{transaction}}")],
            Look(
                span=14,
                height=10,
                colours=palette.TRANSACTIONS,
                log=True,
                calcs=("max",),
                no_value=CLOSED,
            ),
        ),
        _table(),
    ]


def _table() -> Panel:
    def count(name: str, *matchers: str) -> str:
        return total(result(of_mix(name, *matchers)), "transaction")

    def percentile(which: float, phase: str) -> str:
        buckets = result(of_mix("shardload_duration_seconds_bucket", equals("phase", phase)))
        return f"histogram_quantile({which}, {total(buckets, 'le, transaction')})"

    columns = [
        Column("Transaction", label="transaction", width=330),
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
    return rows(
        "Transactions",
        "Calls that ended in the window, without the warm-up, the ramp after it and up to two seconds more. "
        "Choose the window of one step by dragging over a chart to read that step alone.",
        columns,
        "Answered",
        Look(span=24, height=11),
    )
