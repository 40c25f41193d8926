"""What the dashboards of the databases have in common: variables, and how the monitor itself fares."""

from __future__ import annotations

from . import boards, palette
from .panels import Column, Look, Panel, Query, rows
from .promql import SERVER_STEP, last, rate, select, total

SERVERS = ('target="$target"', 'role=~"$role"', 'server=~"$server"')
SERVER = "{{server}} ({{role}})"
NOT_RUNNING = "server-metrics is not running. Start it: ./shardload server-metrics --target NAME"
UP = {"0": ("down", palette.BAD), "1": ("up", palette.GOOD)}


def variables(metric: str) -> list[boards.Variable]:
    """Return the variables of a database's dashboard; each of its servers has the metric, whose name is a pattern."""
    name = f'__name__=~"{metric}"'
    chosen = (name, 'target="$target"')

    def labels(label: str, *matchers: str, several: str = "listed") -> boards.Variable:
        # A store holds the servers of other databases as well, so All are those that are listed.
        query = f"label_values({{{','.join(matchers)}}}, {label})"
        return boards.values(label, label.capitalize(), query, several=several)

    return [
        boards.datasource(),
        labels("target", name, several=""),  # figures of two clusters are never added
        labels("role", *chosen),
        labels("server", *chosen, 'role=~"$role"'),
        boards.run(),
        boards.source(hidden=True),
    ]


def of_servers(name: str, *matchers: str) -> str:
    """Return the selector of a metric of the chosen servers."""
    return select(name, *SERVERS, *matchers)


def query(expr: str, legend: str = SERVER) -> Query:
    """Return a query of metrics that are scraped as often as the servers' are."""
    return Query(expr, legend, SERVER_STEP)


def per_second(name: str, *matchers: str, by: str = "server, role") -> str:
    """Return the rate of a counter, by server if nothing else is said."""
    return total(rate(of_servers(name, *matchers)), by)


def value(name: str, *matchers: str, by: str = "server, role", operation: str = "sum") -> str:
    """Return a gauge, added by server if nothing else is said."""
    return f"{operation} by ({by}) ({of_servers(name, *matchers)})"


def health() -> list[Panel]:
    """Return the panels that say which servers answer, and which of their parts are refused."""
    up = f"min by (server, role) ({last(of_servers('shardload_server_up'))})"
    version = f"max by (server, role, version) ({last(of_servers('shardload_server_version_info'))})"
    refused = f"sum by (part) (1 - {last(of_servers('shardload_server_part_up'))})"
    return [
        rows(
            "Servers that answer",
            "Whether each server answered the last question of server-metrics. "
            "Down here while the run goes on: look at address and login of server-metrics first.",
            [
                Column("Server", label="server"),
                Column("Role", label="role", width=130),
                Column("Version", label="version", width=190),
                Column("State", up, "short", words=UP, width=110),
                Column("", version),
            ],
            "Role",
            Look(span=14, height=8, no_value=NOT_RUNNING),
        ),
        rows(
            "Refused parts of the servers' metrics",
            "How many servers refuse a part: the monitor's user lacks a right, or the server has no such part. "
            "Panels of a refused part have no data; server-metrics names the server and the reason.",
            [Column("Part", label="part"), Column("Servers that refuse", refused, "short", decimals=0, width=190)],
            "Servers that refuse",
            Look(span=10, height=8, no_value="no server has reported"),
        ),
    ]
