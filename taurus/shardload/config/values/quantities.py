"""Numbers and durations as people write them in YAML."""

from __future__ import annotations

import os
import re
from decimal import ROUND_HALF_UP, Decimal

from shardload.config.problem import Problem

MOST_SEED = (1 << 63) - 1
_LEAST_HEAP_MIB = 32
_NANOS = {
    "ns": 1,
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
    "d": 86_400_000_000_000,
}
_NANOS_PER_SECOND = 1_000_000_000
_SHOWN_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"))
# Of counts, not of sizes: 10k documents are 10000.
_SCALES = {"": 1, "k": 1_000, "K": 1_000, "M": 1_000_000}
# YAML reads 1e3 as a text.
_COUNT = re.compile(r"(-?\d+(?:\.\d+)?(?:[eE]\+?\d+)?) ?([kKM])?", re.ASCII)
# Numbers that may be so large are worth a suffix.
_WITH_SUFFIX = 10_000
_HEAP = re.compile(r"(\d+(?:\.\d+)?) ?(m|M|MiB|g|G|GiB)", re.ASCII)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.ASCII)


def seconds(value: object) -> float:
    """Return a duration such as ``90``, ``1m30s`` or ``500us`` in seconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise Problem(f"{value!r} is not a duration; write it like 30s or 1m30s")
    if isinstance(value, (int, float)):
        if not 0 <= value < float("inf"):
            raise Problem(f"{value} is not a duration")
        return float(value)
    return nanos(value) / _NANOS_PER_SECOND


def nanos(text: str) -> int:
    """Return a duration such as ``90``, ``1m30s`` or ``500us`` in nanoseconds, by the grammar of ``Durations.java``."""
    rest, total, position = text.strip().lower(), Decimal(0), 0
    while position < len(rest) or not rest:
        part = _PART.match(rest, position)
        if not part:
            raise Problem(f'"{text}" is not a duration; write it like 30s or 1m30s')
        unit = part.group(2) or "s"
        if unit not in _NANOS:
            raise Problem(f'"{text}" has the unknown unit "{unit}"; known are {", ".join(_NANOS)}')
        total += Decimal(part.group(1)) * _NANOS[unit]
        position = part.end()
    if total != total.to_integral_value():
        raise Problem(f'"{text}" is not a whole number of nanoseconds')
    return int(total)


def percent(value: object) -> float:
    """Return a share such as ``1%`` as the number of percent."""
    text = str(value).strip()
    if not re.fullmatch(r"\d+(\.\d+)?\s*%", text):
        raise Problem(f'"{value}" is not a share; write it like 1%')
    number = float(text.rstrip("% "))
    if number > 100:
        raise Problem(f'"{value}" is more than 100%')
    return number


def whole(value: object, least: int, most: int = 1 << 31) -> int:
    """Return a whole number within bounds; ``10k`` and ``2M`` are numbers too."""
    number = _number(value)
    if number is None or number != number.to_integral_value():
        forms = "write 10000, 10k or 2M" if most >= _WITH_SUFFIX else f"write a number from {least} to {most}"
        raise Problem(f'"{value}" is not a whole number; {forms}')
    if not least <= number <= most:
        raise Problem(f"{value} is less than {least}" if number < least else f"{value} is more than {most}")
    return int(number)


def positive(value: object, most: float = float("inf")) -> float:
    """Return a number above 0, such as ``0.5``, ``10k`` or ``2M``, at most ``most``."""
    number = _number(value)
    if number is None or number <= 0:
        raise Problem(f'"{value}" is not a number above 0; write 500, 0.5, 10k or 2M')
    if number > most:
        raise Problem(f'"{value}" is more than {most:.0f}')
    return float(number)


def positive_seconds(value: object) -> float:
    """Return a duration above 0 in seconds."""
    length = seconds(value)
    if length <= 0:
        raise Problem(f'"{value}" is not a duration above 0')
    return length


def number(value: object) -> float | None:
    """Return a number such as ``0.5``, ``10k`` or ``2M``; None where the value is not a number."""
    found = _number(value)
    return None if found is None else float(found)


def _number(value: object) -> Decimal | None:
    if isinstance(value, str):
        match = _COUNT.fullmatch(value.strip())
        return Decimal(match[1]) * _SCALES[match[2] or ""] if match else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < float("inf"):
        return None
    return Decimal(str(value))


def check_heap(value: object) -> str:
    """Return a heap size such as ``256m`` or ``2GiB`` as a JVM takes it, which one can start with on this machine."""
    match = _HEAP.fullmatch(str(value).strip())
    mib = Decimal(match[1]) * (1024 if match[2] in ("g", "G", "GiB") else 1) if match else Decimal("0.5")
    if mib != mib.to_integral_value():
        raise Problem(f'"{value}" is not a size; write 256m, 2g, 256MiB or 2GiB')
    if mib < _LEAST_HEAP_MIB:
        raise Problem(f"{value} is too small: JMeter needs at least {_LEAST_HEAP_MIB}m")
    ram_mib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    if mib > ram_mib:
        raise Problem(f"{value} is more than the memory of this machine, {ram_mib}m")
    return f"{int(mib)}m"


def currency(value: object) -> str:
    """Return a currency's code such as ``USD``."""
    if not re.fullmatch("[A-Z]{3}", str(value)):
        raise Problem(f'"{value}" is not a currency; write three capital letters, such as USD')
    return str(value)


def show_seconds(value: float) -> str:
    """Show a duration as people do: 0:42, 10:00 or 1:02:03."""
    whole_seconds = max(0, int(value + 0.5))
    hours, rest = divmod(whole_seconds, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"


def show_nanos(value: float | None) -> str:
    """Show a latency with three digits in the unit that fits, as ``Durations.java`` does."""
    if value is None:
        return "-"
    # What rounds to 1000 of one unit is 1.00 of the next.
    size, unit = next((pair for pair in _SHOWN_UNITS if value >= pair[0] * 0.9995), (1.0, "ns"))
    amount = value / size
    digits = "1" if size == 1 or amount >= 99.95 else "1.0" if amount >= 9.995 else "1.00"
    return f"{Decimal(amount).quantize(Decimal(digits), ROUND_HALF_UP)} {unit}"
