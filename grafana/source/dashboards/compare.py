"""Compare: two runs on one time axis. The baseline's queries are shifted by ``offset``; no series is copied."""

from __future__ import annotations

from collections.abc import Callable

from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models.dashboard import Dashboard

from . import boards, hosts, palette
from .boards import Row
from .panels import Column, Look, Panel, Query, lines, rows
from .promql import ANSWERED, AT_ANY_TIME, ERRORS, RUN, SERVER_STEP, equals, rate, ratio, select, total
from .run import VERDICTS

MIX = 'transaction=~"$transaction"'
BASELINE = 'run_id="$baseline",source="$baseline_source"'
# Prometheus refuses an offset of 0 s, so there is a millisecond more.
SHIFT = " offset ${shift}s1ms"
SIDES = (
    ("run", RUN, 'target="$target"', ""),
    ("baseline", BASELINE, 'target="$baseline_target"', SHIFT),
)
# Parts of what query_result answers: labels, the value, the time.
RUN_ID = '/run_id="([^"]+)"/'
TARGET = '/[{,]target="([^"]+)"/'
SOURCE = '/[{,]source="([^"]+)"/'


def make() -> Dashboard:
    """Return the dashboard."""
    variables = [
        boards.datasource(),
        boards.asked("run", "Run", f"last_over_time(shardload_run_info{AT_ANY_TIME})", RUN_ID),
        boards.bundle_first(boards.asked("source", "Source", _info("$run"), SOURCE)),
        boards.asked("baseline", "Baseline", _others(), RUN_ID)
        .sort(models.VariableSort.DISABLED)
        .description("All other runs, those of the same target, workload and profile first; the newest first."),
        boards.bundle_first(boards.asked("baseline_source", "Baseline's source", _info("$baseline"), SOURCE)),
        boards.values(
            "transaction",
            "Transaction",
            'label_values(shardload_arrivals_due_total{run_id="$run"}, transaction)',
            several="any",
        ),
        boards.asked("shift", "Shift of the baseline [s]", _shift(), boards.VALUE),
        boards.asked("target", "Target", _info("$run"), TARGET).hide(models.VariableHide.HIDE_VARIABLE),
        boards.asked("baseline_target", "Baseline's target", _info("$baseline"), TARGET).hide(
            models.VariableHide.HIDE_VARIABLE
        ),
        boards.constant("devices", "Disk devices left out", hosts.NOT_DISKS),
    ]
    found = [
        Row("Results, as in the reports", [_results()]),
        Row("Load", _load()),
        Row("Response time", _response()),
        Row("Search and fetch", _phases()),
        Row("Machines of the cluster", _machines()),
    ]
    text = "Two runs on one axis: the baseline is shifted to the start of the run. Choose the run's window."
    return boards.board("shardload-compare", text, variables, found, refresh="30s")


def _others() -> str:
    """Return the start of all other runs as the store sorts them, moved up for those of the same kind."""
    others, run = (
        f"last_over_time({select('shardload_run_start_timestamp_seconds', matcher)}{AT_ANY_TIME})"
        for matcher in ('run_id!="$run"', 'run_id="$run"')
    )
    return f"sort_desc(({others} and on (target, workload, profile) {run}) + 1e10 or {others})"


def _info(run: str) -> str:
    return f"last_over_time({select('shardload_run_info', equals('run_id', run))}{AT_ANY_TIME})"


def _shift() -> str:
    """Return the seconds from the baseline's start to the run's; negative if the baseline began later."""

    def start(run: str) -> str:
        return f"max(last_over_time({select('shardload_run_start_timestamp_seconds', run)}{AT_ANY_TIME}))"

    return f"round({start(RUN)} - {start(BASELINE)}) or vector(0)"


def _both(expression: Callable[[str, str, str], str], step: str = "", name: str = "") -> list[Query]:
    """Return the same query for run and baseline; it gets matchers of run and target, and the offset."""
    return [Query(expression(run, target, shift), f"{side}{name}", step) for side, run, target, shift in SIDES]


def _sum(metric: str, *matchers: str) -> Callable[[str, str, str], str]:
    return lambda run, _target, shift: total(rate(select(metric, run, MIX, *matchers), shift))


def _quantile(which: float, phase: str) -> Callable[[str, str, str], str]:
    def expression(run: str, _target: str, shift: str) -> str:
        buckets = rate(select("shardload_duration_seconds_bucket", run, MIX, equals("phase", phase)), shift)
        return f"histogram_quantile({which}, {total(buckets, 'le')})"

    return expression


def _mean(phase: str) -> Callable[[str, str, str], str]:
    def expression(run: str, target: str, shift: str) -> str:
        matchers = (equals("phase", phase), equals("outcome", "answered"))
        above = _sum("shardload_phase_seconds_sum", *matchers)(run, target, shift)
        return ratio(above, _sum("shardload_phase_seconds_count", *matchers)(run, target, shift))

    return expression


def _pair(title: str, text: str, unit: str, queries: list[Query], span: int = 8, log: bool = False) -> Panel:
    look = Look(span=span, height=9, colours=palette.RUNS, dashed="/offered$|written$|writes$/", log=log)
    return lines(title, text, unit, queries, look)


