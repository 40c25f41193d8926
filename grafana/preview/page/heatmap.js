"use strict";
/* Heat maps of classic histogram buckets. */

const SCHEMES = {
  Oranges: ["#fff5eb", "#fdd0a2", "#fd8d3c", "#d94801", "#7f2704"],
  Blues: ["#f7fbff", "#c6dbef", "#6baed6", "#2171b5", "#08306b"],
  Greens: ["#f7fcf5", "#c7e9c0", "#74c476", "#238b45", "#00441b"],
  Viridis: ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"],
  Cividis: ["#00224e", "#434e6c", "#7d7c78", "#bcaf6f", "#fee838"],
  Inferno: ["#000004", "#57106e", "#bc3754", "#f98e09", "#fcffa4"],
  Magma: ["#000004", "#51127c", "#b73779", "#fc8961", "#fcfdbf"],
  Plasma: ["#0d0887", "#7e03a8", "#cc4778", "#f89540", "#f0f921"],
  Turbo: ["#30123b", "#28bceb", "#a4fc3c", "#fb7e21", "#7a0403"],
  Spectral: ["#5e4fa2", "#66c2a5", "#ffffbf", "#f46d43", "#9e0142"],
};
/* Drawn from light to dark; Grafana turns them round in the dark theme, so that little stays near the background. */
const LIGHT_FIRST = ["Oranges", "Blues", "Greens"];

function shade(scheme, share, reverse) {
  const stops = SCHEMES[scheme] || SCHEMES.Oranges;
  const turned = LIGHT_FIRST.includes(scheme) && theme === THEMES.dark;
  const place = (reverse !== turned ? 1 - share : share) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(place));
  const mix = [1, 3, 5].map((at) => {
    const [from, to] = [stops[low], stops[low + 1]].map((stop) => parseInt(stop.slice(at, at + 2), 16));
    return Math.round(from + (to - from) * (place - low));
  });
  return `rgb(${mix.join(",")})`;
}

/* The counts between one bound and the next; the store's buckets are cumulative. */
function buckets(panel) {
  const sums = new Map();
  for (const answer of panel.answers)
    for (const { name, labels, values } of answer.series) {
      const bound = Number(String(labels.le ?? name).replace("+Inf", "Infinity"));
      const sum = sums.get(bound) || new Map();
      for (const [at, value] of values) sum.set(at, (sum.get(at) || 0) + Number(value));
      sums.set(bound, sum);
    }
  const bounds = [...sums.keys()].sort((a, b) => a - b);
  const times = [...new Set([...sums.values()].flatMap((sum) => [...sum.keys()]))].sort((a, b) => a - b);
  const counts = bounds.map((bound, at) => times.map((time) => {
    const below = at ? sums.get(bounds[at - 1]).get(time) || 0 : 0;
    return Math.max(0, (sums.get(bound).get(time) || 0) - below);
  }));
  return { bounds, times, counts };
}

/* From the first bucket with a count to the last: Grafana shows all buckets, and most of them are far from any call. */
function inhabited(found) {
  const full = found.counts.map((row) => row.some((count) => count > 1e-9));
  const first = full.indexOf(true);
  const last = full.lastIndexOf(true);
  return first < 0 ? [0, found.bounds.length - 1] : [first, last];
}

function drawHeatmap(panel, box) {
  const found = buckets(panel);
  if (!found.times.length) return noData(box);
  const canvas = document.createElement("canvas");
  box.append(canvas);
  const [width, height] = [box.clientWidth, box.clientHeight];
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  const [first, last] = panel.options?.yAxis?.min !== undefined ? [0, found.bounds.length - 1] : inhabited(found);
  const rows = last - first + 1;
  const area = { left: 76, top: 6, width: width - 84, height: height - 34 };
  const options = panel.options?.color || {};
  const most = options.max ?? Math.max(...found.counts.flat(), 1e-9);
  const step = found.times.length > 1 ? Math.min(...found.times.slice(1).map((at, n) => at - found.times[n])) : 1;
  const xOf = (at) => area.left + ((at - data.from) / (data.to - data.from)) * area.width;
  const levels = (options.steps || 64) - 1;
  for (let row = first; row <= last; row += 1)
    found.times.forEach((at, column) => {
      const count = found.counts[row][column];
      if (count <= (panel.options?.filterValues?.le ?? 1e-9)) return;
      const share = Math.round(Math.min(1, (count / most) ** (options.exponent ?? 0.5)) * levels) / levels;
      context.fillStyle = options.mode === "opacity" ? faded(options.fill || "blue", share)
        : shade(options.scheme || "Oranges", share, Boolean(options.reverse));
      const y = area.top + ((last - row) / rows) * area.height;
      context.fillRect(xOf(at - step), y, Math.ceil(xOf(at) - xOf(at - step)), Math.ceil(area.height / rows));
    });
  heatmapAxes(panel, context, area, found.bounds.slice(first, last + 1), xOf);
  return canvas;
}

function heatmapAxes(panel, context, area, bounds, xOf) {
  const name = panel.options?.yAxis?.unit || panel.fieldConfig?.defaults?.unit;
  context.fillStyle = theme.dim;
  context.font = "11px sans-serif";
  context.textAlign = "right";
  const every = Math.max(1, Math.ceil((bounds.length * 20) / area.height));
  bounds.forEach((bound, at) => {
    const y = area.top + ((bounds.length - 1 - at) / bounds.length) * area.height;
    if (at % every === 0) context.fillText(bound === Infinity ? "more" : unit(bound, name), area.left - 6, y + 8);
  });
  context.textAlign = "center";
  for (let part = 0; part <= 8; part += 1) {
    const at = data.from + ((data.to - data.from) * part) / 8;
    context.fillText(moment(at).slice(11), Math.min(Math.max(xOf(at), area.left + 20), area.left + area.width - 24),
      area.top + area.height + 18);
  }
  for (const { color: shadeName, events } of data.annotations)
    for (const { time: at } of events) {
      if (at < data.from || at > data.to) continue;
      context.fillStyle = color(shadeName);
      context.fillRect(Math.round(xOf(at)), area.top, 1, area.height);
    }
}
