"use strict";
/* The heat map of classic histogram buckets. */

const VIRIDIS = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"];
const LEAST_COUNT = 1e-9;

function shade(share) {
  const place = share * (VIRIDIS.length - 1);
  const low = Math.min(VIRIDIS.length - 2, Math.floor(place));
  const mix = [1, 3, 5].map((at) => {
    const [from, to] = [VIRIDIS[low], VIRIDIS[low + 1]].map((stop) => parseInt(stop.slice(at, at + 2), 16));
    return Math.round(from + (to - from) * (place - low));
  });
  return `rgb(${mix.join(",")})`;
}

/* The counts between one bound and the next; the store's buckets are cumulative. Grafana shows all buckets, and most of
   them are far from any call: these are the ones from the first with a count to the last. */
function buckets(panel) {
  const sums = panel.answers.flatMap(({ series }) => series)
    .map(({ labels, values }) => ({ bound: Number(labels.le.replace("+Inf", "Infinity")), sums: new Map(values) }))
    .sort((a, b) => a.bound - b.bound);
  const times = [...new Set(sums.flatMap((each) => [...each.sums.keys()]))].sort((a, b) => a - b);
  const below = (at, time) => (at < 0 ? 0 : Number(sums[at].sums.get(time) || 0));
  const rows = sums.map(({ bound }, at) => (
    { bound, counts: times.map((time) => Math.max(0, below(at, time) - below(at - 1, time))) }));
  const isFull = ({ counts }) => counts.some((count) => count > LEAST_COUNT);
  const full = rows.map(isFull);
  return { times, rows: full.includes(true) ? rows.slice(full.indexOf(true), full.lastIndexOf(true) + 1) : rows };
}

function drawHeatmap(panel, box) {
  const { times, rows } = buckets(panel);
  if (!times.length) return noData(panel, box);
  const canvas = document.createElement("canvas");
  box.append(canvas);
  [canvas.width, canvas.height] = [box.clientWidth, box.clientHeight];
  const context = canvas.getContext("2d");
  const area = { left: 76, top: 6, width: canvas.width - 84, height: canvas.height - 34 };
  const most = Math.max(...rows.flatMap(({ counts }) => counts), LEAST_COUNT);
  const step = times.length > 1 ? Math.min(...times.slice(1).map((at, n) => at - times[n])) : 1;
  const xOf = (at) => area.left + ((at - data.from) / (data.to - data.from)) * area.width;
  const { steps, exponent } = panel.options.color;
  rows.forEach(({ counts }, row) => times.forEach((at, column) => {
    if (counts[column] <= LEAST_COUNT) return;
    context.fillStyle = shade(Math.round((counts[column] / most) ** exponent * (steps - 1)) / (steps - 1));
    const y = area.top + ((rows.length - 1 - row) / rows.length) * area.height;
    context.fillRect(xOf(at - step), y, Math.ceil(xOf(at) - xOf(at - step)), Math.ceil(area.height / rows.length));
  }));
  return heatmapAxes(panel.options.yAxis, context, area, rows, xOf);
}

function heatmapAxes(field, context, area, rows, xOf) {
  context.fillStyle = THEME.dim;
  context.font = "11px sans-serif";
  context.textAlign = "right";
  const every = Math.max(1, Math.ceil((rows.length * 20) / area.height));
  rows.forEach(({ bound }, at) => {
    const y = area.top + ((rows.length - 1 - at) / rows.length) * area.height;
    if (at % every === 0) context.fillText(bound === Infinity ? "more" : inUnit(bound, field), area.left - 6, y + 8);
  });
  context.textAlign = "center";
  for (let part = 0; part <= 8; part += 1) {
    const at = data.from + ((data.to - data.from) * part) / 8;
    context.fillText(moment(at).slice(11), Math.min(Math.max(xOf(at), area.left + 20), area.left + area.width - 24),
      area.top + area.height + 18);
  }
  for (const { color, times } of data.annotations)
    for (const at of times.filter((each) => each >= data.from && each <= data.to)) {
      context.fillStyle = color;
      context.fillRect(Math.round(xOf(at)), area.top, 1, area.height);
    }
}
