// Line charts in SVG: they follow the theme, print sharply and redraw when the width changes. What a reader does with them
// is in interaction.js.

const MARGIN = {top: 14, right: 14, bottom: 40, left: 62};

function niceStep(span, wanted) {
  const raw = span / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= raw);
}

function logScale(low, high, from, to) {
  const at = (v) => from + (to - from) * (Math.log10(v) - Math.log10(low)) / (Math.log10(high) - Math.log10(low));
  const decades = Math.log10(high / low);
  const within = decades > 4 ? [1] : decades > 2 ? [1, 3] : [1, 2, 5];
  const ticks = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    within.map((m) => m * 10 ** e).filter((tick) => tick >= low * 0.999 && tick <= high * 1.001).forEach((tick) => ticks.push(tick));
  }
  return {at, ticks, low, high};
}

/** From values to pixels, with ticks. A log scale has at least one whole decade. */
function scale(kind, low, high, from, to, wanted) {
  if (kind === 'log') return logScale(low, high, from, to);
  const step = niceStep(high - low || 1, wanted);
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + step * 1e-6; tick += step) ticks.push(tick);
  return {at: (v) => from + (to - from) * (v - low) / (high - low || 1), ticks, low, high};
}

/** Lowest and highest y, widened to tidy ends. */
function extent(series, kind) {
  const values = series.flatMap((one) => one.points.map((p) => p[1])).filter((v) => known(v) && (kind !== 'log' || v > 0));
  if (!values.length) return kind === 'log' ? [1e5, 1e7] : [0, 1];
  const high = values.reduce((a, b) => Math.max(a, b));
  if (kind !== 'log') {
    const step = niceStep(high * 1.05 || 1, 5);
    return [0, Math.ceil((high * 1.05 || 1) / step) * step];
  }
  const low = values.reduce((a, b) => Math.min(a, b));
  const down = [5, 2, 1].map((m) => m * 10 ** Math.floor(Math.log10(low))).find((v) => v <= low);
  const power = 10 ** Math.floor(Math.log10(high));
  return [down, Math.max(down * 10, [1, 2, 5, 10].map((m) => m * power).find((v) => v >= high))];
}

/** An SVG path; gaps where a point has no value, and a dot for a point between two gaps. */
function pathOf(points, x, y) {
  const isDrawn = (point) => point && known(point[1]) && (y.low > 0 ? point[1] > 0 : true);
  let path = '';
  points.forEach((point, i) => {
    if (!isDrawn(point)) return;
    const [before, after] = [isDrawn(points[i - 1]), isDrawn(points[i + 1])];
    path += `${before ? 'L' : 'M'}${x.at(point[0]).toFixed(1)} ${y.at(point[1]).toFixed(1)}${before || after ? '' : 'h0'}`;
  });
  return path;
}

/**
 * A chart. options: label, height, x {kind, low, high, ticks, format, name, link}, y {kind, format, high, name},
 * series [{name, look, points [[x, y]], dots}] (of several with one name the legend has the last), bands
 * [{from, to, name, look}], marks [{at, text}], tip(x) -> lines. Several charts may share a legend: it is
 * given, and shown(series) says what it shows. Charts with the same link share crosshair and zoom.
 */
function chart(options) {
  const hidden = new Set();
  const shown = options.shown || ((one) => !hidden.has(one.name));
  const frame = h('figure.chart', {});
  const canvas = h('div.canvas', {tabindex: STATIC ? null : 0});
  const named = [...new Map(options.series.map((one) => [one.name, one])).values()];
  // Of x, range is what is drawn; null for all of it.
  const view = {options, canvas, range: null};
  view.draw = () => {
    const [low, high] = view.range || [options.x.low, options.x.high];
    const within = (one) => view.range ? {...one, points: between(one.points, low, high, !one.dots)} : one;
    view.width = Math.max(260, canvas.clientWidth || 640);
    Object.assign(view, drawChart({...options, x: {...options.x, low, high}}, options.series.filter(shown).map(within), view.width));
    put(canvas, view.svg, view.range ? h('button.whole', {type: 'button'}, 'whole range') : null);
  };
  const legend = options.legend || h('figcaption.legend', {}, named.map((one) => legendItem(one, hidden, 'show or hide', view.draw)));
  frame.append(legend, canvas);
  redrawn(canvas, view.draw);
  frame.addEventListener('redraw', view.draw);
  frame.view = view;
  return frame;
}

/** The points from low to high; those of a line with its places at both ends. */
function between(points, low, high, isLine) {
  return points.flatMap((p, i) => {
    const next = isLine && points[i + 1];
    const ends = next ? [low, high].filter((x) => p[0] < x && x < next[0]) : [];
    const place = (x) => known(p[1]) && known(next[1]) ? p[1] + (next[1] - p[1]) * (x - p[0]) / (next[0] - p[0]) : null;
    return (p[0] >= low && p[0] <= high ? [p] : []).concat(ends.map((x) => [x, place(x)]));
  });
}

