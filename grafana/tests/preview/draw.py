"""Makes the page and lets a headless Chromium draw it."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent / "page"
SCRIPTS = ("format.js", "fields.js", "charts.js", "heatmap.js", "panels.js", "page.js")
UPLOT = Path(__file__).resolve().parents[3] / ".shardload" / "preview" / "node_modules" / "uplot" / "dist"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PIXELS_WIDE = 1440
# Narrower, Grafana shows one panel below the other.
NARROW_PIXELS = 769
CELL_PIXELS = 38
HEADER_PIXELS = 110
PATIENCE_SECONDS = 120
NOTE = "Preview drawn by shardload from the dashboard's JSON. It is not Grafana: details differ."


class DrawError(Exception):
    """The page cannot be drawn; the text says why in one line."""


@dataclass(frozen=True)
class Outcome:
    """The result of drawing the page: errors of its scripts, and each panel's title and state."""

    errors: list[str]
    panels: list[dict[str, Any]]


def page(data: dict[str, Any], wide: int = PIXELS_WIDE, theme: str = "dark") -> str:
    """Return the page as one file, in Grafana's dark or light theme."""
    if not (UPLOT / "uPlot.iife.min.js").exists():
        raise DrawError(f"{UPLOT} is missing: ./shardload test long fetches it")
    styles = (UPLOT / "uPlot.min.css").read_text() + (PAGE / "page.css").read_text()
    # Constants of one script are seen by the next only if all are one.
    own = "\n".join((PAGE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    content = json.dumps(data).replace("<", "\\u003c")
    return f"""<!doctype html><html class="{theme}" style="width:{wide}px">
<meta charset="utf-8"><title>{html.escape(data["title"])}</title><style>{styles}</style>
<header><h1 id="title"></h1><span id="note">{NOTE}</span><span id="range"></span></header>
<div id="variables"></div><div id="grid"></div>
<script type="application/json" id="data">{content}</script>
<script>{(UPLOT / "uPlot.iife.min.js").read_text()}</script><script>{own}</script>
"""


def stacked(panels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return panels as wide as the page, one below the other."""
    found, bottom = [], 0
    for panel in sorted(panels, key=lambda each: (each["gridPos"]["y"], each["gridPos"]["x"])):
        found.append({**panel, "gridPos": {**panel["gridPos"], "x": 0, "w": 24, "y": bottom}})
        bottom += panel["gridPos"]["h"]
    return found


def draw(data: dict[str, Any], output: Path, wide: int = PIXELS_WIDE, theme: str = "dark") -> Outcome:
    """Draw the page to a PNG and return the result for each panel."""
    if wide < NARROW_PIXELS:
        data = {**data, "panels": stacked(data["panels"])}
    places = [panel["gridPos"] for panel in data["panels"]]
    tall = HEADER_PIXELS + CELL_PIXELS * max(place["y"] + place["h"] for place in places)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(page(data, wide, theme), encoding="utf-8")
        size = f"--window-size={wide},{tall}"
        tree = chromium(folder, size, f"--screenshot={output.resolve()}", "--dump-dom", source.as_uri())
    found = re.search(r'id="outcome">(.*?)</script>', tree, re.DOTALL)
    if not found or not output.exists():
        raise DrawError("Chromium drew no page")
    outcome = json.loads(found[1])
    return Outcome(outcome["errors"], outcome["panels"])


def chromium(folder: str, *arguments: str) -> str:
    """Call Chromium with a profile in a folder, and return what it printed."""
    program = next((found for name in CHROMIUMS if (found := shutil.which(name))), None)
    if program is None:
        raise DrawError("Chromium is missing: ./shardload test long installs it")
    command = [
        program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
        f"--user-data-dir={folder}/profile", "--virtual-time-budget=5000", *arguments,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise DrawError(f"Chromium ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout
