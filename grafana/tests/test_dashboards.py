"""The dashboards as they are shipped: drift, form, names. Each rule is shown to fail on a broken copy."""

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
from dashboards import boards, run_work
from dashboards.__main__ import FOLDER, main
from dashboards.boards import Row

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "java-samplers" / "src" / "test" / "resources" / "monitoring"
PAGES = [
    *(GOLDEN / f"{name}.prom" for name in ("generator", "controller", "postgresql", "citus", "mongodb", "ferretdb")),
    Path(__file__).with_name("node-exporter.prom"),
]
FILES = ["compare.json", "history.json", "hosts.json", "mongodb.json", "postgresql-citus.json", "run.json"]


@pytest.fixture(scope="module")
def known() -> catalogue.Catalogue:
    return catalogue.read(PAGES)


@pytest.fixture(scope="module")
def shipped() -> dict[str, Dashboard]:
    return {path.name: read(path) for path in sorted(FOLDER.glob("*.json"))}


def test_all_dashboards_are_there(shipped: dict[str, Dashboard]) -> None:
    assert list(shipped) == FILES


def test_no_dashboard_has_a_fault(shipped: dict[str, Dashboard], known: catalogue.Catalogue) -> None:
    assert lint.lint(shipped, known) == []


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


def _set(title: str, key: str, value: object) -> Callable[[Json], None]:
    def change(settings: Json) -> None:
        _panel(settings, title)[key] = value

    return change


def _default(key: str, value: object) -> Callable[[Json], None]:
    def change(settings: Json) -> None:
        _panel(settings)["fieldConfig"]["defaults"][key] = value

    return change


def _query(old: str, new: str, title: str = "Backlog") -> Callable[[Json], None]:
    def change(settings: Json) -> None:
        target = _panel(settings, title)["targets"][0]
        assert old in target["expr"]
        target["expr"] = target["expr"].replace(old, new)

    return change


def _same_id(settings: Json) -> None:
    _panel(settings)["id"] = _panel(settings, "Verdict")["id"]


def _onto_another(settings: Json) -> None:
    _panel(settings)["gridPos"] = dict(_panel(settings, "Verdict")["gridPos"])


def _other_source(settings: Json) -> None:
    _panel(settings)["targets"][0]["datasource"] = {"type": "prometheus", "uid": "mine"}


def _link(settings: Json) -> None:
    settings["links"][0]["url"] = "/d/shardload-host"


def _link_with(settings: Json) -> None:
    settings["links"][0]["url"] = "/d/shardload-history?var-run=$run"


def _carried(settings: Json) -> None:
    variable = next(one for one in settings["templating"]["list"] if one["name"] == "target")
    variable["multi"] = True


def _column_link(settings: Json) -> None:
    link = {"title": "Open", "url": "/d/shardload-hosts?from=${__data.fields.Begin.numeric}"}
    overrides = _panel(settings, "Transactions")["fieldConfig"]["overrides"]
    overrides[0]["properties"].append({"id": "links", "value": [link]})


def _legend(settings: Json) -> None:
    _panel(settings, "Errors by kind")["options"]["legend"]["calcs"] = ["sum", "max"]


def _mean_of_percentiles(settings: Json) -> None:
    _panel(settings, "Service time, from begun to answered")["options"]["legend"]["calcs"] = ["mean", "max"]


def _same_legend(settings: Json) -> None:
    targets = _panel(settings, "Backlog and workers")["targets"]
    targets[0]["legendFormat"] = targets[1]["legendFormat"].removesuffix(", workers")


def _listed(settings: Json) -> None:
    overrides = _panel(settings, "Rate by transaction, answered against asked")["fieldConfig"]["overrides"]
    overrides[:] = [each for each in overrides if each["properties"][0]["id"] != "custom.hideFrom"]


def _no_annotation(settings: Json) -> None:
    del settings["annotations"]["list"][0]["expr"]


def _annotation(settings: Json) -> None:
    settings["annotations"]["list"][0]["expr"] = "changes(shardload_run_info[1m]) > 0"


def _annotation_of_all(settings: Json) -> None:
    mark = settings["annotations"]["list"][0]
    mark["expr"] = mark["expr"].replace(',source="$source"', "")


