"""What the dashboards have in common: variables, annotations, links, and the order of rows and panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.models import dashboard as models

from . import palette
from .panels import SOURCE, Panel
from .promql import AT_ANY_TIME, RUN, last, select

TITLES = {
    "shardload-run": "Run",
    "shardload-hosts": "Hosts",
    "shardload-mongodb": "MongoDB",
    "shardload-postgresql": "PostgreSQL and Citus",
    "shardload-mariadb": "MariaDB",
    "shardload-compare": "Compare",
    "shardload-history": "History",
}

# The value in what query_result answers.
VALUE = "/^[^ ]* (-?[0-9.e+]+) /"

Variable = builders.QueryVariable | builders.DatasourceVariable | builders.ConstantVariable


@dataclass(frozen=True)
class Row:
    """A titled row of panels, from left to right; a collapsed one asks the store for nothing until it is opened."""

    title: str
    panels: Sequence[Panel]
    collapsed: bool = False


class _Annotation(models.AnnotationQuery):
    """An annotation whose time is the value of its series, in milliseconds; the SDK has no such field."""

    def __init__(self, name: str, colour: str, expr: str, text: str) -> None:
        super().__init__(name=name, datasource=SOURCE, icon_color=colour, expr=expr)
        self._text = text

    def to_json(self) -> dict[str, object]:
        """Return what Grafana reads."""
        own = {"useValueForTime": True, "titleFormat": self.name, "textFormat": self._text, "step": "1s"}
        return {**super().to_json(), **own}


class _AnnotationBuilder(builders.AnnotationQuery):
    def __init__(self, annotation: _Annotation) -> None:
        super().__init__()
        self._internal = annotation


def datasource() -> Variable:
    """Return the variable for the store."""
    return builders.DatasourceVariable("datasource").label("Data source").type("prometheus")


def values(
    name: str, label: str, query: str, *, several: str = "", newest_first: bool = False
) -> builders.QueryVariable:
    """Return a variable with a query of the store.

    With ``several`` several values can be chosen, and all of them are at first: ``any`` stands for whatever there is,
    ``listed`` for the values that the query found.
    """
    sort = models.VariableSort.ALPHABETICAL_DESC if newest_first else models.VariableSort.ALPHABETICAL_ASC
    variable = builders.QueryVariable(name).label(label).query({"query": query, "refId": name}).datasource(SOURCE)
    variable = variable.refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED).sort(sort)
    if not several:
        return variable
    everything = models.VariableOption(selected=True, text=["All"], value=["$__all"])
    variable = variable.multi(True).include_all(True).current(everything)
    return variable.all_value(".*") if several == "any" else variable


def asked(name: str, label: str, expression: str, pattern: str) -> builders.QueryVariable:
    """Return the variable with what a pattern finds in the answer to an expression."""
    return values(name, label, f"query_result({expression})", newest_first=True).regex(pattern)


def results() -> Variable:
    """Return the hidden variable for the time from which the calls of a run are its results, within the window.

    That is the start of the first step, stage or hold; of the ramp before one of these is reached; and of no call in
    the warm-up. A generator adds to its counters once a second, and a store scrapes them once a second. So results that
    follow another segment begin two seconds later. A store that lacks the controller's series knows no segments.
    """

    def starts(*matchers: str) -> str:
        return (
            f"min(last_over_time({select('shardload_segment_start_timestamp_seconds', RUN, *matchers)}{AT_ANY_TIME}))"
        )

    def after_others(matcher: str) -> str:
        return f"{starts(matcher)} + 2 * ({starts(matcher)} > bool {starts()})"

    kinds = ('kind!~"warm-up|ramp"', 'kind="ramp"')
    begun = " or ".join([*map(after_others, kinds), f"{starts()} * 0 + time()", "vector(0)"])
    variable = asked(
        "results", "Start of the results", f"clamp_min(clamp_max({begun}, time()), time() - $__range_s)", VALUE
    )
    return variable.hide(models.VariableHide.HIDE_VARIABLE)


def constant(name: str, label: str, value: str) -> Variable:
    """Return a variable that is never shown."""
    variable = builders.ConstantVariable(name).label(label).value(value)
    variable.build().hide = models.VariableHide.HIDE_VARIABLE
    return variable


def target() -> Variable:
    """Return the variable for the cluster under test."""
    return values("target", "Target", "label_values(shardload_run_info, target)")


def run() -> Variable:
    """Return the variable for a run of the target; its id begins with date and time."""
    return values("run", "Run", 'label_values(shardload_run_info{target="$target"}, run_id)', newest_first=True)


def bundle_first(variable: builders.QueryVariable) -> builders.QueryVariable:
    """Return a variable for the source of a run, whose first value is the one that is shown at first."""
    return variable.sort(models.VariableSort.ALPHABETICAL_ASC).description(
        "bundle: the series that shardload publish or export made from the run's files, first where there are some. "
        "live: those that the store scraped during the run."
    )


def source(*, hidden: bool = False) -> builders.QueryVariable:
    """Return the variable for the source of the run's series."""
    variable = bundle_first(values("source", "Source", 'label_values(shardload_run_info{run_id="$run"}, source)'))
    return variable.hide(models.VariableHide.HIDE_VARIABLE) if hidden else variable


