"""The kinds of panels: lines, tiles, heat maps and tables, each with title, description, unit and text for no value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Union

from grafana_foundation_sdk.builders import common as common_builders
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.builders import heatmap, prometheus, stat, table, timeseries
from grafana_foundation_sdk.models import common
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models import heatmap as heatmap_models
from grafana_foundation_sdk.models import prometheus as prometheus_models

from . import palette

Panel = Union[timeseries.Panel, stat.Panel, heatmap.Panel, table.Panel]

SOURCE = models.DataSourceRef(type_val="prometheus", uid="${datasource}")
NO_DATA = "no data"
# How the legends of servers and hosts end.
ROLE = "({{role}})"


@dataclass(frozen=True)
class Query:
    """A query; the step is the scrape interval of its series where that is not the datasource's."""

    expr: str
    legend: str = ""
    step: str = ""


@dataclass(frozen=True)
class Look:
    """How a panel looks; the keys of ``colours``, ``dashed`` and ``unlisted`` are patterns of series' names.

    A panel of at least half the width has its legend to the right of the chart, unless ``legend_below`` or ``inline``
    is set. All other panels have the legend below the chart and are higher; with ``inline`` it is a line, not a table.
    """

    span: int = 12
    height: int = 0
    colours: Mapping[str, str] = field(default_factory=dict)
    dashed: str = ""
    unlisted: str = ""
    # Series that match the same pattern get different shades of its colour.
    shades: bool = False
    legend_below: bool = False
    inline: bool = False
    stacked: bool = False
    log: bool = False
    points: bool = False
    maximum: float | None = None
    decimals: int | None = None
    # From this value on it is a warning, and from the second one bad.
    limits: tuple[float, ...] = ()
    # Columns of the legend; mean and maximum if none are given, for percentiles the last value and the maximum.
    calcs: tuple[str, ...] | None = None
    no_value: str = NO_DATA

    @property
    def is_wide(self) -> bool:
        """Return whether the legend has room to the right of the chart."""
        return self.span >= 12 and not self.legend_below and not self.inline

    @property
    def rows(self) -> int:
        """Return the height in rows of the grid."""
        return self.height or (8 if self.is_wide else 9)


def _targets(
    queries: Sequence[Query], kind: prometheus_models.PromQueryFormat, instant: bool
) -> list[prometheus.Dataquery]:
    targets = []
    for number, query in enumerate(queries):
        target = prometheus.Dataquery().expr(query.expr).ref_id(chr(ord("A") + number)).format(kind)
        target = target.datasource(SOURCE).editor_mode(prometheus_models.QueryEditorMode.CODE)
        target = target.instant() if instant else target.range()
        target = target.legend_format(query.legend or "__auto")
        targets.append(target.interval(query.step) if query.step else target)
    return targets


def thresholds(limits: Sequence[float], base: str = palette.GOOD) -> builders.ThresholdsConfig:
    """Return the steps good, warning, bad; with one limit good and bad."""
    colours = [palette.BAD] if len(limits) == 1 else [palette.WARN, palette.BAD]
    steps = [models.Threshold(value=None, color=base if limits else palette.BLUE)]
    steps += [models.Threshold(value=limit, color=colour) for limit, colour in zip(limits, colours)]
    return builders.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(steps)


