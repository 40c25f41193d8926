// What the machines did: charts on the time axis of the load, a colour per machine, and their means.

/** So many colours there are, and so many machines are shown at first. */
const MACHINE_COLOURS = 8;

const ratio = (value) => percent(known(value) ? 100 * value : null);

const diskTime = (value) => shortDuration(known(value) ? value * 1e9 : null);

/**
 * Of each: what is drawn as a whole and as a dashed line; what there can be no figure without; where
 * the scale ends, with room for the names of the segments.
 */
const MACHINE_CHARTS = [
  {title: 'Processors', lines: [['in use', 'cpu_ratio'], ['idle, waiting for a disk', 'iowait_ratio']], show: ratio, most: 1.18},
  {title: 'Disk operations', lines: [['reads', 'reads_per_second'], ['writes', 'writes_per_second']], show: (v) => rate(v) + (known(v) ? '/s' : '')},
  {title: 'Disk latency', lines: [['reads', 'read_latency_seconds'], ['writes', 'write_latency_seconds']], show: diskTime, of: ['reads_per_second', 'writes_per_second']},
  {title: 'Busiest disk', lines: [['time with an operation in flight', 'disk_busy_ratio']], show: ratio, most: 1.18},
  {title: 'Bytes read and written', lines: [['read', 'read_bytes_per_second'], ['written', 'written_bytes_per_second']], show: byteRate},
  {title: 'Network', lines: [['received', 'received_bytes_per_second'], ['sent', 'sent_bytes_per_second']], show: byteRate},
];

const machineName = (one) => `${one.host} (${one.role})`;

/** Servers first; of more machines than colours those whose processors were busiest are shown. */
function rankedMachines() {
  const means = (data.summary.hosts || {}).list || [];
  const all = data.machines.machines.map((one, i) => ({...one, name: machineName(one), cpu: (means[i] || {}).cpu_ratio ?? -1}));
  all.sort((a, b) => b.server - a.server || (all.length > MACHINE_COLOURS ? b.cpu - a.cpu : 0));
  return all.map((one, i) => ({...one, look: `m${i % MACHINE_COLOURS}`}));
}

function machineSeries(all, lines) {
  const {edges} = data.machines;
  const xs = edges.slice(0, -1).map((edge, i) => (edge + edges[i + 1]) / 2);
  return all.flatMap((one) => lines.map(([what, key], dashed) => ({machine: one, what, name: `${one.name} ${what}`,
    look: one.look + (dashed ? '.dashed' : ''), points: xs.map((x, i) => [x, (one.figures[key] || [])[i]])})))
    .filter((each) => each.points.some((p) => known(p[1])));
}

/** A disk's latency spans powers of ten; a line at a rate should begin at zero. */
function machineScale(of, series) {
  const values = series.flatMap((one) => one.points.map((p) => p[1])).filter((v) => v > 0);
  const spread = values.reduce((a, b) => Math.max(a, b), 0) / values.reduce((a, b) => Math.min(a, b), Infinity);
  return {kind: of.of && spread > 40 ? 'log' : 'linear', format: of.show, high: of.most};
}

function machineChart(of, all, hidden) {
  const series = machineSeries(all, of.lines);
  const unknown = all.filter((one) => ![...of.lines.map((line) => line[1]), ...(of.of || [])].some((key) => one.figures[key]));
  const lacking = unknown.length ? h('p.note', {}, `Not known for ${unknown.map((one) => one.name).join(', ')}.`) : null;
  if (!series.length) return h('div', {}, h('h3', {}, of.title), lacking || h('p.note', {}, 'No activity.'));
  const kinds = of.lines.map(([what], dashed) => h('span.kind', {}, sample({look: 'kind' + (dashed ? '.dashed' : '')}), what));
  const shown = (one) => !hidden.has(one.machine.name);
  return h('div', {}, chart({label: `${of.title} of the machines over time`, height: 160, series, shown,
    legend: h('figcaption.legend', {}, h('h3', {}, of.title), kinds), bands: bands(), marks: hiccupMarks(), x: {...timeAxis(), name: ''}, y: machineScale(of, series),
    tip: (x) => [['at', seconds(x)], ...series.filter(shown).map((one) => [one.name, of.show((one.points.find((p) => p[0] === x) || [])[1])])]}), lacking);
}

/** One legend for all charts: a click shows or hides a machine in each of them. */
function machineLegend(all, hidden, charts) {
  const redraw = () => charts.querySelectorAll('figure').forEach((figure) => figure.dispatchEvent(new Event('redraw')));
  const listed = STATIC ? all.filter((one) => !hidden.has(one.name)) : all;
  return h('div.legend.machines', {}, listed.map((one) => legendItem(one, hidden, 'show or hide in all charts', redraw)),
    STATIC && hidden.size ? h('span.item', {}, `Not drawn, because their processors were less busy: ${[...hidden].join(', ')}`) : null);
}

/** The means of each machine where the headline was measured. */
function machineTable() {
  const {list, step} = data.summary.hosts;
  const rows = list.map((one) => [h('b.op', {}, machineName(one)), one.cores ? count(one.cores) : DASH, ratio(one.cpu_ratio), ratio(one.iowait_ratio),
    rate(one.reads_per_second), rate(one.writes_per_second), diskTime(one.read_latency_seconds), diskTime(one.write_latency_seconds), ratio(one.disk_busy_ratio),
    ...['read', 'written', 'received', 'sent'].map((what) => byteRate(one[what + '_bytes_per_second']))]);
  return [h('h3', {}, step ? `Means in ${step}` : 'Means of the result'), table(['Machine', '#Cores', '#CPU', '#Waiting for a disk', '#Reads /s', '#Writes /s',
    '#Read latency', '#Write latency', '#Busiest disk', '#Read', '#Written', '#Received', '#Sent'], rows), perOperation(data.summary.hosts.servers)];
}

function perOperation(use) {
  if (!use) return null;
  const parts = [['processor time', use.cpu_seconds_per_operation, (v) => duration(v * 1e9)], ['disk operations', use.io_per_operation, figure],
    ['read and written', use.io_bytes_per_operation, bytes]].map(([name, value, show]) => `${name} ${known(value) ? show(value) : 'not known'}`);
  return h('p.note', {}, `All server machines together, per operation that was done or missing in this period: ${parts.join(' · ')}.`);
}

function machines() {
  if (!data.machines) return null;
  const {missing, source} = data.summary.hosts;
  const all = rankedMachines();
  const hidden = new Set(all.slice(MACHINE_COLOURS).map((one) => one.name));
  const width = data.machines.edges[1] - data.machines.edges[0];
  const origin = source === 'store' ? `From the store ${data.machines.origin}` : 'Sampled by the generators on their own machines';
  const notes = [all.length ? `${origin}, per ${width > 1 ? `${width} s` : 'second'}. Gaps in a line have no data.` : null,
    data.machines.shared && all.some((one) => one.server) ? 'A generator runs on a server machine: the figures include its use.' : null,
    data.keeps_data && !all.some((one) => one.server) ? 'There are no figures for the server machines.' : null].filter(Boolean);
  const gaps = missing.length ? h('ul.missing', {'aria-label': 'What is not known'}, missing.map((sentence) => h('li', {}, sentence))) : null;
  if (!all.length) return section('Machines', notes.join(' '), gaps);
  const charts = h('div.charts', {}, MACHINE_CHARTS.map((of) => machineChart(of, all, hidden)));
  return section('Machines', notes.join(' '), h('div', {}, gaps, machineLegend(all, hidden, charts), charts, hiccupNote(), machineTable()));
}