def marks_of_run() -> list[_AnnotationBuilder]:
    """Return start, segments, faults, end and verdict of the run as marks on every panel.

    A gauge that lives for some seconds only, as the verdict's, would slip between two steps of the query: so each step
    asks for the last value in the window.
    """

    def at(name: str) -> str:
        return f"{last(select(name, RUN))} * 1000"

    segments = at("shardload_segment_start_timestamp_seconds")
    # "step-2" or, where a rate is asked, "step-2 at 200/s".
    named = f'label_replace(label_join({segments}, "at", " ", "segment", "rate"), "text", "$1", "segment", "(.*)")'
    segment = f'label_replace({named}, "text", "$1 at $2/s", "at", "([^ ]+) ([^ ]+)")'
    word = f"{last(select('shardload_run_exit_code', RUN))} * 0 + 1"
    verdict = f"{at('shardload_run_verdict_timestamp_seconds')} * on (run_id) group_left (verdict) ({word})"
    marks = [
        _Annotation("Start", palette.GREY, at("shardload_run_start_timestamp_seconds"), "{{run_id}}"),
        _Annotation("Segments", palette.SKY, segment, "{{kind}}: {{text}}"),
        _Annotation("Faults", palette.VERMILION, at("shardload_fault_timestamp_seconds"), "{{fault}} {{event}}"),
        _Annotation("End of load", palette.GREY, at("shardload_run_end_timestamp_seconds"), "{{run_id}}"),
        _Annotation("Verdict", palette.PURPLE, verdict, "{{verdict}}"),
    ]
    return [_AnnotationBuilder(mark) for mark in marks]


def board(
    uid: str,
    description: str,
    variables: Sequence[Variable],
    rows: Sequence[Row],
    *,
    window: str = "now-15m",
    refresh: str = "10s",
    marks: bool = True,
) -> models.Dashboard:
    """Return the dashboard, with links to the others that keep the window and the variables."""
    made = builders.Dashboard(f"shardload: {TITLES[uid]}").uid(uid).description(description).tags(["shardload"])
    made = made.variables(list(variables)).time(window, "now").refresh(refresh).timezone("browser").editable()
    made = made.tooltip(models.DashboardCursorSync.CROSSHAIR).annotations(list(marks_of_run() if marks else []))
    for other, title in TITLES.items():
        if other != uid:
            link = builders.DashboardLink(title).type(models.DashboardLinkType.LINK).url(f"/d/{other}")
            keep_time = "shardload-history" not in (uid, other)
            # History has several targets chosen at once, the others one; a row of its table carries all that is needed.
            keep_values = uid != "shardload-history"
            made = made.link(link.icon("dashboard").keep_time(keep_time).include_vars(keep_values).as_dropdown(False))
    number = 0
    for row in rows:
        number += 1
        head = builders.Row(row.title).id(number)
        panels = [panel.id(number + at) for at, panel in enumerate(row.panels, 1)]
        number += len(panels)
        for panel in panels if row.collapsed else ():
            head = head.with_panel(panel)
        made = made.with_row(head)
        for panel in () if row.collapsed else panels:
            made = made.with_panel(panel)
    return made.build()


def share_place(board: models.Dashboard, upper: str, lower: str) -> models.Dashboard:
    """Put the second of two neighbours below the first; each has the width of both and half of the height."""
    places = {each.title: each.grid_pos for each in board.panels or [] if isinstance(each, models.Panel)}
    above, below = places[upper], places[lower]
    assert above is not None and below is not None
    above.w = below.w = above.w + below.w
    above.h = below.h = below.h // 2
    below.x, below.y = above.x, above.y + above.h
    return board