/** A name with a piece of its line; a click shows or hides it. */
function legendItem(one, hidden, title, changed) {
  if (STATIC) return h('span.item', {}, sample(one), one.name);
  return h('button', {type: 'button', 'aria-pressed': String(!hidden.has(one.name)), title,
    click: (event) => {
      const visible = hidden.delete(one.name) || !hidden.add(one.name);
      event.currentTarget.setAttribute('aria-pressed', String(visible));
      changed();
    }}, sample(one), one.name);
}

/** A short piece of a line, or a dot, as it looks in the chart. */
function sample(one) {
  return s('svg', {width: 22, height: 10, 'aria-hidden': 'true'}, one.dots
    ? s('circle.dot.' + one.look, {cx: 11, cy: 5, r: 3}) : s('path.line.' + one.look, {d: 'M1 5H21'}));
}

/** Draws at the next frame and whenever the width has changed. */
function redrawn(canvas, draw) {
  let before = -1;
  new ResizeObserver(() => requestAnimationFrame(() => {
    if (canvas.clientWidth !== before) {
      before = canvas.clientWidth;
      draw();
    }
  })).observe(canvas);
  draw();
}

function drawChart(options, series, width) {
  const height = options.height || 236;
  const right = width - MARGIN.right;
  const bottom = height - (options.x.name ? MARGIN.bottom : 24);
  const x = scale(options.x.kind, options.x.low, options.x.high, MARGIN.left, right, width / 90);
  const [low, high] = options.y.high ? [0, options.y.high] : extent(series, options.y.kind);
  const y = scale(options.y.kind, low, high, bottom, MARGIN.top, height < 200 ? 4 : 5);
  const svg = s('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': options.label});
  add(svg, (options.bands || []).filter((band) => band.to > x.low && band.from < x.high).map((band) => drawBand(band, x, bottom)));
  apart((options.marks || []).filter((one) => one.at >= x.low && one.at <= x.high), x).forEach((one) => {
    svg.append(s('path.hiccup', {d: `M${(x.at(one.at) - 4).toFixed(1)} ${MARGIN.top - 10}h8l-4 8z`}, s('title', {}, one.text)));
  });
  y.ticks.forEach((tick) => {
    svg.append(s('path.grid', {d: `M${MARGIN.left} ${y.at(tick).toFixed(1)}H${right}`}),
      s('text.tick', {x: MARGIN.left - 8, y: y.at(tick) + 4, 'text-anchor': 'end'}, options.y.format(tick)));
  });
  const ticks = (options.x.ticks || x.ticks).filter((t) => t >= options.x.low && t <= options.x.high);
  let end = -Infinity;
  ticks.forEach((tick) => {
    const text = options.x.format(tick);
    const half = 3.8 * text.length;
    const middle = Math.min(x.at(tick), width - half);
    const isFree = middle - half > end;
    if (isFree) end = middle + half;
    add(svg, s('path.grid.upright', {d: `M${x.at(tick).toFixed(1)} ${bottom}v5`}),
      isFree && s('text.tick', {x: middle, y: bottom + 18, 'text-anchor': 'middle'}, text));
  });
  svg.append(s('path.axis', {d: `M${MARGIN.left} ${bottom}H${right}`}),
    s('text.name', {x: right, y: height - 5, 'text-anchor': 'end'}, options.x.name));
  series.forEach((one) => {
    const full = one.points.filter((p) => known(p[1]));
    if (one.dots) {
      svg.append(s('g.dots.' + one.look, {'data-points': full.length}, full.filter((p) => y.low <= 0 || p[1] > 0).map((p) =>
        s('circle.dot.' + one.look, {cx: x.at(p[0]).toFixed(1), cy: y.at(p[1]).toFixed(1), r: width < 500 ? 1.4 : 1.9}))));
    } else {
      svg.append(s('path.line.' + one.look, {d: pathOf(one.points, x, y), 'data-points': full.length}));
    }
  });
  return {svg, x, bottom};
}

/** Marks that do not touch: of others the first. */
function apart(marks, x) {
  let last = -Infinity;
  return marks.filter((one) => {
    const isFree = x.at(one.at) - last >= 9;
    if (isFree) last = x.at(one.at);
    return isFree;
  });
}

function drawBand(band, x, bottom) {
  const from = x.at(Math.max(band.from, x.low));
  const to = x.at(Math.min(band.to, x.high));
  const width = band.name.length * 6.5 + 6;
  // The name of a fault, which may be short, is below those of the segments.
  const isFault = band.look === 'fault';
  const wide = isFault || to - from > width;
  const left = Math.min(from, x.at(x.high) - width);
  return s('g', {},
    s('rect.band.' + band.look, {x: from, y: MARGIN.top, width: Math.max(0, to - from), height: bottom - MARGIN.top}),
    s('path.edge', {d: `M${from.toFixed(1)} ${MARGIN.top}V${bottom}`}),
    wide ? s('text.band-name', {x: left + 5, y: MARGIN.top + (isFault ? 24 : 11)}, band.name) : null);
}
