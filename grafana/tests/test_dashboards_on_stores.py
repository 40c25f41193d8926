"""Every query of every dashboard on a store, with series from the pages that the collectors' tests compare with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from checks.__main__ import provisioned_scrape_interval, shipped
from checks.check import Setting, check
from checks.dashboard import Dashboard, read
from checks.store import Store
from checks.time_range import TimeRange
from tests.builders import dashboard as dashboard_of
from tests.builders import panel
from tests.expectations import unexpected
from tests.node_pages import labelled
from tests.pages import history, of_source
from tests.preview.data import collect
from tests.preview.draw import draw
from tests.programs import ROOT, holding, node_exporter

PAGES = ROOT / "java-samplers" / "src" / "test" / "resources" / "monitoring"
RANGE_SECONDS = 300
# The run on the pages lasts 65 s and begins a tenth of the range behind its start.
DURING_SECONDS = 90
# Two databases each, of which a cluster is one.
OF_DATABASES = {"shardload-mongodb": ("mongodb", "ferretdb"), "shardload-postgresql": ("citus", "postgresql")}
SHIPPED = [read(path) for path in shipped()]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, kind: str, end: float) -> Iterator[Store]:
    """Return a store with all databases, this machine, and two runs of which one is the other's baseline.

    The run was scraped and published, the others only scraped.
    """
    folder = tmp_path_factory.mktemp("pages")
    pages = [path.read_text() for path in sorted(PAGES.glob("*.prom"))]
    runs = [re.sub('run_id="[^"]*"', 'run_id="second"', page) for page in pages if 'run_id="' in page]
    servers = [page for page in pages if 'run_id="' not in page]
    servers.append(Path(__file__).with_name("mysqld-exporter.prom").read_text())
    with node_exporter(folder) as address:
        servers.append(labelled(address, f'target="{target_of(runs)}",host="127.0.0.1",role="worker"'))
    start = end - RANGE_SECONDS
    both = [*runs, *(page.replace('"second"', '"first"') for page in runs)]
    # Each database has had a run.
    for target in {found for page in servers for found in re.findall('target="([^"]*)"', page)} - {target_of(runs)}:
        controller = next(page for page in runs if "shardload_run_info{" in page)
        both.append(re.sub('target="[^"]*"', f'target="{target}"', controller.replace('"second"', f'"on-{target}"')))
    both = [*(of_source("live", page) for page in both), *(of_source("bundle", page) for page in runs)]
    with holding(folder, history(both, start, end, 1) + history(servers, start, end, 5), kind) as made:
        yield made


def target_of(pages: list[str]) -> str:
    """Return the target of the run."""
    return next(page for page in pages if "shardload_run_info{" in page).partition('target="')[2].partition('"')[0]


def settings(store: Store, end: float, dashboard: Dashboard) -> tuple[list[Setting], list[Setting]]:
    """Return the two times to look, while the run goes on and long after it, once per target that matters."""
    times = end - RANGE_SECONDS + DURING_SECONDS, end
    chosen: list[dict[str, list[str]]] = [{"run": ["second"], "baseline": ["first"]}]
    chosen = [{**chosen[0], "target": [target]} for target in OF_DATABASES.get(dashboard.uid, ())] or chosen
    during, after = (
        [
            Setting(store, TimeRange(moment - RANGE_SECONDS, moment), provisioned_scrape_interval(), each)
            for each in chosen
        ]
        for moment in times
    )
    return during, after


@pytest.mark.parametrize("dashboard", SHIPPED, ids=[dashboard.name for dashboard in SHIPPED])
def test_no_query_is_refused_or_empty(store: Store, end: float, dashboard: Dashboard) -> None:
    during, after = ([list(check(dashboard, each)) for each in looks] for looks in settings(store, end, dashboard))
    assert unexpected(dashboard, during, after) == []


@pytest.mark.long
@pytest.mark.parametrize("dashboard", SHIPPED, ids=[dashboard.name for dashboard in SHIPPED])
def test_every_panel_is_drawn(store: Store, end: float, tmp_path: Path, dashboard: Dashboard) -> None:
    during, after = settings(store, end, dashboard)
    # Where there are two databases, one of them each.
    drawn = [draw(collect(dashboard, each), tmp_path / "drawn.png") for each in (during[0], after[-1])]
    assert [each.errors for each in drawn] == [[], []]
    for first, second in zip(*(each.panels for each in drawn)):
        assert "drawn" in (first["state"], second["state"]), first
        assert {first["state"], second["state"]} <= {"drawn", "no data"}, first


@pytest.mark.long
def test_a_panel_that_cannot_be_drawn_and_a_refused_query_are_found(store: Store, end: float, tmp_path: Path) -> None:
    setting = Setting(store, TimeRange(end - RANGE_SECONDS, end), "5s")
    output = tmp_path / "drawn.png"
    unknown = draw(collect(Dashboard("test", dashboard_of(panel(type="piechart"))), setting), output)
    assert unknown.errors == ["Error: the preview lacks the panel piechart"]
    refused = draw(collect(Dashboard("test", dashboard_of(panel("sum("))), setting), output)
    assert [each["state"] for each in refused.panels] == ["error"]
