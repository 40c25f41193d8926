"""One line for each load host, below the figures of all."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from shardload.processes.load import HostState
from shardload.terminal import Terminal

# More are shown only where something is wrong with them.
_ALL_UP_TO = 8
# Rows of the terminal that are not for load hosts.
_OTHER_ROWS = 6
_COLOURS = {"failed": "red", "lost": "red"}


def host_lines(states: Sequence[HostState], terminal: Terminal) -> list[str]:
    """Return the lines: of every load host where they are few, else of those that are not well."""
    shown = list(states) if len(states) <= _ALL_UP_TO else bad_hosts(states)
    if not shown:
        return [f"hosts     {len(states)}, all well"] if states else []
    room = max(1, shutil.get_terminal_size((100, 30)).lines - _OTHER_ROWS)
    width = max(len(state.host) for state in shown)
    lines = [_paint(state, _text(state, width)[: terminal.width - 1], terminal) for state in shown[:room]]
    more = len(shown) - len(lines)
    if more:
        lines.append(f"hosts     {more} more need attention" if len(states) > _ALL_UP_TO else f"hosts     {more} more")
    return lines


def bad_hosts(states: Sequence[HostState]) -> list[HostState]:
    """Return those that are not well, the lost ones first."""
    return sorted(
        (state for state in states if not state.is_well), key=lambda state: (not state.is_lost, state.generator)
    )


def host_text(state: HostState) -> str:
    """Return the line of one load host, without colours."""
    return _text(state, len(state.host))


def _text(state: HostState, width: int) -> str:
    figures = state.figures
    head = f"host {state.generator:<4} {state.host:<{width}}  {state.state:<8}"
    if state.is_lost:
        return f"{head} silent for {figures['silent_seconds']:.0f} s"
    return (
        f"{head} {figures['rate']:9,.1f}/s  CPU {figures['cpu_percent']:3.0f} %  GC {figures['gc_percent']:4.1f} %  "
        f"hiccup {figures['hiccup_p99_ms']:5.1f} ms  lag {figures['lag_seconds']:4.1f} s  "
        f"clock {figures['clock_offset_ms']:+.1f} ms"
    )


def _paint(state: HostState, text: str, terminal: Terminal) -> str:
    colour = _COLOURS.get(state.state) or (None if state.is_well else "yellow")
    return terminal.paint(text, colour) if colour else text
