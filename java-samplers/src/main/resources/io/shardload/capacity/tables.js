// All runs in their order; closed, how the search found the interval, and Little's law.
const SEALS = {good: ['good', 'good'], bad: ['bad', 'bad'], 'generator-bound': ['warn', 'generator-bound'], invalid: ['cut', 'invalid']};

function outcome(run) {
  const [look, text] = SEALS[run.outcome] || ['cut', run.outcome];
  return h('span.seal.plain.' + look, {}, text);
}

function p99Of(run) {
  if (known(run.p99_ns)) return duration(run.p99_ns);
  return known(run.p99_at_least_ns) ? '≥ ' + duration(run.p99_at_least_ns) : DASH;
}

/** In the hold: the busiest server's processors and disk, the workers, the busiest generator's processors. */
function useOf(run) {
  const share = (ratio) => known(ratio) ? 100 * ratio : null;
  return [share(run.server_cpu_ratio), share(run.disk_busy_ratio), run.workers_busy_percent, run.generator_cpu_percent]
    .map((value) => h('td.number', {}, known(value) ? percent(Math.round(value)) : DASH));
}

// A page without scripts is in another place, such as in a Jenkins archive.
const nameOf = (run) => run.bundle && !STATIC ? h('a', {href: `../${run.bundle}/report.html`, title: run.bundle}, 'run ' + run.number) : 'run ' + run.number;

function row(run) {
  const isEnd = valid.includes(run) && [data.low, data.high].some((end) => end && end.rate === run.rate);
  const cells = h(isEnd ? 'tr.end' : 'tr', {}, h('td', {}, nameOf(run)), h('td.number', {}, rate(run.rate) + '/s'), h('td', {}, outcome(run)),
    h('td.number', {}, p99Of(run)), h('td.number', {}, known(run.achieved_per_second) ? rate(run.achieved_per_second) + '/s' : DASH),
    h('td.number', {title: 'answered in the hold, whenever due'}, known(run.answered_per_second) ? rate(run.answered_per_second) + '/s' : DASH),
    h('td.number', {}, percent(run.errors_percent)), useOf(run),
    h('td', {}, h('span.text', {}, run.why)));
  return run.outcome === 'good' || !run.reasons.length ? cells : [cells, h(isEnd ? 'tr.why.end' : 'tr.why', {}, h('td', {colspan: cells.children.length}, h('span', {}, run.reasons[0])))];
}

/** A table; the columns after the first are numbers, except those that are named as texts. */
function tableOf(names, texts, rows) {
  const head = names.map((name, i) => h(i && !texts.includes(name) ? 'th.number' : 'th', {}, name));
  return h('div.scroll', {tabindex: 0}, h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, rows)));
}

function table() {
  return section('Runs', 'In the order in which they ran. The highlighted runs decide the ends of the interval.',
    tableOf(['run', 'rate', 'outcome', 'p99', 'achieved', 'answered', 'errors', 'server CPU', 'busiest disk', 'workers busy', 'generator CPU', 'why this rate'],
      ['outcome', 'why this rate'], data.runs.map(row)));
}

function closed(title, ...content) {
  return h('section.closed', {}, h('details', {}, h('summary', {}, h('h2', {}, title)), content));
}

function method() {
  const {settings} = data;
  return closed('How it was found', h('p.note', {}, `A run is good if it keeps the limits (${limits().join(', ')}), and if it misses no other criterion.
    The rate doubles until a run is bad, or halves until a run is good. Then the geometric mean of the highest good rate and the lowest bad rate is next, until
    these two are ${percent(settings.precision_percent)} apart. ${settings.repeats} repeats that agree with the first run confirm each end. If runs contradict each other, the ends lie outside the
    rates of these runs, and the interval is wider.`.replace(/\s+/g, ' ')));
}

/** Whether the concurrency of each run fits its rate and its times. */
function littlesLaw() {
  const rows = data.runs.filter((run) => run.little).map((run) => h('tr', {}, h('td', {}, nameOf(run)), h('td.number', {}, rate(run.rate) + '/s'),
    h('td.number', {}, figure(run.little.counted)), h('td.number', {}, (run.little.at_least ? '≥ ' : '') + figure(run.little.expected)),
    h('td.number', {}, figure(run.little.allowed)), h('td', {}, h('span.seal.plain.' + (run.little.agrees ? 'good' : 'warn'), {}, run.little.agrees ? 'agree' : 'differ'))));
  return rows.length ? closed("Little's law", h('p.note', {}, `In a steady state the mean number of arrivals in the system is rate × mean time.
    "in flight" counts arrivals that are due and not finished at the end of each second of the hold, from the ledger. "rate × time" is the sum of the response
    times of the histograms divided by the length of the hold. They differ if they are apart by more than 20 % (at least one arrival) and three standard errors of
    the count. While a backlog grows they may differ, because arrivals wait beyond the end of the hold.`.replace(/\s+/g, ' ')),
  tableOf(['run', 'rate', 'in flight', 'rate × time', 'may differ by', 'agreement'], ['agreement'], rows)) : null;
}
