// Transactions, phases, errors.

/**
 * A table; a heading that begins with # is of numbers, set to the right. With a hint it is a pair. A row may be
 * {cells, why}, with a line of text below. Of several rows a last one may be their total.
 */
function table(hinted, rows, caption, total) {
  const headings = hinted.map((heading) => [heading].flat()[0]);
  const hints = hinted.map((heading) => [heading].flat()[1]);
  const numeric = headings.map((heading) => heading.startsWith('#'));
  const cell = (value, i) => h('td' + (numeric[i] ? '.number' : ''), {}, value);
  const whole = (row) => [h('tr', {}, (row.cells || row).map(cell)), row.why ? h('tr.why', {}, h('td', {colspan: headings.length}, h('span', {}, row.why))) : null];
  return h('div.scroll', {tabindex: 0}, h('table', {},
    h('thead', {}, h('tr', {}, headings.map((heading, i) =>
      h('th' + (numeric[i] ? '.number' : ''), {scope: 'col', title: hints[i]}, heading.replace(/^#/, ''))))),
    h('tbody', {}, rows.map(whole)), total && rows.length > 1 ? h('tfoot', {}, whole(total)) : null), caption ? h('p.note', {}, caption) : null);
}

/** All transactions, the largest share of the mix first. */
function ranked() {
  return Object.entries(data.summary.transactions).sort((a, b) => b[1].asked_percent - a[1].asked_percent || compareText(a[0], b[0]));
}

/** How long all calls of a series took together. */
const wholeTime = (latency) => (latency.mean ?? atLeast(latency, 'mean') ?? 0) * latency.count;

function transactions() {
  const latency = (one, key) => [...['p50', 'p95', 'p99'].map((level) => percentile(one[key], level)), maximum(one[key], key === 'response_ns' ? one.ledger.dropped : 0)];
  const group = (name) => ['p50', 'p95', 'p99', 'max'].map((key) => `#${name} ${key}`);
  const {total} = data;
  const headings = ['Transaction', ['#Offered', 'share of the mix'], ['#Achieved', 'share of the answered calls'], ['#Calls /s', 'answered calls per second'],
    ['#Time', 'share of the service time of all calls'], '#Rows each', ...(total.ledger.refused ? [['#Refused', 'a guard was not met: rolled back']] : []), '#Errors', ...(data.open_model ? group('Response') : []), ...group('Service')];
  const row = (name, one) => {
    const answered = answeredOf(one.ledger);
    return [h('b.op', {}, name), percent(one.asked_percent), percent(one.achieved_percent), h('span', {title: count(answered)}, rate(answered / data.result_seconds)),
      percent(100 * wholeTime(one.service_ns) / wholeTime(total.service_ns)), answered ? figure(one.rows / answered) : DASH,
      ...(total.ledger.refused ? [h('span', {title: `${count(one.ledger.refused)} calls, p99 ${percentile(one.refused_ns, 'p99')}`}, percent(one.ledger.started ? 100 * one.ledger.refused / one.ledger.started : null))] : []), count(errorsOf(one.ledger)),
      ...(data.open_model ? latency(one, 'response_ns') : []), ...latency(one, 'service_ns')];
  };
  const covers = data.stepped ? 'Covers all steps together, including failed ones: use these latencies to compare transactions with each other, not as a result of the run.'
    : data.staged ? 'Covers all stages together, without warm-up and ramps.' : 'Covers steps and hold, without warm-up and ramp.';
  return section('Transactions', covers, table(headings, ranked().map(([name, one]) => row(name, one)), null,
    row('all', {...total, asked_percent: 100, achieved_percent: 100})));
}

const PHASES = ['connect', 'search', 'fetch'];

function phases() {
  const rows = ranked().map(([name, one]) => {
    const times = PHASES.map((phase) => wholeTime(one[phase + '_ns']));
    return {name, times, total: sum(times), one};
  }).filter((row) => row.total > 0);
  if (!rows.length) return null;
  const bar = (row) => {
    let from = 0;
    return s('svg.phases', {viewBox: '0 0 1000 12', preserveAspectRatio: 'none', role: 'img',
      'aria-label': PHASES.map((phase, i) => `${phase} ${percent(100 * row.times[i] / row.total)}`).join(', ')},
    PHASES.map((phase, i) => {
      const width = 1000 * row.times[i] / row.total;
      const rect = s('rect.' + phase, {x: from, y: 0, width, height: 12});
      from += width;
      return rect;
    }));
  };
  return section('Phases', 'How service time divides into phases. Each driver defines the phases by its own protocol: compare only service and response across systems.',
    h('p.legend', {}, PHASES.map((phase) => h('span.key.' + phase, {}, phase))),
    table(['Transaction', 'Share', ...PHASES.map((phase) => `#${phase} mean`)], rows.map((row) =>
      [h('b.op', {}, row.name), bar(row), ...PHASES.map((phase) => mean(row.one[phase + '_ns']))])));
}

/** Transactions against kinds of error, with sums. */
function errors() {
  const {ledger} = data.summary;
  const of = (one) => one.ledger.errors;
  const rows = Object.entries(data.summary.transactions).filter(([_, one]) => errorsOf(one.ledger)).sort((a, b) => errorsOf(b[1].ledger) - errorsOf(a[1].ledger));
  if (!rows.length) {
    const elsewhere = Object.entries(ledger.errors).map(([kind, n]) => `${kind} ${count(n)}`).join(', ');
    return section('Errors', null, h('p', {}, elsewhere ? `None in the result; during the ramp: ${elsewhere}.` : 'None.'));
  }
  const kinds = {};
  rows.forEach(([_, one]) => Object.entries(of(one)).forEach(([kind, n]) => { kinds[kind] = (kinds[kind] || 0) + n; }));
  const names = Object.keys(kinds).sort((a, b) => kinds[b] - kinds[a]);
  const share = (n, started) => percent(started ? 100 * n / started : null);
  const timed = rows.some(([_, one]) => one.failed_ns.count);
  const times = (one) => timed ? [percentile(one.failed_ns, 'p50'), percentile(one.failed_ns, 'p99'), maximum(one.failed_ns, 0)] : [];
  return section('Errors', `${count(ledger.failed)} failed (rejected by the server), ${count(ledger.unknown)} unknown (may have happened), warm-up not counted. `
      + (timed ? 'The durations of these calls are shown here and in no other latency. ' : '') + 'By kind:',
    table(['Transaction', ...names.map((kind) => '#' + kind), '#All', '#Of started', ...(timed ? ['#p50', '#p99', '#max'] : [])], rows.map(([name, one]) =>
      [h('b.op', {}, name), ...names.map((kind) => count(of(one)[kind] || 0)), count(errorsOf(one.ledger)), share(errorsOf(one.ledger), one.ledger.started), ...times(one)]), null,
    [h('b.op', {}, 'all'), ...names.map((kind) => count(kinds[kind])), count(sum(rows.map(([_, one]) => errorsOf(one.ledger)))), '', ...(timed ? ['', '', ''] : [])]),
    errorSamples(names));
}

/** The message of the server or driver, one sample for each kind. */
function errorSamples(kinds) {
  const samples = data.summary.error_samples || {};
  const known = kinds.filter((kind) => samples[kind]);
  return known.length ? table(['Kind', 'First message'], known.map((kind) => [h('b.op', {}, kind), h('span.text', {}, samples[kind])])) : null;
}