def lines(
    title: str, description: str, unit: str, queries: Sequence[Query], look: Look | None = None
) -> timeseries.Panel:
    """Return a panel of lines over time, with a legend as table.

    Servers and hosts, whose names end in their role, get shades of the role's colour.
    """
    look = look or Look()
    if look.calcs is None:
        are_percentiles = any("histogram_quantile(" in query.expr for query in queries)
        look = replace(look, calcs=("lastNotNull", "max") if are_percentiles else ("mean", "max"))
    if not look.colours and any(ROLE in query.legend for query in queries):
        look = replace(look, colours=palette.ROLES, shades=True)
    panel = timeseries.Panel().title(title).description(description).unit(unit).no_value(look.no_value)
    panel = panel.datasource(SOURCE).span(look.span).height(look.rows)
    panel = panel.targets(list(_targets(queries, prometheus_models.PromQueryFormat.TIME_SERIES, instant=False)))
    panel = panel.line_width(1.5).fill_opacity(40 if look.stacked else 0).point_size(7 if look.points else 4)
    panel = panel.show_points(common.VisibilityMode.ALWAYS if look.points else common.VisibilityMode.NEVER)
    panel = panel.draw_style(common.GraphDrawStyle.POINTS if look.points else common.GraphDrawStyle.LINE)
    panel = panel.color_scheme(builders.FieldColor().mode(models.FieldColorModeId.PALETTE_CLASSIC_BY_NAME))
    tooltip = (
        common_builders.VizTooltipOptions().mode(common.TooltipDisplayMode.MULTI).sort(common.SortOrder.DESCENDING)
    )
    panel = panel.legend(_legend(look)).tooltip(tooltip).thresholds(thresholds(look.limits))
    if look.limits:
        style = common_builders.GraphThresholdsStyleConfig().mode(common.GraphThresholdsStyleMode.DASHED)
        panel = panel.thresholds_style(style)
    if look.stacked:
        panel = panel.stacking(common_builders.StackingConfig().mode(common.StackingMode.NORMAL).group("A"))
    if look.log:
        scale = common_builders.ScaleDistributionConfig().type(common.ScaleDistribution.LOG).log(10)
        panel = panel.scale_distribution(scale)
    else:
        panel = panel.min(0)
    if look.maximum is not None:
        panel = panel.max(look.maximum)
    if look.decimals is not None:
        panel = panel.decimals(look.decimals)
    return _with_overrides(panel, look)


def _legend(look: Look) -> common_builders.VizLegendOptions:
    place = common.LegendPlacement.RIGHT if look.is_wide else common.LegendPlacement.BOTTOM
    legend = common_builders.VizLegendOptions().show_legend(True).placement(place).calcs(list(look.calcs or ()))
    is_table = look.calcs and not look.inline
    return legend.display_mode(common.LegendDisplayMode.TABLE if is_table else common.LegendDisplayMode.LIST)


def _with_overrides(panel: timeseries.Panel, look: Look) -> timeseries.Panel:
    mode = "shades" if look.shades else "fixed"
    for pattern, colour in look.colours.items():
        panel = panel.override_by_regexp(pattern, [coloured(colour, mode)])
    if look.dashed:
        dashes = models.DynamicConfigValue(id_val="custom.lineStyle", value={"fill": "dash", "dash": [8, 6]})
        panel = panel.override_by_regexp(look.dashed, [dashes])
    if look.unlisted:
        hidden = {"legend": True, "tooltip": False, "viz": False}
        hide = models.DynamicConfigValue(id_val="custom.hideFrom", value=hidden)
        panel = panel.override_by_regexp(look.unlisted, [hide])
    return panel


def coloured(colour: str, mode: str) -> models.DynamicConfigValue:
    """Return the property that gives series this colour (fixed), or each of them a shade of it."""
    return models.DynamicConfigValue(id_val="color", value={"mode": mode, "fixedColor": colour})


@dataclass(frozen=True)
class Tile:
    """How a tile looks: its limits colour the value, its words replace numbers (each with a colour)."""

    span: int = 4
    height: int = 4
    limits: tuple[float, ...] = ()
    words: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    decimals: int | None = None
    spark: bool = False
    # With a spark line: the mean over the window, not the last value.
    mean: bool = False
    no_value: str = NO_DATA


def tile(title: str, description: str, unit: str, queries: Sequence[Query], look: Tile | None = None) -> stat.Panel:
    """Return a tile with a value of each query: of the whole range with a spark line, else of an instant."""
    look = look or Tile()
    panel = stat.Panel().title(title).description(description).unit(unit).no_value(look.no_value)
    panel = panel.datasource(SOURCE).span(look.span).height(look.height).thresholds(thresholds(look.limits))
    panel = panel.targets(
        list(_targets(queries, prometheus_models.PromQueryFormat.TIME_SERIES, instant=not look.spark))
    )
    reduce = (
        common_builders.ReduceDataOptions().calcs(["mean" if look.mean else "lastNotNull"]).values(False).fields("")
    )
    panel = panel.reduce_options(reduce).orientation(common.VizOrientation.AUTO)
    panel = panel.graph_mode(common.BigValueGraphMode.AREA if look.spark else common.BigValueGraphMode.NONE)
    panel = panel.color_mode(common.BigValueColorMode.VALUE).justify_mode(common.BigValueJustifyMode.AUTO)
    several = len(queries) > 1 or any("{{" in query.legend for query in queries)
    panel = panel.text_mode(common.BigValueTextMode.VALUE_AND_NAME if several else common.BigValueTextMode.VALUE)
    if look.words:
        panel = panel.mappings([mapping(look.words)])
    return panel if look.decimals is None else panel.decimals(look.decimals)