def _results() -> Panel:
    def value(name: str, *matchers: str) -> str:
        return f"({' or '.join(of_one(select(name, run, *matchers)) for run in (RUN, BASELINE))})"

    def of_one(series: str) -> str:
        return f"max by (run_id, target, workload, profile) (last_over_time({series}{AT_ANY_TIME}))"

    def percentile(which: str) -> str:
        return value("shardload_run_response_seconds", equals("quantile", which))

    columns = [
        Column("Run", label="run_id", width=300),
        Column("Target", label="target"),
        Column("Workload", label="workload"),
        Column("Profile", label="profile"),
        Column("Start", f"{value('shardload_run_start_timestamp_seconds')} * 1000", "dateTimeAsIso", width=170),
        Column("Verdict", value("shardload_run_exit_code"), "short", words=VERDICTS),
        Column("Offered", value("shardload_run_offered_rate"), "ops", decimals=1),
        Column("Achieved", value("shardload_run_achieved_rate"), "ops", decimals=1),
        Column("p50", percentile("0.5"), "s"),
        Column("p95", percentile("0.95"), "s"),
        Column("p99", percentile("0.99"), "s"),
        Column("Errors", value("shardload_run_errors_ratio"), "percentunit", decimals=2),
    ]
    return rows(
        "Results of both runs",
        "Offered and achieved rate, percentiles of response time and errors, without warm-up; in a run with steps, of "
        "the step that is its capacity. "
        "A comparison of two single runs does not prove a difference: use shardload compare with a series of runs.",
        columns,
        "Start",
        Look(span=24, height=5),
    )


def _load() -> list[Panel]:
    failed = _sum("shardload_transactions_total", ERRORS)
    return [
        _pair(
            "Rate of both runs",
            "Answered calls per second, and what was offered (dashed). "
            "Compare times only where both runs did the same work.",
            "ops",
            [
                *_both(_sum("shardload_transactions_total", ANSWERED), name=", answered"),
                *_both(_sum("shardload_arrivals_due_total"), name=", offered"),
            ],
            span=16,
        ),
        _pair(
            "Errors of both runs",
            "Failed and unknown calls per second. A run that fails fast looks quick: look here first.",
            "ops",
            _both(failed),
        ),
    ]


def _response() -> list[Panel]:
    text = "of all answered calls from the moment they were due, over all generators of each run."
    return [
        *(
            _pair(
                f"Response time, {name}",
                f"The {words} {text} The distance between the lines is what the change brought, or cost.",
                "s",
                _both(_quantile(which, "response")),
                log=True,
            )
            for which, name, words in (
                (0.5, "p50", "median"),
                (0.95, "p95", "95th percentile"),
                (0.99, "p99", "99th percentile"),
            )
        ),
    ]


def _phases() -> list[Panel]:
    return [
        _pair(
            "Service time, p99",
            "The 99th percentile of the call alone, without its wait for a worker. "
            "Only service and response compare across systems: the boundaries of other phases differ by driver.",
            "s",
            _both(_quantile(0.99, "service")),
            log=True,
        ),
        _pair(
            "Search, mean",
            "Mean time until the first row or the acknowledgement. Across systems compare the sum of search and fetch.",
            "s",
            _both(_mean("search")),
        ),
        _pair(
            "Fetch, mean",
            "Mean time to read the rest of the rows. It grows with the size of the documents.",
            "s",
            _both(_mean("fetch")),
        ),
    ]


def _machines() -> list[Panel]:
    def disk(metric: str) -> Callable[[str, str, str], str]:
        return lambda _run, target, shift: total(rate(select(metric, target, 'device!~"$devices"'), shift))

    def busy(_run: str, target: str, shift: str) -> str:
        idle = rate(select("node_cpu_seconds_total", target, 'mode=~"idle|iowait"'), shift)
        cores = f"count by (host) ({select('node_cpu_seconds_total', target, equals('mode', 'idle'))}{shift})"
        return f"max(1 - sum by (host) ({idle}) / {cores})"

    def latency(which: str) -> Callable[[str, str, str], str]:
        seconds, completed = disk(f"node_disk_{which}_time_seconds_total"), disk(f"node_disk_{which}s_completed_total")
        return lambda run, target, shift: ratio(seconds(run, target, shift), completed(run, target, shift))

    def both(kind: Callable[[str], str], names: tuple[tuple[str, str], ...]) -> list[Query]:
        return [query for which, name in names for query in _both(disk(kind(which)), SERVER_STEP, f", {name}")]

    return [
        _pair(
            "CPU of the busiest host",
            "Share of its processors that the busiest host of each target used. "
            "The same rate with less CPU leaves room for more.",
            "percentunit",
            _both(busy, SERVER_STEP),
            span=12,
        ),
        _pair(
            "IOPS of all hosts",
            "Reads and writes (dashed) per second of all disks of each target.",
            "iops",
            both(lambda which: f"node_disk_{which}_completed_total", (("reads", "reads"), ("writes", "writes"))),
            span=12,
        ),
        _pair(
            "Bytes read and written by all hosts",
            "Bytes per second from and to (dashed) all disks of each target. "
            "More bytes for the same work are larger records, a cold cache, or more indexes.",
            "Bps",
            both(lambda which: f"node_disk_{which}_bytes_total", (("read", "read"), ("written", "written"))),
            span=12,
        ),
        _pair(
            "Disk latency of all hosts",
            "Mean time of a read and of a write (dashed) over all disks of each target; 0 where there was no I/O.",
            "s",
            [query for which in ("read", "write") for query in _both(latency(which), SERVER_STEP, f", {which}s")],
            span=12,
        ),
    ]
