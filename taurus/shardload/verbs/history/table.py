"""The curves of the history as tables for the console."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from shardload.config.values.quantities import show_nanos
from shardload.terminal import Terminal

_FIGURES = (("rps", "RPS"), ("p99_ns", "p99"), ("capacity_per_second", "capacity/s"))
_SIGNS = {"exact": "", "at_least": ">=", "below": "<"}
_COLOURS = {0: "green", 3: "yellow"}
_GAP = "  "
_LEAST_NAME = 8


def lines(curve: dict[str, Any], terminal: Terminal, width: int) -> Iterator[str]:
    """Draw a curve, the newest point first."""
    points = list(reversed(curve["points"]))
    shown = [(key, title) for key, title in _FIGURES if any(_has(key, point) for point in points)]
    count = sum(len(point["runs"]) for point in points)
    yield terminal.paint(
        f"{curve['target']}, {curve['workload']}, {curve['profile']}: {count} run{'s' if count != 1 else ''}", "bold"
    )
    titles = ["time (UTC)", "verdict"]
    for _key, title in shown:
        titles += [title, "change"]
    rows = [_cells(point, [key for key, _title in shown]) for point in points]
    widths = [max(len(cell) for cell in column) for column in zip(titles, *rows)]
    room = max(_LEAST_NAME, width - sum(widths) - len(_GAP) * len(widths))
    yield _row(titles, widths, "build" if any(point["build"] for point in points) else "run")
    for point, row in zip(points, rows):
        yield _painted(point, row, widths, _name(point, room), shown, terminal)


def _has(key: str, point: dict[str, Any]) -> bool:
    """Whether a point has a figure; the RPS of a run with a capacity is the capacity's rate."""
    figures = point["figures"]
    return bool(figures[key]) and not (key == "rps" and figures["capacity_per_second"])


def _name(point: dict[str, Any], room: int) -> str:
    number = (point["build"] or {}).get("number")
    name = f"#{number}" if number else str(point["name"])
    count = len(point["runs"])
    name += f" ({count} runs)" if count > 1 else ""
    return name if len(name) <= room else name[: room - 1] + "…"


def _cells(point: dict[str, Any], keys: Sequence[str]) -> list[str]:
    cells = [(point["started"] or "-")[:16].replace("T", " "), str(point["verdict"]["name"])]
    for key in keys:
        figure = point["figures"][key]
        cells += [_value(key, figure), _change(figure)]
    return cells


def _value(key: str, figure: dict[str, Any] | None) -> str:
    if not figure:
        return "-"
    value = float(figure["value"])
    digits = 0 if value >= 1000 else 1
    return _SIGNS[figure["bound"]] + (show_nanos(value) if key == "p99_ns" else f"{value:.{digits}f}")


def _change(figure: dict[str, Any] | None) -> str:
    if not figure or figure["change_percent"] is None:
        return ""
    return f"{figure['change_percent']:+.1f}%" + ("!" if figure["regression"] else " ")


def _row(cells: Sequence[str], widths: Sequence[int], name: str) -> str:
    left = [cell.ljust(width) for cell, width in zip(cells[:2], widths)]
    right = [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:])]
    return _GAP.join([*left, *right, name]).rstrip()


def _painted(
    point: dict[str, Any],
    row: Sequence[str],
    widths: Sequence[int],
    name: str,
    shown: Sequence[tuple[str, str]],
    terminal: Terminal,
) -> str:
    """Paint the cells after they have their widths, which colours would spoil."""
    cells = [row[0].ljust(widths[0])]
    cells.append(terminal.paint(row[1].ljust(widths[1]), _COLOURS.get(point["verdict"]["code"], "red")))
    for index, (key, _title) in enumerate(shown):
        at = 2 + 2 * index
        change = row[at + 1].rjust(widths[at + 1])
        is_worse = (point["figures"][key] or {}).get("regression")
        cells += [row[at].rjust(widths[at]), terminal.paint(change, "red") if is_worse else change]
    return _GAP.join([*cells, name])
