"""The dashboards as they are shipped: drift, form, names. Rules on queries are shown to fail on a broken copy."""

from __future__ import annotations

import copy
import json
import shutil
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder

from checks import catalogue, lint
from checks.dashboard import Dashboard, read
from dashboards import boards, run, run_work
from dashboards.__main__ import FOLDER, main
from dashboards.boards import Row
from tests.published import TRANSACTIONS

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "java-samplers" / "src" / "test" / "resources" / "monitoring"
PAGES = [
    *(GOLDEN / f"{name}.prom" for name in ("generator", "controller", "postgresql", "citus", "mongodb", "ferretdb")),
    *(Path(__file__).with_name(f"{name}-exporter.prom") for name in ("node", "mysqld")),
]
FILES = ["compare", "history", "hosts", "mariadb", "mongodb", "postgresql-citus", "run"]


@pytest.fixture(scope="module")
def known() -> catalogue.Catalogue:
    return catalogue.read(PAGES)


@pytest.fixture(scope="module")
def shipped() -> dict[str, Dashboard]:
    return {path.name: read(path) for path in sorted(FOLDER.glob("*.json"))}


def test_all_dashboards_are_there(shipped: dict[str, Dashboard]) -> None:
    assert list(shipped) == [f"{name}.json" for name in FILES]


def test_no_dashboard_has_a_fault(shipped: dict[str, Dashboard], known: catalogue.Catalogue) -> None:
    assert lint.lint(shipped, known) == []


def test_the_course_of_a_run_is_on_one_screen(shipped: dict[str, Dashboard]) -> None:
    """Mutation: a chart of eight rows. A row of the grid has 38 pixels; above it are bars, variables and marks."""
    first = [panel for panel in shipped["run.json"].panels if panel.row.startswith("Now")]
    ends = max(panel.settings["gridPos"]["y"] + panel.settings["gridPos"]["h"] for panel in first)
    assert ends * 38 + 40 + 40 + 16 + 2 * 40 <= 900
    shown = {"Calls per second", "Response time, from due to answered", "What the sessions do in the servers"}
    assert {*shown, "CPU of the busiest host", "IOPS", "Errors", "Bound by"} <= {panel.title for panel in first}


def test_the_share_of_the_rate_is_that_of_the_verdict() -> None:
    """Mutation: 0.97."""
    limits = (FOLDER.parents[1] / "java-samplers/src/main/java/io/shardload/results/measured/Limits.java").read_text()
    assert f"REACHED_PERCENT = {run.KEPT_UP * 100:.0f};" in limits


def test_each_bottleneck_has_its_code() -> None:
    """Mutation: another order."""
    schema = json.loads((FOLDER.parents[1] / "taurus" / "schemas" / "summary.schema.json").read_text())
    resources = schema["definitions"]["bottleneck"]["properties"]["resource"]["enum"]
    assert [word for word, _ in run.BOTTLENECKS.values()] == [each for each in resources if each != "unknown"]
    page = (FOLDER.parents[1] / "java-samplers/src/test/resources/monitoring/controller.prom").read_text()
    code = page.partition('shardload_run_bottleneck{profile="max",resource="locks"')[2].partition("} ")[2].split()[0]
    assert run.BOTTLENECKS[code][0] == "locks"


def test_the_panels_that_the_documentation_names_are_there(shipped: dict[str, Dashboard]) -> None:
    text = (ROOT / "docs" / "dashboards.md").read_text(encoding="utf-8")
    titles = {
        (board.title.removeprefix("shardload: "), panel.title) for board in shipped.values() for panel in board.panels
    }
    lines = text.partition("| question |")[2].partition("\n\n")[0].splitlines()[2:]
    named = [
        (cells[2].strip(), title) for line in lines for cells in [line.split("|")] for title in cells[3].split(";")
    ]

    assert len(named) > 40
    assert [name for name in named if (name[0], name[1].strip()) not in titles] == []


