// The page: the answer with its limit and its bottleneck, the curve, the runs; closed, how it was found.
const MARKS = {good: 'M5 12.5l4.5 4.5L19 7.5', bad: 'M7 7l10 10M17 7L7 17', warn: 'M12 6v7.5M12 17.2v.3'};

function header() {
  // In UTC, as the times of a report.
  const written = data.written ? new Date(data.written).toISOString().slice(0, 19).replace('T', ' ') + ' UTC' : null;
  const fact = (name, value) => h('div', {}, h('dt', {}, name), h('dd', {}, String(value ?? DASH)));
  return h('header.top', {}, h('div.brand', {}, s('svg', {viewBox: '0 0 24 24', 'aria-hidden': 'true'},
    s('path', {d: 'M3 17h4v4H3zM10 11h4v10h-4zM17 3h4v18h-4z'})), 'shardload'),
  h('h1', {}, `Capacity of ${data.target}`, h('span', {}, ' · '), data.workload, h('span', {}, ' · '), data.profile),
  h('dl.facts', {}, fact('search', data.id), fact('written', written), fact('runs', data.runs.length),
    fact('time', Math.round(sum(data.runs.map((run) => run.seconds || 0)) / 60) + ' min'), labels().map(([name, value]) => fact(name, value))));
}

/** What the user called the search; its name is part of its id. */
function labels() {
  const tags = Object.entries(data.tags || {}).map(([key, value]) => `${key}=${value}`).join(', ');
  return [['tags', tags], ['note', data.note]].filter((pair) => pair[1]);
}

/** Whether the ends that were found are confirmed. */
function confirmed() {
  const open = [['lower', data.low], ['upper', data.high]].filter((one) => one[1] && !one[1].confirmed).map((one) => one[0]);
  return open.length ? `${open.join(' and ')} end not confirmed` : data.low || data.high ? 'confirmed' : null;
}

/** What a run must keep to be good. */
function limits() {
  const {p99_ms: p99, errors_percent: errors} = data.limits;
  return [].concat(known(p99) ? `p99 at most ${shortDuration(p99 * 1e6)}` : [], known(errors) ? `errors at most ${percent(errors)}` : [],
    `${percent(98)} of the arrivals answered in time`);
}

/** The answer in large: the interval, what bounds it, which limit ends it, and why the search ended. */
function verdict() {
  const {low, high} = data;
  // An interval wider than the requested precision is an answer, but not the one that the user wanted.
  const sure = low && high && low.confirmed && high.confirmed && high.rate / low.rate <= 1.01 * (1 + data.settings.precision_percent / 100);
  const look = data.ended === 'found' && sure ? 'good' : low || !data.ended ? 'warn' : 'bad';
  const title = low && high ? `${rate(low.rate)} to ${rate(high.rate)}/s` : low ? `at least ${rate(low.rate)}/s` : high ? `below ${rate(high.rate)}/s` : 'unknown';
  return h('div.verdict.' + look, {role: 'status'}, s('svg.mark', {viewBox: '0 0 24 24', 'aria-hidden': 'true'}, s('path', {d: MARKS[look]})),
    h('div', {}, h('h2', {}, title, h('span.exit', {}, confirmed())), h('p', {}, `Limits: ${limits().join(', ')}.`),
      data.bound ? h('p', {}, data.bound.replace(/^at \S+/, `At ${rate((high || low).rate)}/s`) + '.') : null,
      data.cost ? h('p', {}, `Cost: ${data.cost.amount} ${data.cost.currency} per million transactions ${data.cost.detail}.`) : null,
      h('ul', {}, notes().map((text) => h('li', {}, text)))));
}

function notes() {
  const {low, high, settings, text} = data;
  const ended = text ? text.split(': ').slice(1).join(': ') : 'it is not finished';
  const all = ended ? [`Why the search ended: ${ended}.`] : [];
  [[high, 'bad'], [low, 'good']].filter(([end]) => end).forEach(([end, word]) => {
    const runs = end.good + end.bad;
    const missed = word === 'bad' ? data.runs.find((run) => run.rate === end.rate && run.outcome === 'bad' && run.reasons.length) : null;
    all.push(`At ${rate(end.rate)}/s ${end[word]} of ${runs} ${runs === 1 ? 'run was' : 'runs were'} ${word}` + (missed ? `: ${missed.reasons[0]}.` : '.'));
  });
  if (low && high) {
    const width = 100 * (high.rate / low.rate - 1);
    all.push(`The interval is ${percent(width)} wide` + (width > settings.precision_percent * 1.01 && data.ended === 'found'
      ? `, more than the requested ${percent(settings.precision_percent)}: runs near its ends contradict each other.` : '.'));
  }
  const against = data.runs.filter((run) => run.little && !run.little.agrees && run.outcome === 'good');
  if (against.length) all.push(`In ${against.length} good ${against.length === 1 ? 'run' : 'runs'} concurrency differs from rate × time (Little's law, at the end).`);
  return all;
}

drawPage(header(), verdict(), curves(), table(), method(), littlesLaw(),
  footer('search.html of the search also shows values at the pointer.'));
