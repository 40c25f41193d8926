"""Command line: ``python -m checks --store http://127.0.0.1:8428 --from now-15m [run.json ...]``."""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

from checks.check import Setting, check, count
from checks.dashboard import DashboardError, read
from checks.store import Store, StoreUnreachable
from checks.time_range import DEFAULT_SCRAPE_INTERVAL, TimeRange, moment

GRAFANA = Path(__file__).resolve().parents[1]


def shipped() -> list[Path]:
    """Return the dashboards of this checkout."""
    return sorted((GRAFANA / "dashboards").glob("*.json"))


def provisioned_scrape_interval() -> str:
    """Return the scrape interval that the provisioned data source declares."""
    for path in sorted((GRAFANA / "provisioning" / "datasources").glob("*.y*ml")):
        if found := re.search(r"timeInterval:\s*[\"']?(\w+)", path.read_text(encoding="utf-8")):
            return found[1]
    return DEFAULT_SCRAPE_INTERVAL


def add_store_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is asked, when and of which store."""
    parser.add_argument("--store", required=True, metavar="URL", help="VictoriaMetrics or Prometheus")
    parser.add_argument("--from", dest="start", default="now-15m", metavar="TIME", help="default now-15m")
    parser.add_argument("--to", dest="end", default="now", metavar="TIME", help="default now")
    parser.add_argument(
        "--variable", action="append", default=[], metavar="NAME=VALUE", help="a choice; several for several values"
    )
    parser.add_argument("--scrape-interval", default=provisioned_scrape_interval(), metavar="DURATION")


def setting_of(options: argparse.Namespace) -> Setting:
    """Return what the options say; raise ValueError where they say nothing sensible."""
    now = time.time()
    span = TimeRange(moment(options.start, now), moment(options.end, now))
    if span.length <= 0:
        raise ValueError(f"the time --from {options.start} does not lie before --to {options.end}")
    wanted: dict[str, list[str]] = {}
    for choice in options.variable:
        name, equals, value = choice.partition("=")
        if not equals:
            raise ValueError(f"--variable {choice}: write name=value")
        wanted.setdefault(name, []).append(value)
    return Setting(Store(options.store), span, options.scrape_interval, wanted)


def main(arguments: list[str] | None = None) -> int:
    """Check the dashboards and return 0 if nothing is wrong with them, 1 if something is, 2 for wrong use."""
    parser = argparse.ArgumentParser(prog="python -m checks", description="Executes every query of dashboards.")
    parser.add_argument("dashboards", nargs="*", type=Path, help="default: those in grafana/dashboards")
    add_store_options(parser)
    options = parser.parse_args(arguments)
    try:
        setting = setting_of(options)
        dashboards = [read(path) for path in options.dashboards or shipped()]
        problems = [f"{dashboard.name}: {line}" for dashboard in dashboards for line in check(dashboard, setting)]
    except (ValueError, DashboardError, StoreUnreachable) as error:
        print(f"checks: {error}", file=sys.stderr)
        return 2
    print("\n".join(problems), end="\n" if problems else "")
    queries = sum(count(dashboard) for dashboard in dashboards)
    print(f"{len(dashboards)} dashboards, {queries} queries: {len(problems) or 'no'} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
