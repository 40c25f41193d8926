// The page: the judgement of the newest runs, then every curve with its runs, the newest first.
const SEALS = {0: 'good', 3: 'warn'};

function header() {
  const runs = sum(data.curves.map((one) => one.points.length));
  const targets = Array.from(new Set(data.curves.map((one) => one.target)));
  return h('header', {}, h('p.brand', {}, s('svg', {viewBox: '0 0 24 24', 'aria-hidden': 'true'},
    s('path', {d: 'M3 17h4v4H3zM10 11h4v10h-4zM17 3h4v18h-4z'})), 'shardload'),
  h('h1', {}, targets.length === 1 ? `History of ${targets[0]} ` : 'History ', h('span', {}, `${runs} ${runs === 1 ? 'run' : 'runs'}`)));
}

function verdict() {
  if (!data.judged.length) return null;
  const isWorse = data.regressions.length > 0;
  return h('div.verdict.' + (isWorse ? 'bad' : data.notes.length ? 'warn' : 'good'), {}, h('div', {},
    h('h2', {}, isWorse ? 'Regression' : data.notes.length ? 'Not everything was judged' : 'No regression'),
    h('ul', {}, data.regressions.concat(data.notes).map((text) => h('li', {}, text)))));
}

function change(one) {
  if (!one || !known(one.change_percent)) return h('td.number', {title: one ? one.not_judged : null}, one ? '' : DASH);
  const title = one.not_judged || `of the mean of ${one.runs} comparable runs`;
  return h('td.number', {title}, h(one.regression ? 'b.worse' : 'span', {}, (one.regression ? (one.change_percent > 0 ? '▲ ' : '▼ ') : '') + signed(one.change_percent)));
}

/** Whether a point has a figure; a run with a capacity shows its RPS there. */
function has(key, point) {
  return point.figures[key] && !(key === 'rps' && point.figures.capacity_per_second);
}

function row(point, keys) {
  const label = buildOf(point);
  // A build has its own pages; a path to them may end with the workspace.
  const page = (point.build && point.build.url) || (point.page && './' + point.page.split('/').map(encodeURIComponent).join('/'));
  const name = page ? h('a', {href: page}, label || point.name) : label || point.name;
  const resource = (point.bottleneck || DASH).replace(/^bound by |(?: in [^ ]+)?: .*/g, '');
  const several = point.runs.length > 1 ? h('small.note', {}, ` ${point.runs.length} runs`) : null;
  return h('tr', {}, h('td', {}, startOf(point)), h('td', {}, h('span.text', {title: point.name}, name, several)),
    h('td', {title: point.verdict.reasons.join('\n') || null}, h('span.seal.' + (SEALS[point.verdict.code] || 'bad') + '.plain', {}, point.verdict.name)),
    keys.map((key) => [h('td.number', {}, showReading(key, point.figures[key])), change(point.figures[key])]),
    h('td.number', {}, point.valid ? String(point.comparable) : DASH), h('td', {title: point.bottleneck}, resource));
}

function curveSection(one) {
  const shown = FIGURES.filter(([key]) => one.points.some((point) => has(key, point)));
  const keys = shown.map(([key]) => key);
  const head = ['time (UTC)', one.points.some(buildOf) ? 'build' : 'run', 'verdict'].map((name) => h('th', {}, name))
    .concat(shown.flatMap(([key, title]) => [h('th.number', {}, title), h('th.number', {}, 'change')]), [h('th.number', {}, 'comparable before'), h('th', {}, 'bound by')]);
  return section(`${one.target} · ${one.workload} · ${one.profile}`, null,
    h('div.charts', {}, shown.map(([key, title, note]) => curve(key, title, note, one.points)).filter(Boolean)),
    h('div.scroll', {tabindex: 0}, h('table', {}, h('thead', {}, h('tr', {}, head)),
      h('tbody', {}, one.points.slice().reverse().map((point) => row(point, keys))))));
}

function method() {
  const percentage = Number(data.percent.toFixed(2));
  return section('How it is judged', `A figure is a regression if it is worse than the mean of the last five to ten comparable
    valid runs by more than ${percentage} % and lies beyond their one-sided 95 % prediction bound. All calculations use logarithms. One in twenty runs
    lies on the worse side of the range in the charts by chance. Runs are comparable if they have the same
    durability, mix, seed, documents, load, schema, server settings, hardware, client settings and version; rows at the
    start may differ by a factor of two. At most two figures of a run are judged: p99, and RPS or (with steps) capacity. So a run is a false alarm in at most one
    of ten cases, and in about 5 of 100 if the noise is 5 % and the percentage is 10.`.replace(/\s+/g, ' '));
}

function warnings() {
  return data.warnings.length ? h('ul.findings', {}, data.warnings.map((text) => h('li', {}, text))) : null;
}

drawPage(header(), verdict(), warnings(), data.curves.map(curveSection), method(),
  h('footer', {}, 'Made by shardload.'));