def test_the_panel_of_the_documentation_can_be_added_as_it_is_written(
    shipped: dict[str, Dashboard], known: catalogue.Catalogue
) -> None:
    text = (ROOT / "docs" / "dashboards.md").read_text(encoding="utf-8").partition("## Add a panel")[2]
    code = textwrap.dedent(text.partition("   ```python\n")[2].partition("   ```\n")[0])
    panels = [*run_work.errors(), *eval(f"[{code}]", vars(run_work))]
    settings = json.loads(
        json.dumps(boards.board("shardload-run", "", [*variables()], [Row("Row", panels)]), cls=JSONEncoder)
    )
    board = Dashboard("run", settings)

    assert [panel.title for panel in board.panels][-1] == "Rows per call"
    assert lint.lint({**shipped, "run.json": board}, known) == []


def variables() -> list[boards.Variable]:
    """Return the variables of Run."""
    chosen = [
        boards.values(name, name, f"label_values({name})", several="any") for name in ("transaction", "generator")
    ]
    return [boards.datasource(), boards.target(), boards.run(), boards.source(), *chosen]


def test_the_files_are_what_the_source_makes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_check_names_files_that_differ_are_missing_or_too_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    (tmp_path / "run.json").write_text((tmp_path / "run.json").read_text().replace("Backlog", "Queue"))
    (tmp_path / "hosts.json").unlink()
    (tmp_path / "other.json").write_text("{}")

    assert main(["--check", "--folder", str(tmp_path)]) == 1

    assert capsys.readouterr().err.splitlines()[:3] == [
        f"{tmp_path}/hosts.json: missing",
        f"{tmp_path}/other.json: no module makes this file",
        f"{tmp_path}/run.json: differs from its source",
    ]


Json = dict[str, Any]


def _panel(settings: Json, title: str = "Backlog") -> Json:
    return next(dict_ for dict_ in settings["panels"] if dict_.get("title") == title)


def _query(old: str, new: str, title: str = "Backlog") -> Callable[[Json], None]:
    def change(settings: Json) -> None:
        target = _panel(settings, title)["targets"][0]
        assert old in target["expr"]
        target["expr"] = target["expr"].replace(old, new)

    return change


# By rule: a replacement in a query of Run, and the line that lint has for it.
BROKEN = {
    "mistyped metric": (
        _query("backlog_arrivals", "backlog_arivals"),
        'panel "Backlog" A: unknown metric shardload_generator_backlog_arivals',
    ),
    "mistyped label": (
        _query("generator=~", "generater=~"),
        'panel "Backlog" A: shardload_generator_backlog_arrivals has no label generater',
    ),
    "mistyped value": (
        _query('phase="response"', 'phase="respond"', "Response time"),
        'panel "Response time" A: shardload_duration_seconds_bucket has no phase="respond"',
    ),
    "unknown variable": (_query("$run", "$runs"), 'panel "Backlog" A: unknown variable runs'),
    "averaged percentiles": (
        _query("histogram_quantile(", "avg by (run_id) (histogram_quantile(", "Response time"),
        'panel "Response time": query A averages percentiles, which gives no percentile',
    ),
    "a table with the warm-up": (
        _query(" @ $results", "", TRANSACTIONS),
        f'panel "{TRANSACTIONS}": query A counts the warm-up',
    ),
    "both sources": (
        _query(',source="$source"', ""),
        'panel "Backlog" A: shardload_generator_backlog_arrivals is selected with all sources, which counts a run '
        "twice",
    ),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_copy_is_found(rule: str, shipped: dict[str, Dashboard], known: catalogue.Catalogue) -> None:
    change, fault = BROKEN[rule]
    settings = copy.deepcopy(shipped["run.json"].settings)
    change(settings)

    found = lint.lint({**shipped, "run.json": Dashboard("run", settings)}, known)

    assert f"run.json: {fault}" in found
