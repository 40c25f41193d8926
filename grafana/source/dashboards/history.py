"""History: the finished runs of each target, from the figures of their summaries."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import Dashboard

from . import boards
from .boards import Row
from .panels import Column, Look, Panel, Query, lines, rows
from .promql import SOURCES, equals, select
from .run import VERDICTS

RUNS = ('target=~"$target"', 'workload=~"$workload"', 'profile=~"$profile"')
BY = "target, workload, profile"
# Verdict and results are scraped after the time that the verdict bears; the controller waits up to 15 s for that.
UNTIL_SCRAPED_SECONDS = 20
A_DAY_AROUND = "[1d] offset -12h"
NO_RUN = "no data (only finished runs have some)"
OPEN = (
    "Open this run",
    "/d/shardload-run?var-datasource=${datasource}&var-target=${__data.fields.Target}&var-run=${__data.fields.Run}"
    "&from=${__data.fields.Start.numeric}&to=${__data.fields.Until.numeric}",
)


def make() -> Dashboard:
    """Return the dashboard."""

    def labels(name: str, label: str) -> boards.Variable:
        return boards.values(name, label, f"label_values(shardload_run_exit_code, {name})", several="any")

    variables = [
        boards.datasource(),
        labels("target", "Target"),
        labels("workload", "Workload"),
        labels("profile", "Profile"),
    ]
    found = [Row("Runs", [_table()]), Row("Course over the runs", _points())]
    return boards.board(
        "shardload-history",
        "Rate, p99, capacity and verdict of the finished runs of each target.",
        variables,
        found,
        window="now-30d",
        refresh="1m",
        marks=False,
    )


def _once(window: str, published: str, name: str, *matchers: str) -> str:
    """Return the last value of each run in a window: that of its bundle, or else that which was scraped.

    Both have other times, so a run counts as published if its bundle has a verdict in a window that may be wider.
    """
    bundle, live = (
        f"max by (run_id, {BY}) (last_over_time({select(name, *RUNS, equals('source', source), *matchers)}{window}))"
        for source in SOURCES
    )
    verdict = select("shardload_run_exit_code", *RUNS, equals("source", SOURCES[0]))
    return f"({bundle} or ({live} unless on (run_id) last_over_time({verdict}{published})))"


def _table() -> Panel:
    def value(name: str, *matchers: str) -> str:
        return _once("[$__range]", "[$__range]", name, *matchers)

    def finished(expression: str) -> str:
        return f"{expression} and on (run_id) {value('shardload_run_exit_code')}"

    verdict = value("shardload_run_verdict_timestamp_seconds")
    columns = [
        Column("Run", label="run_id", width=290, link=OPEN),
        Column("Target", label="target", width=150),
        Column("Workload", label="workload", width=130),
        Column("Profile", label="profile", width=110),
        Column("Verdict", value("shardload_run_exit_code"), "short", words=VERDICTS, width=110),
        Column("Offered", value("shardload_run_offered_rate"), "ops", decimals=1),
        Column("Achieved", value("shardload_run_achieved_rate"), "ops", decimals=1),
        Column("p99", value("shardload_run_response_seconds", equals("quantile", "0.99")), "s"),
        Column("Capacity", value("shardload_run_capacity_rate"), "ops", decimals=1),
        Column("Errors", value("shardload_run_errors_ratio"), "percentunit", decimals=2),
        Column("Wrong", value("shardload_run_wrong_documents"), "short", decimals=0),
        Column(
            "Start",
            f"floor({finished(value('shardload_run_start_timestamp_seconds'))}) * 1000",
            "dateTimeAsIso",
            width=170,
        ),
        Column("Until", f"ceil({verdict} + {UNTIL_SCRAPED_SECONDS}) * 1000", "dateTimeAsIso", width=170),
    ]
    return rows(
        "Finished runs",
        "One row per run whose verdict lies in the window; click its name for its dashboard from Start until 20 s "
        "after the verdict. Figures are the report's, without warm-up; in a run with steps, of the step that is its "
        "capacity: none where no step kept up. p99 is of service time in the closed model.",
        columns,
        "Start",
        Look(span=24, height=10),
    )


def _points() -> list[Panel]:
    def points(title: str, text: str, unit: str, expression: str, no_value: str = NO_RUN) -> Panel:
        look = Look(points=True, calcs=("lastNotNull",), no_value=no_value)
        return lines(title, text, unit, [Query(expression, "{{target}} {{workload}} {{profile}}")], look)

    def value(name: str, *matchers: str) -> str:
        return _once("[$__interval]", A_DAY_AROUND, name, *matchers)

    return [
        points(
            "Achieved rate over the runs",
            "A point per run at the time of its verdict, named after target, workload and profile; none for a run in "
            "which no step kept up. A fall with an unchanged profile is a regression: look for that day's changes.",
            "ops",
            value("shardload_run_achieved_rate"),
        ),
        points(
            "p99 over the runs",
            "The 99th percentile of response time of each run; in a run with steps, of the step that is its capacity. "
            "A single high point may be a disturbed machine: repeat the run before you look for a cause.",
            "s",
            value("shardload_run_response_seconds", equals("quantile", "0.99")),
        ),
        points(
            "Capacity over the runs",
            "The highest rate that a run with steps held within its limits. It is the figure for planning.",
            "ops",
            value("shardload_run_capacity_rate"),
            no_value="no data (only runs with steps have one)",
        ),
        points(
            "Errors over the runs",
            "Share of failed and unknown calls of each run; in a run with steps, of the step that is its capacity. "
            "Compare rates and times only of runs without errors.",
            "percentunit",
            value("shardload_run_errors_ratio"),
        ),
    ]