def mapping(words: Mapping[str, tuple[str, str]]) -> models.ValueMap:
    """Return the mapping of values to words with colours."""
    results = enumerate(words.items())
    return models.ValueMap(
        {value: models.ValueMappingResult(text=text, color=colour, index=n) for n, (value, (text, colour)) in results}
    )


def heat(title: str, description: str, unit: str, query: Query, look: Look | None = None) -> heatmap.Panel:
    """Return a heat map of buckets over time."""
    look = look or Look()
    panel = heatmap.Panel().title(title).description(description).unit(unit).no_value(look.no_value)
    panel = panel.datasource(SOURCE).span(look.span).height(look.rows).max_data_points(240)
    panel = panel.targets(list(_targets([query], prometheus_models.PromQueryFormat.HEATMAP, instant=False)))
    axis = heatmap.YAxisConfig().unit(unit).axis_placement(common.AxisPlacement.LEFT)
    colours = heatmap.HeatmapColorOptions().mode(heatmap_models.HeatmapColorMode.SCHEME).scheme("Viridis").steps(64)
    colours = (
        colours.fill("dark-orange").exponent(0.5).scale(heatmap_models.HeatmapColorScale.EXPONENTIAL).reverse(False)
    )
    panel = panel.calculate(False).y_axis(axis).color(colours).cell_gap(0).show_legend()
    panel = panel.cell_values(heatmap.CellValues().unit("ops")).filter_values(heatmap.FilterValueRange().le(1e-9))
    return panel.show_value(common.VisibilityMode.NEVER).mode(common.TooltipDisplayMode.SINGLE).hide_y_histogram()


@dataclass(frozen=True)
class Column:
    """A column of a table: a label of the series, or the value of a query; without a name it is not shown."""

    name: str
    query: str = ""
    unit: str = "string"
    label: str = ""
    decimals: int | None = None
    width: int | None = None
    words: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    link: tuple[str, str] | None = None


def rows(title: str, description: str, columns: Sequence[Column], sort: str, look: Look | None = None) -> table.Panel:
    """Return a table with a row per set of labels; the queries' results are merged by these."""
    look = look or Look(span=24)
    queries = [Query(column.query) for column in columns if column.query]
    panel = table.Panel().title(title).description(description).unit("short").no_value(look.no_value)
    panel = panel.datasource(SOURCE).span(look.span).height(look.rows).show_header(True)
    panel = panel.targets(list(_targets(queries, prometheus_models.PromQueryFormat.TABLE, instant=True)))
    panel = panel.sort_by([common_builders.TableSortByFieldState().display_name(sort).desc(True)])
    names, unwanted, letter = {}, [], ord("A")
    for column in columns:
        field_name = column.label
        if column.query:
            field_name = f"Value #{chr(letter)}" if len(queries) > 1 else "Value"
            letter += 1
        if column.name:
            names[field_name] = column.name
        else:
            unwanted.append(field_name)
    order = {name: number for number, name in enumerate(names)}
    merge = models.DataTransformerConfig(id_val="merge", options={})
    hidden = dict.fromkeys(["Time", *unwanted], True)
    options = {"excludeByName": hidden, "indexByName": order, "renameByName": names}
    panel = panel.transformations([merge, models.DataTransformerConfig(id_val="organize", options=options)])
    for column in columns:
        if column.name:
            panel = panel.override_by_name(column.name, _column(column))
    return panel


def _column(column: Column) -> list[models.DynamicConfigValue]:
    properties: dict[str, object] = {"unit": column.unit}
    if column.decimals is not None:
        properties["decimals"] = column.decimals
    if column.width is not None:
        properties["custom.width"] = column.width
    if column.words:
        properties["mappings"] = [mapping(column.words)]
        properties["custom.cellOptions"] = {"type": "color-text"}
    if column.link is not None:
        properties["links"] = [{"title": column.link[0], "url": column.link[1]}]
    return [models.DynamicConfigValue(id_val=name, value=value) for name, value in properties.items()]
