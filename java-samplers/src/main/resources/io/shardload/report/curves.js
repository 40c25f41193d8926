// The charts over time and by percentile.

const seconds = (value) => {
  if (value < 120) return `${Math.round(value * 10) / 10}${NARROW_SPACE}s`;
  return `${Math.floor(value / 60)}:${String(Math.round(value % 60)).padStart(2, '0')}`;
};

function bands() {
  return data.segments.map((one, i) => ({from: one.from, to: one.to, name: one.name,
    look: one.kind === 'warm-up' ? 'warm-up' : i % 2 ? 'odd' : 'even'})).concat(faultBands());
}

/** A fault from its begin to its end, and paler until the load had recovered from it. */
function faultBands() {
  const injected = data.summary.faults.filter((one) => one.injected);
  const last = data.timeline.edges[data.timeline.edges.length - 1];
  return injected.flatMap((one, i) => {
    const next = i + 1 < injected.length ? injected[i + 1].begin_seconds : last;
    const back = known(one.recovered_after_seconds) ? one.begin_seconds + one.recovered_after_seconds : next;
    const end = one.end_seconds ?? next;
    return [{from: one.begin_seconds, to: end, name: one.name, look: 'fault'}, {from: end, to: back, name: '', look: 'recovery'}].filter((band) => band.to > band.from);
  });
}

/** The middle of every bucket of time. */
function middles() {
  const {edges} = data.timeline;
  return edges.slice(0, -1).map((edge, i) => (edge + edges[i + 1]) / 2);
}

/** From here on a hiccup is marked: this counts against a generator even if it shares the machine of a server. */
const LONG_HICCUP_NS = 10e6;

/** Where a generator stalled; on every chart over time. */
function hiccupMarks() {
  const xs = middles();
  return (data.timeline.hiccup_ns || []).map((ns, i) => ({at: xs[i], ns, text: `hiccup of ${duration(ns)} at ${seconds(xs[i])}`}))
    .filter((one) => one.ns >= LONG_HICCUP_NS);
}

function hiccupNote() {
  return hiccupMarks().length ? h('p.note', {}, s('svg.key-mark', {width: 10, height: 9, 'aria-hidden': 'true'}, s('path.hiccup', {d: 'M1 0h8l-4 8z'})),
    ' above a chart: a generator paused for over 10 ms, which delays its measurements.') : null;
}

function timeAxis() {
  const {edges} = data.timeline;
  return {kind: 'linear', low: 0, high: edges[edges.length - 1] || 1, format: seconds, name: 'time since the start', link: 'time'};
}

function line(name, look, values, xs, dots) {
  return {name, look, dots, points: xs.map((x, i) => [x, values[i]])};
}

function hasValues(one) {
  return one.points.some((p) => known(p[1]) && p[1] !== 0);
}

function rateChart(name) {
  const one = data.timeline.transactions[name];
  const xs = middles();
  const all = [line('offered', 'offered', one.offered, xs), line('achieved', 'achieved', one.achieved, xs), line('errors', 'errors', one.errors, xs)];
  const series = all.filter((each) => each.look === 'achieved' || hasValues(each));
  return linesOverTime('Operations per second', series, (value) => rate(value) + '/s');
}

/** Lines on a linear scale, of the middles of the buckets. */
function linesOverTime(title, series, show) {
  return chart({label: title + ' over time', series, bands: bands(), marks: hiccupMarks(), x: timeAxis(), y: {kind: 'linear', format: rate},
    tip: (x) => [['at', seconds(x)], ...series.map((each) => [each.name, show((each.points.find((p) => p[0] === x) || [])[1])])]});
}

/** What waits and what is under way at the end of each bucket; null where an old bundle does not know. */
function queues() {
  const {backlog, under_way: underWay} = data.timeline;
  const xs = middles();
  // A worker has one call at most; its counters are read one after the other.
  const {workers} = data.config.load;
  const all = {name: 'all workers', look: 'offered', points: xs.map((x) => [x, workers])};
  const waiting = !data.open_model || !backlog.some(known) ? null : titled('Backlog: arrivals that are due and not begun', backlog.some((n) => n > 0)
    ? linesOverTime('Backlog', [line('backlog', 'service', backlog, xs)], count) : h('p.note', {}, 'None at the end of any second.'));
  return [waiting, underWay.some(known) ? titled('Workers in calls', linesOverTime('Workers in calls', [all, line('in calls', 'achieved', underWay.map((n) => known(n) ? Math.min(n, workers) : n), xs)], count)) : null];
}

function titled(title, ...content) {
  return h('div', {}, h('h3', {}, title), content);
}

function latencyChart(name) {
  const one = data.timeline.transactions[name];
  const xs = middles();
  const kinds = data.open_model ? ['response', 'service'] : ['service'];
  const series = kinds.flatMap((kind) => [line(`${kind} max`, `${kind}.max`, one[kind].max, xs, true),
    line(`${kind} p99`, `${kind}.p99`, one[kind].p99, xs), line(`${kind} p50`, `${kind}.p50`, one[kind].p50, xs)]).filter(hasValues);
  return chart({label: 'Latency over time', series, bands: bands(), marks: hiccupMarks(), x: timeAxis(),
    y: {kind: 'log', format: shortDuration}, tip: (x) => {
      const i = xs.indexOf(x);
      return [['at', seconds(x)], ['samples', count(one.service.n[i])], ...series.map((each) => [each.name, duration(each.points[i][1])])];
    }});
}

