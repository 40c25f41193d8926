"""The pictures of docs/load-profiles.md: rate over time of each shipped profile, from the schedule that the code makes.

``python -m tests.pages.shapes --write`` renews ``docs/profiles/*.svg``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import yaml

from shardload.config.values.schedule import LoadKeys, read_load_keys
from shardload.config.values.search import read_search
from shardload.verbs.capacity.model import Answer, Outcome, Trial
from shardload.verbs.capacity.search import decide

ROOT = Path(__file__).resolve().parents[3]
PICTURES = ROOT / "docs" / "profiles"
PROFILES = ROOT / "taurus" / "profiles"
# What the picture of a search takes for the capacity of its target.
KNEE = 3000.0

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 26, 36
COLOURS = {"warm-up": "#c9c9c9", "ramp": "#a9c8ec", "good": "#3f7fca", "bad": "#d9734e"}
TEXTS = {
    "warm-up": "warm-up, in no result",
    "ramp": "ramp",
    "step": "step",
    "stage": "stage",
    "hold": "hold",
    "good": "run within the limits",
    "bad": "run beyond a limit",
}
TICKS = (5, 10, 15, 30, 60, 120, 300, 600, 900, 1800)


@dataclass(frozen=True)
class Bar:
    """A stretch of time with the value at its ends: arrivals per second, or in the closed model workers."""

    kind: str
    name: str
    seconds: float
    begin: float
    end: float


def bars_of(profile: str) -> tuple[list[Bar], str]:
    """Return the course of a shipped profile, and what is drawn upwards."""
    content = yaml.safe_load((PROFILES / f"{profile}.yml").read_text(encoding="utf-8"))
    load = read_load_keys(content["execution"][0])
    if content.get("search") is not None:
        return _searched(content["search"], load), "arrivals/s"
    if load.model == "closed":
        return [
            Bar(one.kind, one.name, one.seconds, one.from_workers, one.to_workers) for one in load.segments()
        ], "workers"
    return [
        Bar(one.kind, one.name, one.seconds, one.from_rate or 0, one.to_rate or 0) for one in load.segments()
    ], "arrivals/s"


def _searched(section: dict[str, Any], load: LoadKeys) -> list[Bar]:
    """Return the runs of a search on a target whose capacity is known."""
    trials: list[Trial]
    plan, trials = read_search(section, load), []
    length = sum(segment.seconds for segment in load.segments())
    while not isinstance(step := decide(plan, trials, length * len(trials)), Answer):
        trials.append(Trial(step.rate, Outcome.GOOD if step.rate <= KNEE else Outcome.BAD, length))
    return [Bar("good" if one.outcome is Outcome.GOOD else "bad", "", length, one.rate, one.rate) for one in trials]


def picture(profile: str) -> str:
    """Return the picture of a profile as SVG."""
    bars, unit = bars_of(profile)
    total, most = sum(bar.seconds for bar in bars), max(max(bar.begin, bar.end) for bar in bars)
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    parts, at, base = _axes(total, most, unit), 0.0, TOP + high
    for bar in bars:
        left, right = LEFT + wide * at / total, LEFT + wide * (at + bar.seconds) / total
        begin, end = base - high * bar.begin / most, base - high * bar.end / most
        colour = COLOURS.get(bar.kind, COLOURS["good"])
        points = f"{left:.1f},{base} {left:.1f},{begin:.1f} {right:.1f},{end:.1f} {right:.1f},{base}"
        parts.append(f'<polygon points="{points}" fill="{colour}" stroke="#fff" stroke-width="0.7"/>')
        if bar.name != bar.kind and right - left > 8 * len(bar.name):
            parts.append(_text((left + right) / 2, min(begin, end) - 5, bar.name, "middle"))
        at += bar.seconds
    parts.extend(_legend(bars))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    style = 'font-family="sans-serif" font-size="11" fill="#333"'
    ground = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
    return "\n".join([f'{head} role="img" aria-label="{profile}" {style}>', ground, *parts, "</svg>\n"])


def _axes(total: float, most: float, unit: str) -> list[str]:
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    parts = [_text(6, 14, unit, "start"), _text(WIDTH - RIGHT, HEIGHT - 4, "min:s", "end")]
    for share in (0, 0.5, 1):
        y = TOP + high * (1 - share)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{most * share:,.0f}".replace(",", " "), "end"))
    tick = next((step for step in TICKS if total / step <= 8), TICKS[-1])
    for number in range(int(total // tick) + 1):
        x, seconds = LEFT + wide * number * tick / total, number * tick
        parts.append(f'<path d="M{x:.1f} {TOP + high}v4" stroke="#777"/>')
        parts.append(_text(x, TOP + high + 16, f"{seconds // 60}:{seconds % 60:02d}", "middle"))
    return parts


def _legend(bars: list[Bar]) -> list[str]:
    parts, x = [], LEFT
    for kind in dict.fromkeys(bar.kind for bar in bars):
        colour = COLOURS.get(kind, COLOURS["good"])
        parts.append(f'<rect x="{x}" y="{HEIGHT - 12}" width="9" height="9" fill="{colour}"/>')
        parts.append(_text(x + 13, HEIGHT - 4, TEXTS[kind], "start"))
        x += 30 + 6 * len(TEXTS[kind])
    return parts


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def names() -> list[str]:
    """Return the shipped profiles."""
    return sorted(path.stem for path in PROFILES.glob("*.yml"))


def main() -> int:
    """Write the pictures."""
    if "--write" not in sys.argv[1:]:
        sys.stdout.write("usage: python -m tests.pages.shapes --write\n")
        return 1
    PICTURES.mkdir(exist_ok=True)
    for name in names():
        (PICTURES / f"{name}.svg").write_text(picture(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
