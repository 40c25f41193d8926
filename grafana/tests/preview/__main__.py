"""Command line: ``python -m tests.preview --store URL --dashboard run --output run.png``, for work on dashboards."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from checks.__main__ import GRAFANA, add_store_options, setting_of
from checks.dashboard import read
from tests.preview.data import collect
from tests.preview.draw import PIXELS_WIDE, draw


def main() -> None:
    """Draw a dashboard, and print which panels have no data."""
    parser = argparse.ArgumentParser(prog="python -m tests.preview", description="Draws a dashboard to PNG.")
    add_store_options(parser)
    parser.add_argument("--dashboard", required=True, help="a name in grafana/dashboards, such as run")
    parser.add_argument("--output", required=True, type=Path, metavar="PNG")
    parser.add_argument("--width", type=int, default=PIXELS_WIDE, metavar="PIXELS")
    parser.add_argument("--theme", choices=["dark", "light"], default="dark")
    options = parser.parse_args()
    dashboard = read(GRAFANA / "dashboards" / f"{options.dashboard}.json")
    outcome = draw(collect(dashboard, setting_of(options)), options.output, options.width, options.theme)
    for panel in outcome.panels:
        if panel["state"] != "drawn":
            print(f"{panel['title']}: {panel['state']}")
    if outcome.errors:
        sys.exit("\n".join(outcome.errors))


if __name__ == "__main__":
    main()
