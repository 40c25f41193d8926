// The generators side by side, in a run with several.

const LOOKS = ['response', 'service', 'connect', 'good', 'fetch', 'errors', 'warn', 'offered'];

function generatorName(one) {
  return one.host || 'generator ' + one.generator;
}

function generatorState(one) {
  if (one.state === 'absent') return h('span.seal.bad', {}, mark('bad'), 'left no data');
  if (one.state === 'lost') return h('span.seal.bad', {}, mark('bad'), `lost at ${one.seconds.toFixed(1)}${NARROW_SPACE}s`);
  const planned = one.stop_reason === 'schedule';
  return h('span.seal.' + (planned ? 'good' : 'cut'), {title: one.stop_reason}, planned ? mark('good') : null,
    planned ? 'ended' : `stopped at ${one.seconds.toFixed(1)}${NARROW_SPACE}s`);
}

/** Against the meeting point's clock; a step is a jump while the run went on. */
function clock(one) {
  if (!known(one.clock_offset_ms)) return DASH;
  const millis = (value) => (value < 0 ? '−' : '+') + Number(Math.abs(value).toFixed(2));
  const uncertain = known(one.clock_uncertainty_ms) ? ' ± ' + Number(one.clock_uncertainty_ms.toFixed(2)) : '';
  return millis(one.clock_offset_ms) + uncertain + NARROW_SPACE + 'ms'
    + (one.clock_step_ms ? `, stepped by ${millis(one.clock_step_ms)}${NARROW_SPACE}ms` : '');
}

const ownTime = (ns) => known(ns) ? duration(ns) : DASH;

function loadTable(all) {
  const parts = ['scheduled', 'started', 'dropped', 'failed', 'unknown'];
  const lacking = all.some((one) => one.ledger.unoffered);
  return table(['Generator', 'State', '#Share', '#Rate /s', ...parts.map((part) => '#' + part.replace(/^./, (c) => c.toUpperCase())),
    ...(lacking ? ['#Never offered'] : []), data.open_model ? '#Response p99' : '#Service p99'],
  all.map((one) => [h('b.op', {}, generatorName(one)), generatorState(one), percent(one.share_percent), rate(one.achieved_per_second),
    ...parts.map((part) => count(one.ledger[part])), ...(lacking ? [count(one.ledger.unoffered)] : []),
    ownTime(data.open_model ? one.response_p99_ns : one.service_p99_ns)]));
}

function useTable(all) {
  return table(['Generator', '#CPU', '#In GC pauses', '#Hiccups p99', '#Began late', '#Clock', '#Connections'],
    all.map((one) => [h('b.op', {}, generatorName(one)), percent(one.cpu_percent), percent(one.gc_percent), ownTime(one.hiccup_p99_ns),
      percent(one.late_percent), clock(one), count(one.connections)]));
}

/** A line per generator, which ends at its last message. */
function generatorChart(all) {
  const rates = data.timeline.generators || {};
  const shown = all.filter((one) => rates[one.generator]);
  if (shown.length < 2 || shown.length > LOOKS.length) return null;
  const xs = middles();
  const series = shown.map((one, i) => line(generatorName(one), LOOKS[i], rates[one.generator], xs));
  const ends = shown.map((one, i) => one.state === 'lost' ? series[i].points.filter((p) => known(p[1])).pop() : null).filter(Boolean);
  const lines = ends.length ? [...series, {name: 'lost', look: 'errors', dots: true, points: ends}] : series;
  return titled('Answered operations per second', linesOverTime('Operations per second of each generator', lines, (value) => rate(value) + '/s'));
}

function generators() {
  const all = data.summary.generators;
  if (all.length < 2) return null;
  return section('Generators', 'Share and counters cover the run without warm-up; rates and delays cover the result. Each generator is judged separately: hiccups, late starts and CPU use.',
    h('div', {}, h('h3', {}, 'Load'), loadTable(all), generatorChart(all), h('h3', {}, 'The hosts'), useTable(all),
      h('p.note', {}, 'Clock: difference between the host’s clock and the clock of Redis, measured before the start. All times on this page are corrected by it.')));
}
