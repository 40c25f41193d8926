"""What the dashboards of the databases have in common: variables, and how the monitor itself fares."""

from __future__ import annotations

from . import boards, palette
from .panels import Column, Look, Panel, Query, Tile, lines, rows, tile
from .promql import SERVER_STEP, last, rate, select, total

SERVERS = ('target=~"$target"', 'role=~"$role"', 'server=~"$server"')
SERVER = "{{server}} ({{role}})"
UP = {"0": ("down", palette.BAD), "1": ("up", palette.GOOD)}
PART = {"0": ("refused", palette.WARN), "1": ("ok", palette.GOOD)}


def variables(metric: str) -> list[boards.Variable]:
    """Return the variables of a database's dashboard; each of its servers has the metric, whose name is a pattern."""
    name = f'__name__=~"{metric}"'
    chosen = (name, 'target=~"$target"')

    def labels(label: str, *matchers: str) -> boards.Variable:
        query = f"label_values({{{','.join(matchers)}}}, {label})"
        return boards.values(label, label.capitalize(), query, all_of_them=True)

    return [
        boards.datasource(),
        labels("target", name),
        labels("role", *chosen),
        labels("server", *chosen, 'role=~"$role"'),
        boards.values("run", "Run", 'label_values(shardload_run_info{target=~"$target"}, run_id)', newest_first=True),
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


def health(span: int = 12) -> list[Panel]:
    """Return the panels that say which servers answer, and which parts of theirs are refused."""
    columns = [
        Column("Server", label="server"),
        Column("Role", label="role", width=120),
        Column("Part", label="part", width=140),
        Column("State", last(of_servers("shardload_server_part_up")), "short", words=PART, width=110),
    ]
    trimmed = f"min by (server, role, part) ({columns[-1].query})"
    columns[-1] = Column("State", trimmed, "short", words=PART, width=110)
    return [
        tile(
            "Servers that answer",
            "Whether each server answered the last question of server-metrics. "
            "Down here while the run goes on: look at address and login of server-metrics first.",
            "short",
            [query(value("shardload_server_up", operation="min"))],
            Tile(span=span, height=6, words=UP),
        ),
        rows(
            "Parts of the servers' metrics",
            "A part is refused where the monitor's user lacks a right, or the server has no such part. "
            "Panels of a refused part have no data; server-metrics names the missing right.",
            columns,
            "State",
            Look(span=24 - span, height=6),
        ),
    ]


def stacked_lines(title: str, text: str, unit: str, queries: list[Query], span: int = 12) -> Panel:
    """Return lines that are stacked, for parts of a whole."""
    return lines(title, text, unit, queries, Look(span=span, stacked=True))
