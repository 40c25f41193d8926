"""Numbers and durations as people write them in YAML."""

from __future__ import annotations

import os
import re

from shardload.config.problem import Problem

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LEAST_HEAP_MIB = 32
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def seconds(value: object) -> float:
    """Return a duration such as ``90``, ``1m30s`` or ``0.5ms`` in seconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise Problem(f"{value!r} is no duration, as 30s or 1m30s")
    if isinstance(value, (int, float)):
        if not 0 <= value < float("inf"):
            raise Problem(f"{value} is no duration")
        return float(value)
    text, total, position = value.strip(), 0.0, 0
    while position < len(text) or not text:
        part = _PART.match(text, position)
        if not part:
            raise Problem(f'"{value}" is no duration, as 30s or 1m30s')
        unit = part.group(2).lower() or "s"
        if unit not in _UNITS:
            hint = "; write microseconds as 0.5ms" if unit in ("us", "ns") else ""
            raise Problem(f'"{value}" has the unknown unit "{unit}"; known are ms, s, m, h and d{hint}')
        total += float(part.group(1)) * _UNITS[unit]
        position = part.end()
    return total


def percent(value: object) -> float:
    """Return a share such as ``1%`` as the number of percent."""
    text = str(value).strip()
    if not re.fullmatch(r"\d+(\.\d+)?\s*%", text):
        raise Problem(f'"{value}" is no share, as 1%')
    number = float(text.rstrip("% "))
    if number > 100:
        raise Problem(f'"{value}" is more than 100%')
    return number


def whole(value: object, least: int, most: int = 1 << 31) -> int:
    """Return a whole number within bounds."""
    if isinstance(value, str) and re.fullmatch(r"\d+", value.strip()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Problem(f'"{value}" is no whole number of at least {least}')
    return value


def positive(value: object) -> float:
    """Return a number above 0."""
    if isinstance(value, str) and re.fullmatch(r"\d+(\.\d+)?", value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
        raise Problem(f'"{value}" is no number above 0')
    return float(value)


def check_heap(value: object) -> str:
    """Return a heap size such as ``256m``, which a JVM can start with on this machine."""
    match = re.fullmatch(r"(\d+)([mg])", str(value).lower())
    if not match:
        raise Problem(f'"{value}" is no size, as 256m or 2g')
    mib = int(match.group(1)) * (1024 if match.group(2) == "g" else 1)
    if mib < _LEAST_HEAP_MIB:
        raise Problem(f"{value} is too small: JMeter needs at least {_LEAST_HEAP_MIB}m")
    ram_mib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    if mib > ram_mib:
        raise Problem(f"{value} is more than the memory of this machine, {ram_mib}m")
    return str(value)


def show_seconds(value: float) -> str:
    """Show a duration as people do: 0:42, 10:00 or 1:02:03."""
    whole_seconds = max(0, int(value + 0.5))
    hours, rest = divmod(whole_seconds, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"


def show_nanos(value: float | None) -> str:
    """Show a latency with three digits in the unit that fits."""
    if value is None:
        return "-"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if value >= size * 0.9995:
            amount = value / size
            digits = 2 if amount < 10 else 1 if amount < 100 else 0
            return f"{amount:.{digits}f} {unit}"
    return f"{value:.0f} ns"
