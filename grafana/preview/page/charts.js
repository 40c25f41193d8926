"use strict";
/* Time series with uPlot: lines, areas, bars, stacks, two axes, thresholds, annotations. */

function alignedSeries(list) {
  const times = [...new Set(list.flatMap((series) => series.values.map(([at]) => at)))].sort((a, b) => a - b);
  const rows = list.map((series) => {
    const byTime = new Map(series.values);
    return times.map((at) => byTime.get(at) ?? null);
  });
  return { times, rows };
}

function stacked(list, rows) {
  const sums = {};
  return rows.map((row, at) => {
    const stacking = list[at].field.custom.stacking;
    if (!stacking || stacking.mode === "none") return row;
    const key = stacking.group || "A";
    sums[key] = row.map((value, index) => (value || 0) + ((sums[key] || [])[index] || 0));
    return sums[key];
  });
}

function annotationLines(annotations) {
  return (plot) => {
    const { ctx, bbox } = plot;
    for (const { color: name, events } of annotations)
      for (const { time: at } of events) {
        if (at < plot.scales.x.min || at > plot.scales.x.max) continue;
        const x = Math.round(plot.valToPos(at, "x", true));
        ctx.save();
        ctx.strokeStyle = color(name);
        ctx.setLineDash([4, 3]);
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
        ctx.restore();
      }
  };
}

function thresholdLines(list) {
  return (plot) => {
    const field = list[0].field;
    const mode = field.custom.thresholdsStyle?.mode || "off";
    if (mode === "off") return;
    for (const step of field.thresholds?.steps || []) {
      if (step.value === null || step.value === undefined) continue;
      const y = Math.round(plot.valToPos(step.value, scaleOf(list[0]), true));
      if (y < plot.bbox.top || y > plot.bbox.top + plot.bbox.height) continue;
      plot.ctx.save();
      plot.ctx.strokeStyle = color(step.color);
      plot.ctx.setLineDash(mode.startsWith("dashed") ? [8, 6] : []);
      plot.ctx.beginPath();
      plot.ctx.moveTo(plot.bbox.left, y);
      plot.ctx.lineTo(plot.bbox.left + plot.bbox.width, y);
      plot.ctx.stroke();
      plot.ctx.restore();
    }
  };
}

const scaleOf = (series) => `${series.field.custom.axisPlacement === "right" ? "right" : "left"}:${series.field.unit || ""}`;

function scalesOf(list) {
  const scales = { x: { time: true, min: data.from, max: data.to } };
  for (const series of list) {
    const { custom, min, max } = series.field;
    const log = custom.scaleDistribution?.type === "log";
    const low = min ?? custom.axisSoftMin;
    const high = max ?? custom.axisSoftMax;
    scales[scaleOf(series)] ??= log ? { distr: 3, log: custom.scaleDistribution.log || 10 } : {
      range: (plot, least, most) => {
        if (least === null) return [0, 1];
        const from = low !== undefined ? Math.min(low, min ?? least) : least;
        const to = high !== undefined ? (max ?? Math.max(high, most)) : most;
        return uPlot.rangeNum(from, to === from ? from + (Math.abs(from) || 1) : to,
          { min: { pad: 0.1, soft: from === low || from >= 0 ? from : undefined, mode: from >= 0 ? 1 : 3 }, max: { pad: 0.1 } });
      },
    };
  }
  return scales;
}

function axesOf(list) {
  const ink = { stroke: theme.dim, grid: { stroke: theme.grid, width: 1 }, ticks: { show: false }, font: "11px sans-serif" };
  const fine = data.to - data.from < 300;
  const axes = [{ ...ink, space: 80, size: 26, values: (plot, ticks) => ticks.map((at) => moment(at).slice(11, fine ? 19 : 16)) }];
  const seen = new Set();
  for (const series of list) {
    const scale = scaleOf(series);
    if (seen.has(scale)) continue;
    const right = series.field.custom.axisPlacement === "right" || seen.size > 0;
    seen.add(scale);
    const labelled = series.field.custom.axisLabel;
    axes.push({ ...ink, scale, side: right ? 1 : 3, size: 74, space: 28, grid: { ...ink.grid, show: seen.size === 1 },
      label: labelled || undefined, labelSize: labelled ? 18 : 0, labelFont: "11px sans-serif",
      values: (plot, ticks) => ticks.map((tick) => (tick === null ? "" : unit(tick, series.field.unit, series.field.decimals))) });
  }
  return axes;
}

