// All runs in their order, and Little's law.
const SEALS = {good: ['good', 'good'], bad: ['bad', 'bad'], 'generator-bound': ['warn', 'generator-bound'], invalid: ['cut', 'invalid']};

function outcome(run) {
  const [look, text] = SEALS[run.outcome] || ['cut', run.outcome];
  return h('span.seal.plain.' + look, {}, text);
}

function p99Of(run) {
  if (known(run.p99_ns)) return duration(run.p99_ns);
  return known(run.p99_at_least_ns) ? '≥ ' + duration(run.p99_at_least_ns) : DASH;
}

function littleOf(run) {
  const law = run.little;
  if (!law) return [h('td.number', {}, DASH), h('td.number', {}, DASH), h('td', {}, '')];
  return [h('td.number', {}, figure(law.counted)), h('td.number', {}, (law.at_least ? '≥ ' : '') + figure(law.expected)),
    h('td', {title: `may differ by ${figure(law.allowed)}`}, h('span.seal.plain.' + (law.agrees ? 'good' : 'warn'), {}, law.agrees ? 'agree' : 'differ'))];
}

/** In the hold: the busiest server's processors and disk, the workers, the busiest generator's processors. */
function useOf(run) {
  const whole = (ratio) => known(ratio) ? percent(100 * ratio) : DASH;
  return [whole(run.server_cpu_ratio), whole(run.disk_busy_ratio), percent(run.workers_busy_percent), percent(run.generator_cpu_percent)]
    .map((text) => h('td.number', {}, text));
}

function row(run) {
  const isEnd = [data.low, data.high].some((end) => end && end.rate === run.rate);
  // A page without scripts is in another place, such as in a Jenkins archive.
  const name = run.bundle && !STATIC ? h('a', {href: `../${run.bundle}/report.html`, title: run.bundle}, 'run ' + run.number) : 'run ' + run.number;
  return h(isEnd ? 'tr.end' : 'tr', {}, h('td', {}, name), h('td.number', {}, rate(run.rate) + '/s'), h('td', {}, outcome(run)),
    h('td.number', {}, p99Of(run)), h('td.number', {}, known(run.achieved_per_second) ? rate(run.achieved_per_second) + '/s' : DASH),
    h('td.number', {title: 'answered in the hold, whenever due'}, known(run.answered_per_second) ? rate(run.answered_per_second) + '/s' : DASH),
    h('td.number', {}, percent(run.errors_percent)), useOf(run), littleOf(run),
    h('td', {}, h('span.text', {}, run.outcome === 'good' || !run.reasons.length ? run.why : `${run.why}: ${run.reasons[0]}`)));
}

function table() {
  const head = [['run'], ['rate', 'number'], ['outcome'], ['p99', 'number'], ['achieved', 'number'], ['answered', 'number'], ['errors', 'number'], ['server CPU', 'number'], ['busiest disk', 'number'], ['workers busy', 'number'], ['generator CPU', 'number'], ['in flight', 'number'],
    ['rate × time', 'number'], [''], ['why this rate']].map(([name, look]) => h(look ? 'th.' + look : 'th', {}, name));
  return section('Runs', 'In the order in which they ran. Highlighted rows are the ends of the interval.',
    h('div.scroll', {tabindex: 0}, h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, data.runs.map(row)))));
}

function method() {
  const {settings, limits} = data;
  const judged = ['98 % of its arrivals were done in time'].concat(known(limits.p99_ms) ? [`p99 is at most ${limits.p99_ms} ms`] : [],
    known(limits.errors_percent) ? [`errors are at most ${limits.errors_percent} %`] : []);
  return section('How it was found', null, h('p.note', {}, `A run is good if ${judged.join(', ')}, and if it misses no other criterion.
    The rate doubles until a run is bad, or halves until a run is good. Then the geometric mean of the highest good rate and the lowest bad rate is next, until
    these two are ${settings.precision_percent} % apart. ${settings.repeats} repeats that agree with the first run confirm each end. If runs contradict each other, the ends lie outside the
    rates of these runs, and the interval is wider.`.replace(/\s+/g, ' ')), h('p.note', {}, `Little's law: in a steady state the mean number of arrivals in the system is rate × mean time.
    "in flight" counts arrivals that are due and not finished at the end of each second of the hold, from the ledger. "rate × time" is the sum of the response
    times of the histograms divided by the length of the hold. They differ if they are apart by more than 20 % (at least one arrival) and three standard errors of
    the count. While a backlog grows they may differ, because arrivals wait beyond the end of the hold.`.replace(/\s+/g, ' ')));
}
