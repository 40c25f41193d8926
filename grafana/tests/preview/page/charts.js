"use strict";
/* Time series with uPlot: lines, points, stacked areas, thresholds, annotations. */

function alignedSeries(list) {
  const times = [...new Set(list.flatMap((series) => series.values.map(([at]) => at)))].sort((a, b) => a - b);
  const rows = list.map((series) => {
    const byTime = new Map(series.values);
    return times.map((at) => byTime.get(at) ?? null);
  });
  return { times, rows };
}

function stacked(rows) {
  let sums = [];
  return rows.map((row) => (sums = row.map((value, index) => (value || 0) + (sums[index] || 0))));
}

function line({ ctx }, color, dash, [x0, y0], [x1, y1]) {
  ctx.save();
  ctx.strokeStyle = color;
  ctx.setLineDash(dash);
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
  ctx.restore();
}

function annotationLines(plot) {
  const { top, height } = plot.bbox;
  for (const { color, times } of data.annotations)
    for (const at of times.filter((each) => each >= data.from && each <= data.to)) {
      const x = Math.round(plot.valToPos(at, "x", true));
      line(plot, color, [4, 3], [x, top], [x, top + height]);
    }
}

function thresholdLines({ custom, thresholds }) {
  return (plot) => {
    const { left, top, width, height } = plot.bbox;
    for (const { color, value } of custom.thresholdsStyle ? thresholds.steps : []) {
      const y = value === null ? -1 : Math.round(plot.valToPos(value, "y", true));
      if (y >= top && y <= top + height) line(plot, color, [8, 6], [left, y], [left + width, y]);
    }
  };
}

function scaleOf({ custom, min, max }) {
  if (custom.scaleDistribution?.type === "log") return { distr: 3, log: custom.scaleDistribution.log };
  return {
    range: (plot, least, most) => {
      if (least === null) return [0, 1];
      const [from, to] = [min ?? least, max ?? most];
      const isPositive = from >= 0;
      return uPlot.rangeNum(from, to === from ? from + (Math.abs(from) || 1) : to,
        { min: { pad: 0.1, soft: isPositive ? from : undefined, mode: isPositive ? 1 : 3 }, max: { pad: 0.1 } });
    },
  };
}

function axesOf(field) {
  const ink = { stroke: THEME.dim, grid: { stroke: THEME.grid, width: 1 }, ticks: { show: false }, font: "11px sans-serif" };
  const until = data.to - data.from < 300 ? 19 : 16;
  const named = (plot, ticks) => ticks.map((tick) => (tick === null ? "" : inUnit(tick, field)));
  return [{ ...ink, space: 80, size: 26, values: (plot, ticks) => ticks.map((at) => moment(at).slice(11, until)) },
    { ...ink, scale: "y", size: 74, space: 28, values: named }];
}

function lineOf({ name, color, values, field: { custom } }) {
  const isPoints = custom.drawStyle === "points";
  const isSingle = values.filter(([, value]) => value !== null).length < 2;
  return {
    label: name, scale: "y", stroke: color, width: custom.lineWidth, paths: isPoints ? () => null : undefined,
    fill: custom.fillOpacity ? color + Math.round((custom.fillOpacity / 100) * 255).toString(16).padStart(2, "0") : undefined,
    dash: custom.lineStyle?.dash, points: { show: isPoints || isSingle, size: custom.pointSize, fill: color },
  };
}

function drawTimeSeries(panel, box) {
  const list = seriesOf(panel).filter((series) => series.values.some(([, value]) => value !== null));
  if (!list.length) return noData(panel, box);
  const { defaults } = panel.fieldConfig;
  box.style.flexDirection = panel.options.legend.placement === "right" ? "row" : "column";
  const canvas = document.createElement("div");
  canvas.className = "chart";
  box.append(canvas, legendOf(panel, list));
  const { times, rows } = alignedSeries(list);
  const isStacked = defaults.custom.stacking?.mode === "normal";
  // The highest area is drawn first, so that it hides none.
  const lines = isStacked ? list.map(lineOf).reverse() : list.map(lineOf);
  return new uPlot({
    width: canvas.clientWidth, height: canvas.clientHeight, legend: { show: false }, cursor: { show: false },
    scales: { x: { time: true, min: data.from, max: data.to }, y: scaleOf(defaults) }, axes: axesOf(defaults),
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), "Etc/UTC"), series: [{}, ...lines],
    hooks: { draw: [annotationLines, thresholdLines(defaults)] },
  }, [times, ...(isStacked ? stacked(rows).reverse() : rows)], canvas);
}

const CALCULATIONS = { lastNotNull: "Last *", mean: "Mean", max: "Max", min: "Min" };

function legendOf(panel, list) {
  const { calcs, displayMode, placement } = panel.options.legend;
  const legend = document.createElement("div");
  legend.className = `legend ${placement}`;
  const rows = list.filter((series) => !series.field.custom.hideFrom?.legend).map(({ name, color, values, field }) => (
    [`<i style="background:${color}"></i>${escaped(name)}`,
      ...calcs.map((how) => inUnit(reduced(values.map((each) => each[1]), how), field))]));
  if (displayMode === "list") {
    legend.innerHTML = rows.map(([name, ...numbers]) => (
      `<span>${name} ${numbers.map((number, at) => `<em>${CALCULATIONS[calcs[at]]}:</em> ${number}`).join(" ")}</span>`)).join(" ");
    return legend;
  }
  const table = document.createElement("table");
  table.append(tableRow(["", ...calcs.map((each) => CALCULATIONS[each])], "th"));
  rows.forEach((row) => table.append(tableRow(row, "td")));
  legend.append(table);
  return legend;
}
