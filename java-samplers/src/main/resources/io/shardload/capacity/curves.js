// p99, achieved rate and errors over the rate that was offered. The interval of the answer is a band.
const known99 = (run) => known(run.p99_ns) ? run.p99_ns : run.p99_at_least_ns;
const valid = data.runs.filter((run) => run.outcome === 'good' || run.outcome === 'bad');
const byRate = (a, b) => a - b;

/** Median of each rate, in the order of rates: the curve among runs that vary. */
function medians(value) {
  const rates = [...new Set(valid.map((run) => run.rate))].sort(byRate);
  return rates.map((at) => {
    const values = valid.filter((run) => run.rate === at).map(value).filter(known).sort(byRate);
    const half = (values.length - 1) / 2;
    return [at, values.length ? (values[Math.floor(half)] + values[Math.ceil(half)]) / 2 : null];
  });
}

function dots(name, look, outcomes, value) {
  const points = data.runs.filter((run) => outcomes.includes(run.outcome) && known(value(run))).map((run) => [run.rate, value(run)]);
  return points.length ? {name, look, dots: true, points} : null;
}

/** From the lowest to the highest rate with some room; on a log scale where they are far apart. */
function axis() {
  const rates = data.runs.map((run) => run.rate);
  const low = rates.reduce((a, b) => Math.min(a, b));
  const high = rates.reduce((a, b) => Math.max(a, b));
  const kind = high / low > 12 ? 'log' : 'linear';
  return {kind, low: kind === 'log' ? low / 1.1 : 0, high: high * (kind === 'log' ? 1.1 : 1.05), format: rate, name: 'arrivals per second'};
}

function bands(x) {
  const {low, high} = data;
  if (low && high) return [{from: low.rate, to: high.rate, name: 'capacity', look: 'interval'}];
  if (low) return [{from: low.rate, to: x.high, name: 'at least', look: 'beyond'}];
  return [];
}

function limitLine(value, x) {
  return known(value) ? {name: 'limit', look: 'limit', points: [[x.low, value], [x.high, value]]} : null;
}

function over(title, note, look, value, format, options) {
  if (!data.runs.some((run) => known(value(run)))) return null;
  const x = axis();
  const series = [{name: 'median of a rate', look: 'curve', points: medians(value)}, limitLine(options.limit, x),
    dots('good run', 'good', ['good'], value), dots('bad run', 'bad', ['bad'], value),
    dots('invalid, or bound by the generator', 'other', ['invalid', 'generator-bound'], value)].filter(Boolean);
  return h('figure.' + look, {'data-figure': title}, note ? h('figcaption', {}, title, h('small', {}, note)) : null, chart({
    label: `${title} over the rate, ${valid.length} runs.`, height: options.height, series, bands: bands(x), x,
    y: {kind: options.kind, format, high: options.high}, tip: (at) => tipOf(at, value, format)}));
}

function tipOf(at, value, format) {
  const runs = data.runs.filter((run) => run.rate === at);
  return [['rate', rate(at) + '/s']].concat(runs.map((run) => [`run ${run.number}, ${run.outcome}`, known(value(run)) ? format(value(run)) : DASH]));
}

function curves() {
  if (!data.runs.length) return null;
  const limits = data.limits;
  const reached = (run) => known(run.achieved_per_second) && known(run.offered_per_second) ? 100 * run.achieved_per_second / run.offered_per_second : null;
  const errors = valid.map((run) => run.errors_percent).filter(known).reduce((a, b) => Math.max(a, b), 0);
  return section('p99 over the rate', `Response time, counted from the time when an arrival was due. ${data.high ? 'The band is the interval in which the capacity lies.'
    : data.low ? 'The band begins at the lower bound of the capacity.' : ''}`,
  over('p99', '', 'wide', known99, shortDuration, {kind: 'log', height: 360, limit: known(limits.p99_ms) ? limits.p99_ms * 1e6 : null}),
  h('div.charts', {}, over('Achieved', 'in percent of the offered rate', 'small', reached, percent, {kind: 'linear', height: 230, limit: 98, high: 110}),
    over('Errors', 'in percent of the calls', 'small', (run) => run.errors_percent, percent,
      {kind: 'linear', height: 230, limit: limits.errors_percent, high: Math.max(1, 1.1 * errors, 1.5 * (limits.errors_percent || 0))})));
}