def _variable(settings: Json) -> None:
    variable = next(one for one in settings["templating"]["list"] if one["name"] == "run")
    variable["query"]["query"] = "label_values(shardload_run_infos, run_id)"


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
    "mistyped variable of Grafana's own": (
        _query("$__rate_interval", "$__rate_intervall", "Errors by kind"),
        'panel "Errors by kind" A: unknown variable __rate_intervall',
    ),
    "sum over steps": (
        _legend,
        'panel "Errors by kind": its legend adds the values of all steps, which depends on the window',
    ),
    "mean of percentiles": (
        _mean_of_percentiles,
        'panel "Service time, from begun to answered": its legend shows the mean of percentiles, which is no '
        "percentile",
    ),
    "averaged percentiles": (
        _query("histogram_quantile(", "avg by (run_id) (histogram_quantile(", "Response time"),
        'panel "Response time": query A averages percentiles, which gives no percentile',
    ),
    "one series without a name of its own": (
        _same_legend,
        'panel "Backlog and workers": the legend of query A does not say how it differs from '
        '"generator {{generator}}, workers"',
    ),
    "both of two series in the legend": (
        _listed,
        'panel "Rate by transaction, answered against asked": the legend of query A does not say how it differs from '
        '"{{transaction}}, asked"',
    ),
    "a table with the warm-up": (
        _query(" @ $results", "", "Transactions"),
        'panel "Transactions": query A counts the warm-up',
    ),
    "annotation without a query": (_no_annotation, 'annotation "Start": without a query'),
    "link with a column that is not there": (
        _column_link,
        'panel "Transactions": a link uses the column Begin, which is not there',
    ),
    "several values for one": (
        _carried,
        "the link /d/shardload-hosts carries several values of target to where one is chosen",
    ),
    "no title": (_set("Backlog", "title", ""), "panel 6: without title"),
    "no description": (_set("Backlog", "description", " "), 'panel "Backlog": without description'),
    "no sentence": (_set("Backlog", "description", "Backlog"), 'panel "Backlog": the description is no sentence'),
    "no unit": (_default("unit", ""), 'panel "Backlog": without unit'),
    "unknown unit": (_default("unit", "seconds"), 'panel "Backlog": unknown unit seconds'),
    "no text for no value": (_default("noValue", ""), 'panel "Backlog": without a text for no value'),
    "no query": (_set("Backlog", "targets", []), 'panel "Backlog": without a query'),
    "fixed data source": (_other_source, 'panel "Backlog": the data source of query A is not the variable'),
    "fixed data source of a panel": (
        _set("Backlog", "datasource", {"uid": "mine"}),
        'panel "Backlog": its data source is not the variable',
    ),
    "overlap": (_onto_another, 'panel "Verdict" and panel "Backlog" overlap'),
    "beyond the grid": (
        _set("Backlog", "gridPos", {"x": 20, "y": 1, "w": 5, "h": 4}),
        'panel "Backlog" does not fit on the grid of 24 columns',
    ),
    "unequal height": (
        _set("Backlog", "gridPos", {"x": 19, "y": 1, "w": 2, "h": 3}),
        'panel "Verdict" and panel "Backlog" stand side by side and are not equally high',
    ),
    "same id": (_same_id, "several panels have the id 2"),
    "same title": (_set("Backlog", "title", "Verdict"), 'several panels have the title "Verdict"'),
    "dead link": (_link, "the link /d/shardload-host leads to no dashboard"),
    "link with a variable that is not there": (
        _link_with,
        "the link /d/shardload-history?var-run=$run sets var-run, which shardload: History does not have",
    ),
    "changes() in an annotation": (
        _annotation,
        'annotation "Start": changes() means different things to Prometheus and VictoriaMetrics',
    ),
    "both sources": (
        _query(',source="$source"', ""),
        'panel "Backlog" A: shardload_generator_backlog_arrivals is selected with all sources, which counts a run '
        "twice",
    ),
    "both sources of a metric without matchers": (
        _query("sum by (run_id) (", "sum by (run_id) (shardload_run_info or "),
        'panel "Backlog" A: shardload_run_info is selected with all sources, which counts a run twice',
    ),
    "both sources in an annotation": (
        _annotation_of_all,
        'annotation "Start": shardload_run_start_timestamp_seconds is selected with all sources, which counts a run '
        "twice",
    ),
    "mistyped metric of a variable": (_variable, "variable run: unknown metric shardload_run_infos"),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_copy_is_found(rule: str, shipped: dict[str, Dashboard], known: catalogue.Catalogue) -> None:
    change, fault = BROKEN[rule]
    settings = copy.deepcopy(shipped["run.json"].settings)
    change(settings)

    found = lint.lint({**shipped, "run.json": Dashboard("run", settings)}, known)

    assert f"run.json: {fault}" in found


def test_two_dashboards_with_one_uid_are_found(shipped: dict[str, Dashboard], known: catalogue.Catalogue) -> None:
    settings = {**shipped["run.json"].settings, "uid": "shardload-hosts"}

    found = lint.lint({**shipped, "run.json": Dashboard("run", settings)}, known)

    assert "run.json: another dashboard has the uid shardload-hosts as well" in found
