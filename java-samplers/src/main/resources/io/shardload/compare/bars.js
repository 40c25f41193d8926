// Bars side by side: per transaction one bar for each side, with its letter, its value and a dot for each single run.
const BAR = {height: 11, gap: 3, head: 17, foot: 9, left: 22, value: 74};

/** A chart of a figure. rows: [{name, figures {label: {key: cell}}}]. */
function bars(title, note, key, rows, offer) {
  const cells = rows.flatMap((row) => SHOWN.map((side) => (row.figures[side.label] || {})[key])).filter(Boolean);
  const values = cells.flatMap((cell) => [cell.value, cell.at_least, ...cell.runs]).filter(known);
  if (!values.some((value) => value > 0)) return null;
  const high = values.reduce((a, b) => Math.max(a, b));
  const canvas = h('div.canvas', {});
  const draw = () => canvas.replaceChildren(
    drawBars(key, rows, high, Math.max(260, canvas.clientWidth || 480), `${title} side by side`, offer));
  redrawn(canvas, draw);
  return h('figure.bars', {}, h('figcaption', {}, title, note ? h('small', {}, note) : null), canvas);
}

function drawBars(key, rows, high, width, label, offer) {
  const head = (row) => row.name ? BAR.head : 0;
  const step = BAR.height + BAR.gap;
  const height = rows.reduce((sum, row) => sum + head(row) + SHOWN.length * step + BAR.foot, 0);
  const svg = s('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label});
  const x = (value) => BAR.left + (width - BAR.left - BAR.value) * value / high;
  let y = 0;
  rows.forEach((row) => {
    if (row.name) svg.append(s('text.group', {x: 0, y: y + 12}, row.name));
    y += head(row);
    SHOWN.forEach((side) => {
      svg.append(drawBar(side, key, (row.figures[side.label] || {})[key], x, y));
      const offered = offer && (row.figures[side.label] || {})[offer];
      if (offered && known(offered.value)) {
        svg.append(s('path.offer', {d: `M${x(Math.min(high, offered.value)).toFixed(1)} ${y - 1}v${BAR.height + 2}`}));
      }
      y += step;
    });
    y += BAR.foot;
  });
  return svg;
}

function drawBar(side, key, cell, x, y) {
  const isBound = cell !== undefined && known(cell.at_least);
  const value = isBound ? cell.at_least : cell ? cell.value : null;
  const end = known(value) ? x(value) : BAR.left;
  const runs = cell && cell.runs.length > 1 ? cell.runs.filter(known) : [];
  const reach = runs.reduce((a, run) => Math.max(a, x(run) + 3), end);
  const group = s('g.' + side.look, {'data-runs': runs.length},
    s('text.mark-letter', {x: BAR.left - 8, y: y + BAR.height - 1, 'text-anchor': 'end'}, side.label),
    s('path.track', {d: `M${BAR.left} ${y}v${BAR.height}`}),
    s(isBound ? 'rect.bar.bound' : 'rect.bar', {x: BAR.left, y, width: Math.max(0, end - BAR.left), height: BAR.height, rx: 2}),
    s('text.value', {x: reach + 6, y: y + BAR.height - 1}, known(value) ? showCell(key, cell) : 'not measured'));
  runs.forEach((run) => group.append(s('circle.run', {cx: x(run).toFixed(1), cy: y + BAR.height / 2, r: 2.2})));
  return group;
}

const perTransaction = () => Object.entries(data.transactions).map(([name, one]) => ({name, figures: one.figures}));

/** Search, fetch, service and response per transaction, for a percentile of the reader's choice. */
function latencies() {
  const grid = h('div.charts', {});
  const draw = (figure) => put(grid, [
    ['Search', 'until the first row or the acknowledgement', 'search'], ['Fetch', 'reading and decoding the rest', 'fetch'],
    ['Service', 'the whole call', 'service'], ['Response', 'from the moment it was due', 'response'],
  ].map(([title, note, series]) => bars(`${title}, ${figure}`, note, `${series}_ns.${figure}`, perTransaction())));
  draw('p50');
  return [choice('figure', ['p50', 'mean', 'p99'].map((name) => [name, name]), draw),
    h('p.note', {}, 'Bars: all runs of a side together, with their histograms added. Dots: single runs. Pale bars are lower bounds, because '
      + 'arrivals were dropped, or took over 60 s. Compare only service and response across systems: each driver defines search and fetch by its own protocol. Response has no mean if arrivals '
      + 'can be dropped.'), grid];
}

function throughput() {
  const sum = [{name: '', figures: data.sum.figures}];
  return [h('p.note', {}, 'The vertical line marks the offered rate. In an open model the rate shows only whether a side kept up.'),
  h('div.charts', {}, [
    bars('Achieved rate, all transactions', null, 'achieved_per_second', sum, 'offered_per_second'),
    bars('CPU of the busiest generator', 'share of its cores; not the server’s', 'generator_cpu_percent', sum),
    bars('Table on disk after the run', 'without indexes, all nodes together', 'table_bytes', sum),
    bars('Indexes on disk after the run', 'all nodes together', 'index_bytes', sum),
    ...PER_OPERATION.map(([key, name]) => bars(name.replace('server', 'Server'), 'all server machines together', key, sum)),
    bars('Refused calls by transaction', 'a guard of the workload was not met', 'refused_percent', perTransaction()),
    bars('Achieved rate by transaction', null, 'achieved_per_second', perTransaction(), 'offered_per_second'),
  ])];
}
