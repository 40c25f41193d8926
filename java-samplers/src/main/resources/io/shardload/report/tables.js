// Transactions, phases, errors, steps.

/** A table; a heading that begins with # is of numbers, set to the right. With a hint it is a pair. */
function table(hinted, rows, caption) {
  const headings = hinted.map((heading) => [heading].flat()[0]);
  const hints = hinted.map((heading) => [heading].flat()[1]);
  const numeric = headings.map((heading) => heading.startsWith('#'));
  const cell = (value, i) => h('td' + (numeric[i] ? '.number' : ''), {}, value);
  return h('div.scroll', {tabindex: 0}, h('table', {},
    h('thead', {}, h('tr', {}, headings.map((heading, i) =>
      h('th' + (numeric[i] ? '.number' : ''), {scope: 'col', title: hints[i]}, heading.replace(/^#/, ''))))),
    h('tbody', {}, rows.map((row) => h('tr', {}, row.map(cell))))), caption ? h('p.note', {}, caption) : null);
}

/** Achieved share as a bar, the asked one as a line across it. */
function mixBar(asked, achieved, most) {
  const at = (value) => 84 * (value || 0) / most;
  return s('svg.mix', {viewBox: '0 0 86 14', width: 86, height: 14, role: 'img', 'aria-label': `asked ${percent(asked)}, achieved ${percent(achieved)}`},
    s('rect.track', {x: 0, y: 3, width: 84, height: 8}), s('rect.achieved', {x: 0, y: 3, width: at(achieved), height: 8}),
    s('path.asked', {d: `M${Math.max(1, at(asked)).toFixed(1)} 0V14`}));
}

function transactions() {
  const all = Object.entries(data.summary.transactions).sort((a, b) => b[1].asked_percent - a[1].asked_percent || compareText(a[0], b[0]));
  const most = all.reduce((a, [_, one]) => Math.max(a, one.asked_percent || 0, one.achieved_percent || 0), 1);
  const latency = (one, key) => [percentile(one[key], 'p50'), percentile(one[key], 'p99'),
    maximum(one[key], key === 'response_ns' ? one.ledger.dropped : 0)];
  const group = (name) => ['p50', 'p99', 'max'].map((key) => `#${name} ${key}`);
  const headings = ['Transaction', 'Mix', '#Asked', '#Achieved', '#Operations', '#Rows each', '#Errors',
    ...(data.open_model ? group('Response') : []), ...group('Service')];
  const rows = all.map(([name, one]) => {
    const answered = one.ledger.done + one.ledger.missing;
    return [h('b.op', {}, name), mixBar(one.asked_percent, one.achieved_percent, most), percent(one.asked_percent), percent(one.achieved_percent),
      count(answered), answered ? figure(one.rows / answered) : DASH, count(errorsOf(one.ledger)),
      ...(data.open_model ? latency(one, 'response_ns') : []), ...latency(one, 'service_ns')];
  });
  const covers = data.stepped ? 'Covers all steps together, including failed ones: use these latencies to compare transactions with each other, not as a result of the run.'
    : data.staged ? 'Covers all stages together, without warm-up and ramps.' : 'Covers steps and hold, without warm-up and ramp.';
  return section('Transactions', 'Bars: the achieved share of answered operations; the mark is the requested share. ' + covers,
    table(headings, rows));
}

const PHASES = ['connect', 'search', 'fetch'];

function phases() {
  const rows = Object.entries(data.summary.transactions).map(([name, one]) => {
    const times = PHASES.map((phase) => (one[phase + '_ns'].mean ?? atLeast(one[phase + '_ns'], 'mean') ?? 0) * one[phase + '_ns'].count);
    return {name, times, total: sum(times), one};
  }).filter((row) => row.total > 0).sort((a, b) => b.total - a.total);
  if (!rows.length) return null;
  const whole = sum(rows.map((row) => row.total));
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
    table(['Transaction', 'Share', ...PHASES.map((phase) => `#${phase} mean`), '#Share of total'], rows.map((row) =>
      [h('b.op', {}, row.name), bar(row), ...PHASES.map((phase) => mean(row.one[phase + '_ns'])), percent(100 * row.total / whole)])));
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
      [h('b.op', {}, name), ...names.map((kind) => count(of(one)[kind] || 0)), count(errorsOf(one.ledger)), share(errorsOf(one.ledger), one.ledger.started), ...times(one)])
      .concat(rows.length > 1 ? [[h('b.op', {}, 'all'), ...names.map((kind) => h('b', {}, count(kinds[kind]))), h('b', {}, count(sum(rows.map(([_, one]) => errorsOf(one.ledger))))), '', ...(timed ? ['', '', ''] : [])]] : [])),
    errorSamples(names));
}

/** The message of the server or driver, one sample for each kind. */
function errorSamples(kinds) {
  const samples = data.summary.error_samples || {};
  const known = kinds.filter((kind) => samples[kind]);
  return known.length ? table(['Kind', 'First message'], known.map((kind) => [h('b.op', {}, kind), h('span.text', {}, samples[kind])])) : null;
}

function seal(step) {
  if (step.cut) return h('span.seal.cut', {title: step.why}, 'cut');
  if (step.generator_bound) return h('span.seal.cut', {title: 'The generator may have limited this, not the target: see the reasons at the top.'}, 'generator-bound');
  return h('span.seal.' + (step.passed ? 'good' : 'bad'), {title: step.why}, mark(step.passed ? 'good' : 'bad'), step.passed ? 'passed' : 'failed');
}

const SERVER_CPU = 'processors in use on the busiest server machine, mean of the segment.';
const SERVER_IOPS = 'reads and writes per second of the disks of all server machines together.';

const ANSWERED = 'operations answered in the segment, whenever they were due.';

/** What the servers' machines did in a step. */
function stepUse(use) {
  return [h('span', {title: use.cpu_host}, known(use.cpu_ratio) ? percent(Math.round(100 * use.cpu_ratio)) : DASH),
    h('span', {title: known(use.iops) ? `${rate(use.reads_per_second)} reads/s, ${rate(use.writes_per_second)} writes/s` : 'not known'}, rate(use.iops))];
}

function steps() {
  const list = data.summary.steps;
  if (!data.staged && !list.some((step) => step.kind === 'step')) return null;
  const limits = data.config.load.limits || {};
  const key = data.open_model ? 'response_ns' : 'service_ns';
  const asked = ['at least 98 % of the offered rate', known(limits.errors_percent) ? `at most ${limits.errors_percent} % errors` : null,
    known(limits.p99_ms) ? `a p99 of at most ${limits.p99_ms} ms` : null].filter(Boolean).join(', ');
  const machines = list.some((step) => step.servers);
  const [title, note] = data.staged
    ? ['Stages', `A stage passes with ${asked}. Ramps, in which the rate changes, are listed separately and are not part of the result. No capacity is derived from stages.`]
    : ['Steps and capacity', `A step passes with ${asked}. Capacity is the highest completed step that passes, below the failed steps that ended the run.`];
  return section(title, note,
    stepChart(data.staged ? list.filter((step) => step.kind === 'stage') : list, limits, key),
    table([data.staged ? 'Stage' : 'Step', 'Result', '#Seconds', '#Offered /s', '#Achieved /s', ['#Answered /s', ANSWERED], '#Errors', '#p50', '#p99', '#max', '#Hiccups p99', '#Generator CPU',
      ...(machines ? [['#Server CPU', SERVER_CPU], ['#IOPS', SERVER_IOPS]] : []), 'Why'],
      list.map((step) => [h('b.op', {}, step.name), seal(step), figure(step.seconds), rate(step.offered_per_second), rate(step.achieved_per_second), rate(step.answered_per_second),
        percent(step.ledger.started ? 100 * errorsOf(step.ledger) / step.ledger.started : 0), percentile(step[key], 'p50'),
        percentile(step[key], 'p99'), maximum(step[key], step.ledger.dropped), percentile(step.hiccup_ns, 'p99'), known(step.generator_cpu_percent) ? percent(Math.round(step.generator_cpu_percent)) : DASH,
        ...(machines ? stepUse(step.servers || {}) : []), h('span.text', {}, step.why)]),
      machines ? `Server CPU: ${SERVER_CPU} IOPS: ${SERVER_IOPS}${list.some((step) => step.servers && step.servers.shared) ? ' A generator runs on such a machine: both figures include its use.' : ''}` : null));
}