/** The percentiles of which only lower bounds are known, the lowest first. */
function censored(latency) {
  return [['p50', 2], ['p90', 10], ['p95', 20], ['p99', 100], ['p999', 1000]]
    .map(([key, inverse]) => ({key, inverse, nanos: atLeast(latency || {}, key)})).filter((one) => known(one.nanos));
}

/** 1/(1-p) as a percentile: 1000 as 99.9 %. */
function percentileName(inverse) {
  const p = 100 * (1 - 1 / inverse);
  const digits = Math.max(0, Math.ceil(Math.log10(inverse) - 2 - 1e-9));
  return p.toFixed(Math.min(6, digits + (p > 0 && inverse < 100 && p % 1 > 0.05 ? 1 : 0))) + NARROW_SPACE + '%';
}

function percentileChart(name) {
  if (!data.curves[name]) return h('p.note', {}, 'No step kept up, so there is no rate for which to show percentiles.');
  const {service, response} = data.curves[name];
  const series = [data.open_model && response.length ? {name: 'response', look: 'response.p99', points: response} : null,
    service.length ? {name: 'service', look: 'service.p99', points: service} : null].filter(Boolean);
  if (!series.length) return h('p.note', {}, 'Too few samples for any percentile.');
  const high = series.reduce((a, one) => Math.max(a, one.points[one.points.length - 1][0]), 10);
  const latency = (name === ALL ? data.latencies : data.summary.transactions[name]).response_ns;
  const bounds = censored(latency);
  if (bounds.length && response.length) {
    const [last] = response[response.length - 1];
    const shown = bounds.filter((one) => one.inverse > last && one.inverse <= high);
    series.push({name: 'response, at least', look: 'response.p50', points: [[last, bounds[0].nanos],
      ...shown.map((one) => [one.inverse, one.nanos]), [high, (shown[shown.length - 1] || bounds[0]).nanos]]});
  }
  const values = series.flatMap((one) => one.points.map((p) => p[1]));
  const spread = values.reduce((a, b) => Math.max(a, b)) / Math.max(1, values.reduce((a, b) => Math.min(a, b)));
  const at = (one, x) => (one.points.find((p) => Math.abs(p[0] / x - 1) < 1e-3) || [])[1];
  return chart({label: 'Latency by percentile', series,
    x: {kind: 'log', low: 1, high, ticks: [2, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7], format: percentileName, name: 'percentile, log scale of 1/(1-p)'},
    y: {kind: spread > 40 ? 'log' : 'linear', format: shortDuration},
    tip: (x) => [['percentile', percentileName(x)], ...series.slice(0, 2).map((one) => [one.name, duration(at(one, x))])]});
}

function percentileNote(name) {
  const latency = name === ALL ? data.latencies : data.summary.transactions[name];
  const response = latency.response_ns;
  if (!response) return '';
  const covers = !data.stepped ? [] : [name === ALL ? `All transactions ${data.step_place}.` : 'Covers all steps together, including failed ones.'];
  const parts = [...covers, 'Up to the highest percentile with ten samples above it.'];
  const [first] = censored(response);
  if (data.open_model && first) {
    parts.push(`From ${first.key.replace('p999', 'p99.9')} upwards, the response time lies among dropped arrivals or above 60 s and is at least ${duration(first.nanos)}.`);
  } else if (data.open_model) parts.push('Where response is above service, operations waited for a worker, or began late.');
  else parts.push('Closed model: response time equals service time.');
  return parts.join(' ');
}

/** The charts of one transaction, chosen in their heading; those of the workers are of all. */
function overTime() {
  const place = h('div.charts', {});
  // No backlog is a line of text, which would leave a gap between charts.
  const hasBacklog = data.timeline.backlog.some((n) => n > 0);
  const show = (name) => {
    const [waiting, calls] = queues();
    put(place, titled('Operations per second', rateChart(name)), titled(data.open_model ? 'Latency, response against service' : 'Latency', latencyChart(name)),
      hasBacklog ? waiting : null, calls, titled('Latency by percentile', percentileChart(name), h('p.note', {}, percentileNote(name))), hasBacklog ? null : waiting);
  };
  const names = Object.keys(data.summary.transactions).filter((name) => data.curves[name]);
  show(ALL);
  return section(['Load and latency', choice('show', [[ALL, 'all transactions'], ...names.map((name) => [name, name])], show)], null, hiccupNote(), place,
    h('p.note', {}, `Per ${data.timeline.edges[1] > 1 ? Math.round(data.timeline.edges[1]) + ' seconds' : 'second'}. A p99 needs at least 100 samples. Dropped arrivals are in no latency over time.`),
    hiccups());
}
