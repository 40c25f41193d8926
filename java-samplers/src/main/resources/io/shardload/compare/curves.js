// The study's charts: what each side did over the time of its runs, on the same axes. Thick: the median of a side's runs
// at each moment. Thin: its single runs.
const LOAD_CHARTS = [
  ['answered_per_second', 'RPS', 'answered operations per second'],
  ['search_ns.mean', 'Search', 'mean until the first row or the acknowledgement'],
  ['fetch_ns.mean', 'Fetch', 'mean of reading and decoding the rest']];
const SERVER_CHARTS = [
  ['server_cpu_ratio', 'CPU', 'busiest server machine, share of all its processors'],
  ['server_io_per_second', 'IOPS', 'disk reads and writes per second, all machines'],
  ['server_written_bytes_per_second', 'Bytes written', 'to disks per second, all machines'],
  ['server_read_bytes_per_second', 'Bytes read', 'from disks per second, all machines'],
  ['server_read_latency_seconds', 'Disk latency, reads', 'mean of a read, queueing included'],
  ['server_write_latency_seconds', 'Disk latency, writes', 'mean of a write, queueing included']];

const clock = (value) => value < 120 ? `${Math.round(value * 10) / 10}${NARROW_SPACE}s`
  : `${Math.floor(value / 60)}:${String(Math.round(value % 60)).padStart(2, '0')}`;

/** The unit of a chart, so that its ticks are round: {size, format, high}. */
function axisOf(key) {
  if (key.includes('_ns.')) return {size: 1, format: shortDuration};
  if (key.includes('_seconds')) return {size: 1e-9, format: shortDuration};
  // With room for the names of the segments.
  if (key.endsWith('_ratio')) return {size: 0.01, format: percent, high: 118};
  return {size: 1, format: key.includes('_bytes') ? byteRate : rate};
}

/** A chart of all sides; null where none has a value. grid: {width_seconds, end_seconds}. */
function sidesOverTime(grid, key, bySide, title, note) {
  const sides = SHOWN.filter((side) => bySide[side.label]);
  if (!sides.length) return null;
  const runsOf = (side) => bySide[side.label].runs;
  const medianOf = (side) => bySide[side.label].median;
  const axis = axisOf(key);
  const middle = (i) => (i * grid.width_seconds + Math.min(grid.end_seconds, (i + 1) * grid.width_seconds)) / 2;
  const points = (values) => values.map((value, i) => [middle(i), known(value) ? value / axis.size : null]);
  const line = (side, look, values) => ({name: side.label, look: `${side.look}.${look}`, points: points(values)});
  const series = [
    ...sides.flatMap((side) => runsOf(side).length > 1 ? runsOf(side).map((run) => line(side, 'thin', run)) : []),
    ...sides.map((side) => line(side, 'thick', medianOf(side)))];
  const lacking = SHOWN.filter((side) => !sides.includes(side)).map((side) => side.label).join(', ');
  return h('figure.over-time', {'data-figure': key}, h('figcaption', {}, title, h('small', {}, note + (lacking && `; no values for ${lacking}`))), chart({
    label: `${title} over time. ${sides.map((side) => spoken(side, key, medianOf(side))).join(' ')}`, series, height: 220,
    bands: data.over_time.segments.map((one) => ({...one, look: one.kind === 'warm-up' ? 'warm-up' : 'even'})),
    x: {kind: 'linear', low: 0, high: grid.end_seconds || 1, format: clock, name: 'time since the start'},
    y: {kind: 'linear', format: axis.format, high: axis.high},
    tip: (x) => [['at', clock(x)], ...sides.map((side) => [side.label, show(key, medianOf(side)[Math.floor(x / grid.width_seconds)])])]}));
}

/** A line in words: between which values it runs. */
function spoken(side, key, values) {
  const all = values.filter(known);
  if (!all.length) return `${side.label}: no common value.`;
  const [low, high] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
  return `${side.label}: from ${show(key, low)} to ${show(key, high)}.`;
}

function loadCharts(name) {
  const figures = data.over_time.load.transactions[name];
  return LOAD_CHARTS.map(([key, title, note]) => sidesOverTime(data.over_time.load, key, figures[key], title, note))
    .filter(Boolean);
}

function serverCharts() {
  const {servers} = data.over_time;
  return SERVER_CHARTS.map(([key, title, note]) => sidesOverTime(servers, key, servers.figures[key], title, note))
    .filter(Boolean);
}

/** Unknown figures of the server machines, and other loads in their figures; each sentence once, with its sides. */
function remarks() {
  const bySentence = new Map();
  const add = (side, text) => bySentence.set(text, [...(bySentence.get(text) || []), side]);
  SHOWN.forEach((side) => {
    side.servers.not_known.forEach((reason) => add(side, `not known: ${reason}`));
    side.servers.missing.forEach((reason) => add(side, reason));
    if (side.servers.shared) add(side, 'generators run on the server machines: these figures include their use');
  });
  return [...bySentence].map(([text, sides]) => h('li', {}, sides.map(letter), text));
}

function widthNote() {
  const [load, servers] = [data.over_time.load.width_seconds, data.over_time.servers.width_seconds];
  const each = (seconds) => seconds === 1 ? 'one second' : `${Number(seconds.toPrecision(3))} s`;
  const repeated = SHOWN.some((side) => counted(side).length > 1);
  return [repeated ? 'Thick lines: the median of a side’s runs at each moment, where more than half of them have a value. Thin lines: single runs.' : '',
    `A point is the mean over ${each(load)}${servers === load ? '' : `, of machines over ${each(servers)}`}; a gap means no value, not zero.`,
    'Compare search and fetch only within one driver.'].join(' ').trim();
}

function overTime() {
  if (!SHOWN.some((side) => counted(side).length)) return null;
  const load = h('div.charts.three', {});
  const draw = (name) => put(load, loadCharts(name));
  const names = Object.keys(data.over_time.load.transactions).filter(Boolean);
  draw(ALL);
  const said = remarks();
  const servers = serverCharts();
  return h('section', {id: 'over-time'}, h('div.heading', {}, h('h2', {}, 'Side by side over time'),
    choice('show', [[ALL, 'all transactions'], ...names.map((name) => [name, name])], draw)),
    h('p.note', {}, widthNote()), h('p.cast-key', {}, SHOWN.map((side) => h('span', {}, letter(side), side.name))), load,
    servers.length || said.length ? h('h3', {}, 'Server machines') : null,
    said.length ? h('ul.remarks', {}, said) : null, servers.length ? h('div.charts.three', {}, servers) : null);
}
