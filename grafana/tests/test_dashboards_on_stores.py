"""Every query of every dashboard on both stores, with series from the pages that the collectors' tests compare with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from checks.__main__ import provisioned_scrape_interval, shipped
from checks.check import Setting, check
from checks.dashboard import Dashboard, read
from checks.time_range import TimeRange
from preview.data import collect
from preview.draw import draw
from tests.node_pages import labelled
from tests.pages import history
from tests.programs import ROOT, Stores, holding, node_exporter

PAGES = ROOT / "java-samplers" / "src" / "test" / "resources" / "monitoring"
RANGE_SECONDS = 300
# The run on the pages lasts 65 s and begins a tenth of the range behind its start.
DURING_SECONDS = 90
# Too few samples for a percentile leave it out.
MAY_BE_EMPTY = ('panel "Percentiles of the run" E: empty:', 'panel "Capacity" A: empty:')
SHIPPED = [read(path) for path in shipped()]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory, end: float) -> Iterator[Stores]:
    """Return stores with all databases, this machine, and two runs of which one is the other's baseline."""
    folder = tmp_path_factory.mktemp("pages")
    pages = [path.read_text() for path in sorted(PAGES.glob("*.prom"))]
    runs = [re.sub('run_id="[^"]*"', 'run_id="second"', page) for page in pages if 'run_id="' in page]
    servers = [page for page in pages if 'run_id="' not in page]
    with node_exporter(folder) as address:
        servers.append(labelled(address, f'target="{target_of(runs)}",host="127.0.0.1",role="worker"'))
    start = end - RANGE_SECONDS
    both = [*runs, *(page.replace('"second"', '"first"') for page in runs)]
    # Each database has had a run.
    for target in {found for page in servers for found in re.findall('target="([^"]*)"', page)} - {target_of(runs)}:
        controller = next(page for page in runs if "shardload_run_info{" in page)
        both.append(re.sub('target="[^"]*"', f'target="{target}"', controller.replace('"second"', f'"on-{target}"')))
    with holding(folder, history(both, start, end, 1) + history(servers, start, end, 5)) as made:
        yield made


def target_of(pages: list[str]) -> str:
    """Return the target of the run."""
    return next(page for page in pages if "shardload_run_info{" in page).partition('target="')[2].partition('"')[0]


def settings(stores: Stores, kind: str, end: float) -> list[Setting]:
    """Return the two times to look: while the run goes on, and long after it."""
    during = end - RANGE_SECONDS + DURING_SECONDS
    spans = [TimeRange(moment - RANGE_SECONDS, moment) for moment in (during, end)]
    chosen = {"run": ["second"], "baseline": ["first"]}
    return [Setting(stores.both[kind], span, provisioned_scrape_interval(), chosen) for span in spans]


def problems(dashboard: Dashboard, during: Setting, after: Setting) -> list[str]:
    """Return what is wrong; what is empty at one of the two times only is as it should be."""
    first, second = list(check(dashboard, during)), list(check(dashboard, after))
    once = {line for line in (*first, *second) if ": empty: " in line} - (set(first) & set(second))
    return [line for line in dict.fromkeys((*first, *second)) if line not in once and not line.startswith(MAY_BE_EMPTY)]


@pytest.mark.parametrize("dashboard", SHIPPED, ids=[dashboard.name for dashboard in SHIPPED])
def test_no_query_is_refused_or_empty(stores: Stores, kind: str, end: float, dashboard: Dashboard) -> None:
    assert problems(dashboard, *settings(stores, kind, end)) == []


@pytest.mark.parametrize("dashboard", SHIPPED, ids=[dashboard.name for dashboard in SHIPPED])
def test_every_panel_is_drawn(stores: Stores, end: float, tmp_path: Path, dashboard: Dashboard) -> None:
    during, after = settings(stores, "VictoriaMetrics", end)
    dark = draw(collect(dashboard, during, "dark"), tmp_path / "dark.png")
    light = draw(collect(dashboard, after, "light"), tmp_path / "light.png")
    assert (dark.errors, light.errors) == ([], [])
    for first, second in zip(dark.panels, light.panels):
        assert "drawn" in (first["state"], second["state"]), first
        assert {first["state"], second["state"]} <= {"drawn", "no data"}, first
