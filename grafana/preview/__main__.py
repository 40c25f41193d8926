"""Command line: ``python -m preview --store URL --dashboard run --run ID --theme dark --output run.png``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from checks.__main__ import GRAFANA, add_store_options, setting_of
from checks.dashboard import DashboardError, read
from checks.store import StoreUnreachable
from preview.data import collect
from preview.draw import DrawError, draw


def main(arguments: list[str] | None = None) -> int:
    """Draw a dashboard and return 0, or 2 if that is not possible, or 1 if the page has an error."""
    parser = argparse.ArgumentParser(prog="python -m preview", description="Draws a dashboard to PNG; not Grafana.")
    add_store_options(parser)
    parser.add_argument("--dashboard", required=True, help="a name in grafana/dashboards such as run, or a file")
    parser.add_argument("--run", help="the same as --variable run=ID")
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.add_argument("--output", required=True, type=Path, metavar="PNG")
    options = parser.parse_args(arguments)
    if options.run:
        options.variable.append(f"run={options.run}")
    named = GRAFANA / "dashboards" / f"{options.dashboard}.json"
    try:
        dashboard = read(named if named.exists() else Path(options.dashboard))
        outcome = draw(collect(dashboard, setting_of(options), options.theme), options.output)
    except (ValueError, DashboardError, StoreUnreachable, DrawError) as error:
        print(f"preview: {error}", file=sys.stderr)
        return 2
    for panel in outcome.panels:
        if panel["state"] != "drawn":
            print(f"{panel['title']}: {panel['state']}")
    for fault in outcome.errors:
        print(f"preview: error in the page: {fault}", file=sys.stderr)
    print(options.output)
    return 1 if outcome.errors else 0


if __name__ == "__main__":
    sys.exit(main())