function lineOf(series) {
  const { custom } = series.field;
  const style = custom.drawStyle || "line";
  const bars = style === "bars";
  const opacity = (custom.fillOpacity || 0) / 100;
  const smooth = { smooth: uPlot.paths.spline, stepBefore: null, stepAfter: null }[custom.lineInterpolation];
  let paths;
  if (bars) paths = uPlot.paths.bars({ size: [0.8, 24] });
  else if (style === "points") paths = () => null;
  else if (custom.lineInterpolation?.startsWith("step"))
    paths = uPlot.paths.stepped({ align: custom.lineInterpolation === "stepAfter" ? 1 : -1 });
  else if (smooth) paths = smooth();
  const single = series.values.filter(([, value]) => value !== null).length < 2;
  const points = style === "points" || custom.showPoints === "always" || single;
  return {
    label: series.name, scale: scaleOf(series), stroke: series.color, width: custom.lineWidth ?? 1, paths,
    fill: opacity ? faded(series.color, opacity) : undefined, spanGaps: custom.spanNulls === true,
    dash: custom.lineStyle?.fill === "dash" ? custom.lineStyle.dash || [10, 6] : custom.lineStyle?.fill === "dot" ? [1, 5] : undefined,
    points: { show: points, size: custom.pointSize || 5, fill: series.color },
  };
}

function drawTimeSeries(panel, box) {
  const list = seriesOf(panel).filter((series) => !series.field.custom.hideFrom?.viz
    && series.values.some(([, value]) => value !== null));
  if (!list.length) return noData(box);
  const legend = drawLegend(panel, list);
  const side = panel.options?.legend?.placement === "right";
  box.style.flexDirection = side ? "row" : "column";
  const canvas = document.createElement("div");
  canvas.className = "chart";
  box.append(canvas, ...(legend ? [legend] : []));
  const { times, rows } = alignedSeries(list);
  const order = list.map((each, at) => at).reverse();
  const values = stacked(list, rows);
  const isStacked = list.some((series) => (series.field.custom.stacking?.mode || "none") !== "none");
  const at = isStacked ? order : [...list.keys()];
  const plot = new uPlot({
    width: Math.max(50, canvas.clientWidth), height: Math.max(40, canvas.clientHeight), legend: { show: false },
    cursor: { show: false }, scales: scalesOf(list), axes: axesOf(list), tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), "Etc/UTC"),
    series: [{}, ...at.map((index) => lineOf(list[index]))],
    hooks: { draw: [annotationLines(data.annotations), thresholdLines(list)] },
  }, [times, ...at.map((index) => values[index])], canvas);
  return plot;
}

function drawLegend(panel, list) {
  const options = panel.options?.legend || {};
  if (options.showLegend === false || options.displayMode === "hidden") return null;
  const calcs = options.calcs || [];
  const shownOnes = list.filter((series) => !series.field.custom.hideFrom?.legend);
  const asTable = options.displayMode === "table";
  const outer = document.createElement("div");
  outer.className = `legend ${options.placement === "right" ? "right" : "below"}${asTable ? "" : " entries"}`;
  const legend = asTable ? document.createElement("table") : outer;
  if (asTable) outer.append(legend);
  if (asTable) legend.append(tableRow(["", ...calcs.map((each) => CALCS[each] || each)], "th"));
  for (const series of shownOnes) {
    const numbers = calcs.map((how) => {
      const value = reduce(series.values.map((each) => each[1]), how);
      return value === null ? "" : unit(value, series.field.unit, series.field.decimals);
    });
    const mark = `<i style="background:${series.color}"></i>`;
    if (asTable) legend.append(tableRow([mark + escaped(series.name), ...numbers], "td"));
    else {
      const entry = document.createElement("span");
      const named = numbers.map((number, at) => ` ${CALCS[calcs[at]] || calcs[at]}: ${number}`).join("");
      entry.innerHTML = mark + escaped(series.name + named);
      legend.append(entry);
    }
  }
  return outer;
}

const CALCS = { lastNotNull: "Last *", last: "Last", mean: "Mean", max: "Max", min: "Min", sum: "Total", range: "Range" };
