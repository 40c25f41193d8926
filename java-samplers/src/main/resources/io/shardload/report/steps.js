// Steps and stages: p99 over the achieved rate, and a row for each.

const FATES = [['passed', 'passed'], ['failed', 'failed'], ['cut', 'cut or generator-bound: does not count']];
const fate = (step) => step.cut || step.generator_bound ? 'cut' : step.passed ? 'passed' : 'failed';
const result = (step) => step.generator_bound && !step.cut ? 'generator-bound' : fate(step);
const perSecond = (value) => rate(value) + '/s';

/** A dot for each step, joined in their order, and a line of what is asked; null where nothing is known. */
function overRate(title, list, x, y, asked) {
  const drawn = list.filter((step) => known(x.of(step)) && known(y.of(step)));
  if (!drawn.length) return null;
  const most = list.reduce((a, step) => Math.max(a, x.of(step) || 0), 1);
  const high = 1.06 * most;
  const points = (steps) => steps.map((step) => [x.of(step), y.of(step)]);
  const dots = FATES.map(([look, name]) => ({name, look, dots: true, points: points(drawn.filter((step) => fate(step) === look))})).filter((one) => one.points.length);
  const series = [{name: y.name, look: 'join', points: points(drawn)}, asked && {name: asked.name, look: 'limit', points: [[0, asked.at(0)], [high, asked.at(high)]]}, ...dots];
  const nearest = (at) => drawn.reduce((a, step) => Math.abs(x.of(step) - at) < Math.abs(x.of(a) - at) ? step : a);
  return titled(title, chart({label: title, series: series.filter(Boolean), x: {kind: 'linear', low: 0, high, format: perSecond, name: x.name, ticks: x.ticks}, y,
    tip: (at) => [['step', nearest(at).name], ['offered', perSecond(nearest(at).offered_per_second)], ['achieved', perSecond(nearest(at).achieved_per_second)],
      ['p99', shortDuration(p99Of(nearest(at)))], ['result', result(nearest(at))]]}));
}

/** In the open model of response, with a lower bound where only this is known. */
function p99Of(step) {
  const latency = step[data.open_model ? 'response_ns' : 'service_ns'];
  return latency.p99 ?? atLeast(latency, 'p99');
}

function stepCharts(list, limits) {
  const limit = known(limits.p99_ms) ? limits.p99_ms * 1e6 : null;
  const achieved = {of: (step) => step.achieved_per_second, name: 'achieved operations per second'};
  const offered = {of: (step) => step.offered_per_second, name: 'offered operations per second', ticks: list.length > 6 ? null : list.map((step) => step.offered_per_second)};
  return h('div.charts', {},
    overRate('p99 over the achieved rate', list, achieved, {of: p99Of, kind: 'log', format: shortDuration, name: 'p99'},
      limit && {name: 'limit ' + shortDuration(limit), at: () => limit}),
    overRate('Achieved over the offered rate', list, offered, {of: achieved.of, kind: 'linear', format: rate, name: 'achieved'}, {name: 'as offered', at: (x) => x}));
}

function seal(step) {
  if (step.cut) return h('span.seal.cut', {title: step.why}, 'cut');
  if (step.generator_bound) return h('span.seal.cut', {title: 'The generator may have limited this, not the target: see the reasons at the top.'}, 'generator-bound');
  return h('span.seal.' + (step.passed ? 'good' : 'bad'), {title: step.why}, mark(step.passed ? 'good' : 'bad'), step.passed ? 'passed' : 'failed');
}

const SERVER_CPU = 'processors in use on the busiest server machine, mean of the segment.';
const SERVER_IOPS = 'reads and writes per second of the disks of all server machines together.';

const ANSWERED = 'operations answered in the segment, whenever they were due.';

/** Why a step did not pass, and what bounds it, where that is known. */
function whyOf(step) {
  const isBound = step.bottleneck && !['nothing', 'unknown'].includes(step.bottleneck.resource);
  return step.passed ? null : step.why + (isBound ? `; ${step.bottleneck.sentence}` : '');
}

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
    known(limits.p99_ms) ? `a p99 of at most ${shortDuration(limits.p99_ms * 1e6)}` : null].filter(Boolean).join(', ');
  const machines = list.some((step) => step.servers);
  const [title, note] = data.staged
    ? ['Stages', `A stage passes with ${asked}. Ramps, in which the rate changes, are listed separately and are not part of the result. No capacity is derived from stages.`]
    : ['Steps and capacity', `A step passes with ${asked}. Capacity is the highest completed step that passes, below the failed steps that ended the run.`];
  return section(title, note,
    data.staged ? null : stepCharts(list, limits),
    table([data.staged ? 'Stage' : 'Step', 'Result', '#Seconds', '#Offered /s', '#Achieved /s', ['#Answered /s', ANSWERED], '#Errors', '#p50', '#p99', '#max', '#Hiccups p99', '#Generator CPU',
      ...(machines ? [['#Server CPU', SERVER_CPU], ['#IOPS', SERVER_IOPS]] : [])],
      list.map((step) => ({why: whyOf(step), cells: [h('b.op', {}, step.name), seal(step), figure(step.seconds), rate(step.offered_per_second), rate(step.achieved_per_second), rate(step.answered_per_second),
        percent(step.ledger.started ? 100 * errorsOf(step.ledger) / step.ledger.started : 0), percentile(step[key], 'p50'),
        percentile(step[key], 'p99'), maximum(step[key], step.ledger.dropped), percentile(step.hiccup_ns, 'p99'), known(step.generator_cpu_percent) ? percent(Math.round(step.generator_cpu_percent)) : DASH,
        ...(machines ? stepUse(step.servers || {}) : [])]})),
      machines ? `Server CPU: ${SERVER_CPU} IOPS: ${SERVER_IOPS}${list.some((step) => step.servers && step.servers.shared) ? ' A generator runs on such a machine: both figures include its use.' : ''}` : null));
}
