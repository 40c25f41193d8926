"""The table of runs, for terminals of 80 columns and wider ones, and for pipes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from shardload.config.values.quantities import show_nanos
from shardload.results.searches import show_rate
from shardload.terminal import Terminal

_GAP = "  "
# From here on the time has a column of its own; before, the first letters of a run's name are its time.
_WIDE = 120
_LEAST_LABEL = 8
_STAMP_LETTERS = 15
_COLOURS = {"ok": "green", "missed": "yellow", "running": "cyan"}
_RIGHT = ("rate/s", "p99")
_VERDICT = "verdict"


def lines(rows: Sequence[Mapping[str, Any]], terminal: Terminal, width: int | None) -> Iterator[str]:
    """Draw the rows under a line of titles; without a width nothing is cut."""
    is_wide = width is None or width >= _WIDE
    handles = [row["run"] for row in rows] if is_wide else shortest([row["run"] for row in rows])
    cells = [_cells(row, handle, is_wide) for row, handle in zip(rows, handles)]
    titles = list(cells[0]) if cells else []
    widths = {title: max(len(title), *(len(row[title]) for row in cells)) for title in titles}
    if width is not None:
        _fit(widths, width)
    yield terminal.paint(_line({title: title for title in titles}, widths), "bold")
    for row in cells:
        painted = _line(row, widths)
        verdict = row[_VERDICT].ljust(widths[_VERDICT])
        yield painted.replace(verdict, terminal.paint(verdict, _COLOURS.get(row[_VERDICT], "red")), 1)


def _cells(row: Mapping[str, Any], handle: str, is_wide: bool) -> dict[str, str]:
    when = datetime.fromisoformat(row["started"]).strftime("%Y-%m-%d %H:%M") if row["started"] else "-"
    profile = row["profile"] or "-"
    what = f"{row['workload'] or '-'}/{profile}" if is_wide else profile
    if row["kind"] != "run":
        what += f" x{row['runs']}"
    p99 = row["p99_ns"]
    return {
        "run": handle,
        **({"when": when} if is_wide else {}),
        "target": row["target"] or "-",
        "workload/profile" if is_wide else "profile": what,
        _VERDICT: str(row["verdict"]),
        "rate/s": _capacity(row["capacity"]) if row["capacity"] else _rate(row["achieved_per_second"]),
        "p99": "-" if p99 is None else show_nanos(p99),
        "name, tags": label(row),
    }


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:,.0f}" if rate >= 1000 else f"{rate:.1f}"


def _capacity(capacity: Mapping[str, float | None]) -> str:
    """Return the interval of a search in few columns."""
    low, high = capacity["low_per_second"], capacity["high_per_second"]
    if low is not None and high is not None:
        return f"{show_rate(low)}-{show_rate(high)}"
    return f">={show_rate(low)}" if low is not None else f"<{show_rate(high)}" if high is not None else "-"


def label(row: Mapping[str, Any]) -> str:
    """Return name and tags of a row."""
    return " ".join(
        [*([row["name"]] if row["name"] else []), *(f"{key}={value}" for key, value in row["tags"].items())]
    )


def shortest(names: Sequence[str]) -> list[str]:
    """Return the time at the start of each name, with as much more of the name as makes it unique."""
    handles = []
    for name in names:
        length = min(len(name), _STAMP_LETTERS)
        while length < len(name) and any(other.startswith(name[:length]) for other in names if other != name):
            length += 1
        handles.append(name[:length])
    return handles


def _fit(widths: dict[str, int], width: int) -> None:
    """Take columns away where there are too many: from names and tags first, then from target and profile.

    What a program's user would copy, the run, is never cut.
    """
    last = list(widths)[-1]
    for title in (last, "target", "workload/profile", "profile"):
        if title in widths:
            excess = sum(widths.values()) + len(_GAP) * (len(widths) - 1) - width
            least = max(_LEAST_LABEL, len(title)) if title == last else len(title)
            widths[title] = max(least, widths[title] - max(0, excess))


def _line(row: Mapping[str, str], widths: Mapping[str, int]) -> str:
    parts = []
    for title, text in row.items():
        room = widths[title]
        shown = text if len(text) <= room else text[: room - 1] + "…"
        parts.append(shown.rjust(room) if title in _RIGHT else shown.ljust(room))
    return _GAP.join(parts).rstrip()
